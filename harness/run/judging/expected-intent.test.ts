// Goal: where the kernel's datapath tracks connections, segments outside of the window are expected
// to arrive, and invalid ones to have no mark; nothing else is expected otherwise. Method: the
// promises of antrea/connections with the versions that each testbed reports.
import t from 'tap';
import connections from '../../../scenarios/antrea/connections.js';
import services from '../../../scenarios/ovn-kubernetes/services.js';
import type { InterjectedSegment } from '../../domain/test-vector.js';
import { intentExpectedIn } from './expected-intent.js';

const topology = connections.topology({ nodes: '2', tunnel: 'geneve' });

function expected(
  segment: InterjectedSegment,
  versions: Readonly<Record<string, string>>,
  from = 'p1',
) {
  const vector = connections
    .vectors(topology)
    .find(
      ({ stimulus }) =>
        stimulus.kind === 'tcp' &&
        stimulus.from === from &&
        stimulus.interjection?.segment === segment,
    );
  if (vector === undefined) throw new Error(`no vector interjects ${segment}`);
  const intent = intentExpectedIn({ scenario: connections, topology, versions }, vector.stimulus);
  return intent.kind === 'round-trip' ? intent.interjection?.kind : intent.kind;
}

void t.test('what is outside of the window', async (t) => {
  const daemon = { 'ovs-vswitchd': '3.5.0' };
  const kernel = { ...daemon, linux: '6.1.192' };
  t.same(
    (['out-of-window', 'syn-fin', 'bad-checksum'] as const).map((segment) => [
      expected(segment, daemon),
      expected(segment, kernel),
    ]),
    [
      ['dropped', 'arrives'],
      ['dropped', 'dropped'],
      ['dropped', 'dropped'],
    ],
  );
  t.same(
    [daemon, kernel].map((versions) => expected('syn-fin', versions, 'n1')),
    ['arrives', 'dropped'],
    'invalid in a connection whose mark would let it through',
  );
});

void t.test("a client's first packet to a Service with affinity", (t) => {
  const cluster = services.topology({ zones: 'one' });
  const context = { scenario: services, topology: cluster };
  const sent = (from: string, transmissions: number) =>
    ({ kind: 'tcp', from, to: '10.96.0.12', port: 80, transmissions }) as const;
  const expectedOf = (from: string, transmissions: number, linux: object) => {
    const versions = { 'ovs-vswitchd': '3.5.0', ...linux };
    const intent = intentExpectedIn({ ...context, versions }, sent(from, transmissions));
    if (intent.kind !== 'contradicted') return intent.kind;
    const { instead } = intent;
    return instead.kind === 'balanced' ? instead.transmission : instead.kind;
  };
  const asked = [
    ['asker1', 2],
    ['asker1', 7],
  ] as const;
  t.same(
    asked.map(([from, transmissions]) => [
      expectedOf(from, transmissions, {}),
      expectedOf(from, transmissions, { linux: '6.1.192' }),
    ]),
    [
      ['denied', 2],
      [7, 2],
    ],
  );
  t.end();
});
