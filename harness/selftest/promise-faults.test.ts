// Goal: each kind of promise, with each kind of stimulus, is broken by each fault that concerns it,
// in both directions, and by no other. Method: flows of one node with one fault at a time, on a
// second model in the place of switches: both agree, so that only intent can object.
import t from 'tap';
import { runScenario } from '../run/run-scenario.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import type { AntreaTopology } from '../../topologies/antrea/antrea-topology.js';
import type { Intent } from '../domain/intent.js';
import type { ControlPlane } from '../domain/plan/control-plane.js';
import { defineScenario, type Scenario } from '../domain/scenario.js';
import type { Stimulus } from '../domain/test-vector.js';
import { claimed, promiseNetwork, type PromiseFault } from './testkit/promise-faults.js';

const { cluster, sender, answerer, forbidden, promiseFaults, promisePlane } = promiseNetwork(
  antreaCluster({ nodes: 1, podsPerNode: 4, tunnel: 'geneve' }),
);

const asking: readonly PromiseFault[] = [
  'what is asked comes out at a stranger as well',
  'what is asked comes out at a stranger alone',
  'what is asked comes out twice',
  'what is asked is lost',
  'what is asked is lost the first time',
  'an address is found the second time',
  'an answer of ARP is lost',
];
const answering: readonly PromiseFault[] = [
  'an answer comes out at a stranger as well',
  'an answer comes out twice',
  'an answer is lost',
];
const forbidding: readonly PromiseFault[] = [
  'what nobody may get comes out at the pod, whose answers are lost',
  'what nobody may get comes back to its sender',
];
const reporting: readonly PromiseFault[] = [
  'what a router says of it comes out at a stranger as well',
  'what a router says of it is lost',
];

/** A promise about a stimulus, and the faults that break it; the others do not. */
interface FaultyPromise {
  readonly id: string;
  readonly stimulus: Stimulus;
  readonly intent: Intent;
  readonly brokenBy: readonly PromiseFault[];
}

const from = 'p1';
const arrival = { to: 'p2', source: sender.ip } as const;
const to = answerer.ip;
const nobody = 'nobody listens there';
const roundTrip: Intent = { kind: 'round-trip', ...arrival };
const balanced: Intent = {
  kind: 'balanced',
  answerers: [{ to: 'p2', sources: [arrival.source] }],
  spread: 'any',
  why: 'p2 alone answers',
};
const refused: Intent = { kind: 'refused', ...arrival, why: nobody };
const delivered: Intent = { kind: 'delivered', ...arrival, why: nobody };
const denied: Intent = { kind: 'denied', why: 'nobody may reach p4' };
const blocked: Intent = { kind: 'blocked', why: 'the sender is no such pod' };
const rejected: Intent = { kind: 'rejected', why: 'its TTL is over at the node' };
const either: Intent = { kind: 'either', outcomes: [roundTrip, delivered], why: 'both are right' };
const contradicted: Intent = {
  kind: 'contradicted',
  promise: denied,
  instead: roundTrip,
  by: 'known',
};

const echo = { port: 7 } as const;
const closed = { port: 9 } as const;
const frame = (src: string, dst: string, mac: string): Stimulus => ({
  kind: 'frame',
  from,
  what: 'a datagram',
  frame: {
    src: sender.mac,
    dst: mac,
    payload: { kind: 'udp', src, dst, ttl: 64, srcPort: 49152, dstPort: 9 },
  },
});
const calls = (protocol: 'TCP' | 'UDP', ip: string): Stimulus => ({
  kind: 'calls',
  protocol,
  from,
  to: ip,
  ...echo,
  count: 2,
  everyMs: 1,
});
const all = [...asking, ...answering];
const toP4 = forbidden.ip;
/** Outside of the cluster: the node's stack is the first router on the way. */
const outside = '192.0.2.9';
/** A frame is written past the stack: no address is asked for. */
const askingPastTheStack = asking.filter((fault) => !/ARP|address/.test(fault));

/** Each kind of promise with each kind of stimulus that it can be about. */
const faultyPromises: readonly FaultyPromise[] = [
  { id: 'round-trip/ping', stimulus: { kind: 'ping', from, to }, intent: roundTrip, brokenBy: all },
  ...(['udp', 'tcp', 'probe', 'sctp'] as const).flatMap((kind): readonly FaultyPromise[] => [
    {
      id: `round-trip/${kind}`,
      stimulus: { kind, from, to, ...echo },
      intent: roundTrip,
      brokenBy: all,
    },
    {
      id: `balanced/${kind}`,
      stimulus: { kind, from, to, ...echo },
      intent: balanced,
      brokenBy: all,
    },
    {
      id: `denied/${kind}`,
      stimulus: { kind, from, to: toP4, ...echo },
      intent: denied,
      brokenBy: forbidding,
    },
  ]),
  {
    id: 'round-trip/open',
    stimulus: { kind: 'open', from, to, ...echo, connection: 'c' },
    intent: roundTrip,
    brokenBy: all,
  },
  { id: 'balanced/calls-tcp', stimulus: calls('TCP', to), intent: balanced, brokenBy: all },
  { id: 'balanced/calls-udp', stimulus: calls('UDP', to), intent: balanced, brokenBy: all },
  {
    id: 'refused/tcp',
    stimulus: { kind: 'tcp', from, to, ...closed },
    intent: refused,
    brokenBy: all,
  },
  {
    id: 'refused/probe',
    stimulus: { kind: 'probe', from, to, ...closed },
    intent: refused,
    brokenBy: all,
  },
  {
    id: 'delivered/udp',
    stimulus: { kind: 'udp', from, to, ...closed },
    intent: delivered,
    brokenBy: asking,
  },
  {
    id: 'delivered/frame',
    stimulus: frame(sender.ip, to, answerer.mac),
    intent: delivered,
    brokenBy: askingPastTheStack,
  },
  {
    id: 'denied/ping',
    stimulus: { kind: 'ping', from, to: toP4 },
    intent: denied,
    brokenBy: forbidding,
  },
  { id: 'denied/calls', stimulus: calls('TCP', toP4), intent: denied, brokenBy: forbidding },
  {
    id: 'denied/frame',
    stimulus: frame(sender.ip, toP4, forbidden.mac),
    intent: denied,
    brokenBy: forbidding,
  },
  {
    id: 'blocked/frame',
    stimulus: frame(claimed, to, answerer.mac),
    intent: blocked,
    brokenBy: ['what is spoofed comes out'],
  },
  {
    id: 'rejected/ping',
    stimulus: { kind: 'ping', from, to: outside, ttl: 1 },
    intent: rejected,
    brokenBy: reporting,
  },
  {
    id: 'rejected/udp',
    stimulus: { kind: 'udp', from, to: outside, ttl: 1, ...echo },
    intent: rejected,
    brokenBy: reporting,
  },
  {
    id: 'rejected/tcp',
    stimulus: { kind: 'tcp', from, to: outside, ttl: 1, ...echo },
    intent: rejected,
    brokenBy: reporting,
  },
  {
    id: 'resolves/arp',
    stimulus: { kind: 'arp', from, target: to },
    intent: { kind: 'resolves', ip: to, mac: answerer.mac },
    brokenBy: [
      'an address is found the second time',
      'an answer of ARP comes out at a stranger as well',
      'an answer of ARP is lost',
    ],
  },
  {
    id: 'either/ping',
    stimulus: { kind: 'ping', from, to, ttl: 63 },
    intent: either,
    brokenBy: all.filter((fault) => fault !== 'an answer is lost'),
  },
  {
    id: 'contradicted/ping',
    stimulus: { kind: 'ping', from, to, ttl: 62 },
    intent: contradicted,
    brokenBy: all,
  },
];

/** @param fault flows of it are planted; none where it is missing. */
function promiseScenario(fault?: PromiseFault): Scenario {
  const controlPlane: ControlPlane<AntreaTopology> = {
    ...promisePlane(fault),
    known: [{ name: 'known', cause: 'for this test' }],
  };
  const byStimulus = new Map(faultyPromises.map((one) => [JSON.stringify(one.stimulus), one]));
  return defineScenario({
    name: 'selftest/promises',
    title: 'What breaks a promise in one direction',
    axes: {},
    topology: () => cluster,
    controlPlane,
    vectors: () => faultyPromises.map(({ id, stimulus }) => ({ id, stimulus })),
    intent: (_, stimulus) =>
      byStimulus.get(JSON.stringify(stimulus))?.intent ?? { kind: 'denied', why: 'not asked' },
  });
}

async function broken(fault?: PromiseFault): Promise<readonly string[]> {
  const { report } = await runScenario(
    promiseScenario(fault),
    {},
    {
      seed: 1,
      depth: 'cold',
      nowMs: () => 0,
      openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
    },
  );
  return report.vectors.flatMap(({ id, verdict, inconclusive }) =>
    verdict === 'conforms' ? [] : [verdict === 'diverges' ? id : `${id}: ${inconclusive?.cause}`],
  );
}

void t.test('without a fault all promises are kept', async (t) => {
  t.strictSame(await broken(), []);
});

for (const fault of Object.keys(promiseFaults) as PromiseFault[])
  void t.test(fault, async (t) => {
    const expected = faultyPromises
      .filter(({ brokenBy }) => brokenBy.includes(fault))
      .map(({ id }) => id);
    t.ok(expected.length > 0, 'somebody notices it');
    t.strictSame([...(await broken(fault))].sort(), [...expected].sort());
  });
