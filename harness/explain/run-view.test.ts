/**
 * Goal: the path of a vector is the model's, hop by hop, the switch's observation stands beside it
 * and not in its place, and the first difference is where the fault was planted. Method:
 * antrea/encap with the model in place of switches: truthful, with one flow missing, with one flow
 * changed, and failing half-way; antrea/changes, truthful.
 */
import t from 'tap';
import changes from '../../scenarios/antrea/changes.js';
import encap from '../../scenarios/antrea/encap.js';
import { Unavailable } from '../base/errors/errors.js';
import { flowKey } from '../compare/compare-counters.js';
import type { FlowId } from '../domain/switching.js';
import type { Crossing, Hop } from './hops.js';
import { openFailing, openWithFlows, sampleRun, type Sample } from './sample-run.js';
import { viewOf } from './run-view.js';
import type { VectorView } from './vector-view.js';

const across = 'ping/p1/p4';

async function view(part: Partial<Sample> = {}): Promise<readonly VectorView[]> {
  const { scenarios } = await viewOf(
    await sampleRun([{ scenario: encap, axes: { nodes: '2', tunnel: 'geneve' }, ...part }]),
  );
  return scenarios.flatMap(({ vectors }) => vectors);
}

function crossings(hops: readonly Hop[]): readonly Crossing[] {
  return hops.flatMap(({ entered, left }) => [
    ...(entered === undefined ? [] : [entered]),
    ...left,
  ]);
}

/** What parts first, in words. */
function lookupsOf(flow: FlowId, hops: VectorView['hops']): number {
  return hops
    .flatMap(({ lookups }) => lookups)
    .filter((lookup) => lookup.flow !== undefined && flowKey(lookup.flow) === flowKey(flow)).length;
}

function first({ hops, divergence }: VectorView): string {
  const hop = divergence === undefined ? undefined : hops[divergence.hop];
  if (hop === undefined || divergence === undefined) return 'nothing';
  if (divergence.kind === 'entered') return `into ${hop.port} on ${hop.node}`;
  if (divergence.kind === 'left')
    return `out of ${hop.left[divergence.index]?.port} on ${hop.node}`;
  const lookup = hop.lookups[divergence.index];
  return `${lookup?.bridge} on ${hop.node}, table ${lookup?.table}: ${lookup?.flow?.match}`;
}

void t.test('where all agree', async (t) => {
  const every = encap.vectors(encap.topology({ nodes: '2', tunnel: 'geneve' })).map(({ id }) => id);
  const vectors = await view({
    only: every.filter((id, index) => index % 6 === 0 || [across, 'spoof-ip/p1'].includes(id)),
  });
  t.ok(vectors.length > 30);
  t.strictSame(
    vectors.flatMap(({ report: { id }, hops }) =>
      crossings(hops)
        .filter(({ seen }) => seen !== 'by both')
        .map(({ frame }) => `${id}: ${frame}`),
    ),
    [],
  );
  t.strictSame(
    vectors
      .filter(({ flows }) => flows.some((counted) => counted.model !== counted.switch))
      .map(({ report }) => report.id),
    [],
  );
  t.strictSame(
    vectors
      .filter(({ notes, finalState: remembered }) =>
        [...notes, ...remembered].some(({ seen }) => seen !== 'by both'),
      )
      .map(({ report }) => report.id),
    [],
  );
  t.ok(
    vectors.every(
      ({ levels, divergence }) =>
        levels.model === 'kept' &&
        levels.switch === 'kept' &&
        levels.modelAndSwitch === 'agree' &&
        divergence === undefined,
    ),
  );
  t.ok(vectors.every(({ pass }) => pass === 'cold'));
  t.strictSame(
    vectors
      .filter(({ hops, flows }) => flows.some(({ flow, model }) => model < lookupsOf(flow, hops)))
      .map(({ report }) => report.id),
    [],
    'the path has no packet that its flow did not count',
  );

  const ping = vectors.find(({ report }) => report.id === across);
  t.match(ping, {
    group: 'ping',
    to: 'p4',
    stimulus: 'p1 pings 10.10.2.2 (p4)',
    promise: 'p4 gets it from 10.10.1.2, and the answer comes back',
    levels: { promise: 'must pass' },
  });
  const request = ping?.hops.find(({ entered }) => entered?.frame.includes('echo request'));
  t.match(request, {
    node: 'n1',
    left: [
      {
        port: 'uplink',
        frame: /172\.30\.0\.1 > 172\.30\.0\.2 .* Geneve .* echo request .* ttl 63/,
      },
    ],
  });
  t.match(
    request?.lookups.find(({ table }) => table === 70),
    {
      bridge: 'br-int',
      flow: { match: 'ip,nw_dst=10.10.2.0/24' },
      writes: ['nw_ttl', 'eth_src', 'eth_dst', 'reg1', 'reg0', 'tun_dst'],
    },
  );
  t.match(request?.lookups.at(-1), {
    bridge: 'br-phys',
    outputs: [{ port: 'uplink', by: 'NORMAL' }],
  });
  t.match(
    vectors.find(({ report }) => report.id === 'spoof-ip/p1'),
    { levels: { promise: 'must not pass' }, hops: [{ left: [] }] },
  );
});

void t.test('what was played in a batch', async (t) => {
  const only = [across, 'tcp/p1/p4', 'udp/p1/p2', 'ping/n1/p4'];
  const marked = {
    ...encap,
    vectors: (topology: Parameters<typeof encap.vectors>[0]) =>
      encap.vectors(topology).map((vector) => ({ ...vector, together: 'all' })),
  };
  const vectors = await view({ scenario: marked, only });
  t.same(
    vectors.map(({ report: { id }, played, passes }) => [id, played, passes.join()]),
    only
      .toSorted(
        (a, b) =>
          vectors.findIndex(({ report }) => report.id === a) -
          vectors.findIndex(({ report }) => report.id === b),
      )
      .map((id) => [id, 'together', 'cold,again,sibling']),
  );
  for (const {
    report: { id, verdict },
    hops,
    notes,
    flows,
    levels,
  } of vectors) {
    t.same([verdict, levels.modelAndSwitch], ['conforms', 'agree'], id);
    const known = crossings(hops).filter(({ seen }) => seen === 'by both');
    t.ok(
      known.some(({ frame }) => /p[14]|10\.10\.\d\.\d > /.test(frame)),
      `${id}: its own frames were seen`,
    );
    t.ok(
      crossings(hops).every(({ seen }) => seen === 'by both' || seen === 'not observed'),
      `${id}: nothing is said to be otherwise`,
    );
    t.ok(
      crossings(hops).some(
        ({ seen, frame }) => seen === 'not observed' && / ARP who has /.test(frame),
      ),
      `${id}: neighbours had been asked for before`,
    );
    t.ok(
      notes.every(
        ({ text, seen }) => seen === (/ learned that /.test(text) ? 'not observed' : 'by both'),
      ),
      `${id}: and what the hosts noted`,
    );
    t.ok(
      flows.every((flow) => flow.switch === undefined),
      `${id}: what flows counted is reported of the whole batch`,
    );
  }
  const cold = {
    ...marked,
    vectors: (topology: Parameters<typeof encap.vectors>[0]) =>
      marked.vectors(topology).map((vector) => ({ ...vector, depth: 'cold' as const })),
  };
  const [unseen] = await view({ scenario: cold, only: [across] });
  t.match(unseen, { played: 'alone', passes: ['cold'] }, 'one vector is no company');
  t.same(
    (await view({ scenario: cold, only })).map(({ played, passes, hops }) => [
      played,
      passes.length,
      hops.length,
    ]),
    only.map(() => ['together', 0, 0]),
    'of very many no path is predicted',
  );
});

void t.test('where a flow is missing', async (t) => {
  const [ping] = await view({
    only: [across],
    open: openWithFlows('n1', 'br-int', (flows) =>
      flows.filter((flow) => !/tun_dst|TUN_IPV4_DST/i.test(flow)),
    ),
  });
  t.match(ping?.levels, {
    promise: 'must pass',
    model: 'kept',
    switch: 'broken',
    modelAndSwitch: 'diverge',
  });
  t.equal(ping === undefined ? '' : first(ping), 'br-int on n1, table 70: ip,nw_dst=10.10.2.0/24');
  const parted = ping?.hops[ping.divergence?.hop ?? -1];
  t.match(
    parted?.left.map(({ port, seen }) => `${port} ${seen}`),
    ['uplink by the model only', 'antrea-gw0 by the switch only'],
  );
  t.match(
    ping?.flows.find(({ flow }) => flow.match === 'ip,nw_dst=10.10.2.0/24'),
    { model: 1, switch: 0 },
  );
  t.strictSame(
    ping?.flows
      .map(({ flow, model }) => model - lookupsOf(flow, ping.hops))
      .filter((more) => more !== 0),
    [],
    'of a single pass the path has every packet that a flow counted',
  );
  t.ok(
    ping?.notes.some(
      ({ text, seen }) => /p4 got an echo request/.test(text) && seen === 'by the model only',
    ),
  );
  t.ok(
    ping?.finalState.some(
      ({ text, seen }) => /^n2, zone 65520: icmp/.test(text) && seen === 'by the model only',
    ),
  );
});

void t.test('where a flow writes otherwise', async (t) => {
  const [ping] = await view({
    only: [across],
    open: openWithFlows('n2', 'br-int', (flows) =>
      flows.map((flow) =>
        /nw_dst=10\.10\.2\.2\b/.test(flow) ? flow.replace('dec_ttl,', '') : flow,
      ),
    ),
  });
  t.match(ping?.levels, { switch: 'kept', modelAndSwitch: 'diverge' });
  t.equal(
    ping === undefined ? '' : first(ping),
    'br-int on n2, table 70: ip,dl_dst=aa:bb:cc:dd:ee:ff,nw_dst=10.10.2.2',
  );
  const otherwise = crossings(ping?.hops ?? []).filter(({ seen }) => seen === 'differently');
  t.match(otherwise[0]?.fields[0], { name: 'ip.ttl', expected: '62', actual: '63' });
});

void t.test('where the switch was gone', async (t) => {
  const [, ping] = await view({
    only: ['ping/p1/p2', across],
    open: openFailing(20, () => new Unavailable('gone')),
  });
  t.match(ping?.levels, {
    promise: 'must pass',
    model: 'not compared',
    switch: 'not compared',
    modelAndSwitch: 'not compared',
  });
  t.ok((ping?.hops.length ?? 0) > 5, 'the model’s path is reported all the same');
  t.ok(crossings(ping?.hops ?? []).every(({ seen }) => seen === 'not observed'));
  t.ok(ping?.flows.every((counted) => counted.switch === undefined && counted.model > 0));
  t.equal(ping === undefined ? '' : first(ping), 'nothing');
});

void t.test('a vector of a timeline is seen behind all that was before it', async (t) => {
  const [scenario] = (
    await viewOf(await sampleRun([{ scenario: changes, axes: { tunnel: 'geneve' } }]))
  ).scenarios;
  t.equal(scenario?.vectors.length, 24);
  t.ok(
    scenario?.parties.some(({ name }) => name === 'late'),
    'who comes later is a party',
  );
  for (const {
    report,
    hops,
    notes,
    flows,
    finalState: remembered,
    predictionError: unpredicted,
  } of scenario?.vectors ?? []) {
    t.equal(unpredicted, undefined);
    t.ok(
      hops.length > 0 && crossings(hops).every(({ seen }) => seen === 'by both'),
      `${report.id}: the same way`,
    );
    t.ok(
      [...notes, ...remembered].every(({ seen }) => seen === 'by both') &&
        flows.every((flow) => flow.model === flow.switch),
      `${report.id}: the same notes, counters and state`,
    );
  }
  const talk = scenario?.vectors.find(
    ({ report }) => report.id === '8-switch-is-programmed/standing/web/db',
  );
  t.equal(talk?.past?.at(-1), 'the switch of n2 is programmed');
});
