// Goal: a vector is played in the passes that it should be, its sibling differs in one field that
// is named, and what is recorded is read back. Method: antrea/encap's cluster with promises of our
// own; stimuli that differ in one field, also where an address stands in two places.
import t from 'tap';
import { antrea } from '../control/antrea/index.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import { Unsupported } from '../base/errors/errors.js';
import type { Intent } from '../domain/intent.js';
import type { Observation } from '../domain/observation.js';
import type { Pass, Stimulus } from '../domain/test-vector.js';
import { siblingsOf } from '../vectors/siblings.js';
import { passesOf, differingField, type PassContext } from './passes.js';
import { readObservation, recordFormat, recordOutcome } from './records/run-record.js';

const topology = antreaCluster({ nodes: 2, podsPerNode: 2, tunnel: 'geneve' });
const ping: Stimulus = { kind: 'ping', from: 'p1', to: '10.10.1.3' };
const denied: Intent = { kind: 'denied', why: 'so' };
const circumstances = (
  intent: (stimulus: Stimulus) => Intent,
  changes: Partial<PassContext> = {},
): PassContext => ({
  scenario: { intent: (_, stimulus) => intent(stimulus), controlPlane: antrea('0.8') },
  topology,
  seed: 1,
  depth: 'all',
  ...changes,
});
const passes = (given: PassContext): readonly Pass[] =>
  passesOf(given, { id: 'ping/p1/p2', stimulus: ping });
const names = (given: PassContext) => passes(given).map(({ name }) => name);

void t.test('passes', (t) => {
  t.same(names(circumstances(() => denied)), ['cold', 'again', 'cached', 'sibling']);
  t.same(names(circumstances(() => denied, { depth: 'cold' })), ['cold']);
  t.same(
    passesOf(
      circumstances(() => denied),
      { id: 'one of many', stimulus: ping, depth: 'cold' },
    ).map(({ name }) => name),
    ['cold'],
    'as it says itself',
  );
  t.same(
    names(
      circumstances(() => {
        throw new Unsupported('no promise');
      }),
    ),
    ['cold', 'again', 'cached'],
    'nothing is promised about any sibling',
  );
  t.throws(
    () =>
      names(
        circumstances(() => {
          throw new TypeError('a bug');
        }),
      ),
    { name: 'TypeError', message: 'a bug' },
  );
  const onlyTtl = circumstances((stimulus) => {
    if ('ttl' in stimulus) return denied;
    throw new Unsupported('no promise');
  });
  t.same(
    passes(onlyTtl).at(-1),
    { name: 'sibling', stimulus: { ...ping, ttl: 63 } },
    'one that something is promised about',
  );
  const calls = {
    kind: 'calls',
    protocol: 'TCP',
    from: 'p1',
    to: '10.96.0.1',
    port: 80,
    count: 21,
    everyMs: 10,
  } as const;
  t.same(
    passesOf(
      circumstances(() => denied),
      { id: 'spread', stimulus: calls },
    ).map(({ stimulus }) => stimulus),
    [calls, { ...calls, count: 8 }, { ...calls, count: 8 }, { ...calls, count: 8, ttl: 63 }],
    'of many calls eight are played again',
  );
  t.same(
    passesOf(
      circumstances(() => denied),
      { id: 'later', stimulus: { ...calls, count: 2 } },
    ).map(({ stimulus }) => stimulus),
    [2, 2, 2, 2].map((count, index) => ({ ...calls, count, ...(index === 3 ? { ttl: 63 } : {}) })),
    'and of few all',
  );
  t.equal(
    new Set(
      Array.from({ length: 20 }, (_, seed) =>
        JSON.stringify(passes(circumstances(() => denied, { seed })).at(-1)),
      ),
    ).size,
    siblingsOf(topology, ping).length,
    'which, the seed says',
  );
  t.end();
});

void t.test('what a sibling has otherwise', (t) => {
  t.equal(differingField(ping, ping), undefined);
  t.equal(differingField(ping, { ...ping, ttl: 63 }), 'ttl 63');
  t.equal(differingField({ ...ping, ttl: 63 }, ping), 'ttl as usual');
  const payload = { kind: 'echo-request', src: '10.10.1.2', dst: '10.10.1.3', ttl: 64 } as const;
  const frame: Stimulus = {
    kind: 'frame',
    from: 'p1',
    what: 'x',
    frame: { src: '02:00:00:00:00:01', dst: '02:00:00:00:00:02', payload },
  };
  t.equal(
    differingField(frame, {
      ...frame,
      frame: { ...frame.frame, payload: { ...payload, src: '10.10.1.9' } },
    }),
    'src 10.10.1.9',
  );
  t.equal(
    differingField(frame, { ...frame, frame: { ...frame.frame, src: '02:00:00:00:00:09' } }),
    'frame.src 02:00:00:00:00:09',
    'a MAC address beside an IP address of the same name',
  );
  for (const stimulus of [ping, frame])
    for (const sibling of siblingsOf(topology, stimulus))
      t.ok(differingField(stimulus, sibling), JSON.stringify(sibling));
  t.end();
});

void t.test('a record', (t) => {
  const flow = { node: 'n1', bridge: 'br-int', table: 0, priority: 0, match: '' };
  const real: Observation = {
    frames: [{ timeUs: 10, node: 'n1', port: 'a', direction: 'in', frame: Uint8Array.of(0, 0xab) }],
    notes: [{ kind: 'endless', host: 'a', timeUs: 1 }],
  };
  const [pass] = passes(circumstances(() => denied));
  if (pass === undefined) return t.fail('no pass');
  const recorded = recordOutcome([{ pass, real }], {
    counts: [
      { flow, packets: 0, bytes: 0 },
      { flow, packets: 1, bytes: 60 },
      { flow, packets: 2, bytes: 120 },
    ],
    state: { connections: [], macs: [] },
  });
  t.match(recorded, {
    passes: [{ pass, frames: [{ frame: '00ab' }] }],
    counts: [
      { packets: 1, bytes: 60 },
      { packets: 2, bytes: 120 },
    ],
  });
  t.equal(recorded.counts.length, 2, 'flows that counted');
  t.same(recorded.passes.map(readObservation), [real]);
  t.equal(recordFormat, 'flowbed/record/4', 'readers of old records rely on it');
  t.end();
  return undefined;
});
