// Goal: each kind of promise, with each kind of stimulus, is broken by each fault that concerns it,
// in both directions, and by no other. Method: flows of one node with one fault at a time, on a
// second model in the place of switches: both agree, so that only intent can object.
import t from 'tap';
import { runScenario } from '../run/run-scenario.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import type { AntreaTopology } from '../../topologies/antrea/antrea-topology.js';
import { antrea } from '../control/antrea/index.js';
import { staticFlows } from '../control/static.js';
import type { Intent } from '../domain/intent.js';
import type { ControlPlane } from '../domain/plan/control-plane.js';
import { defineScenario, type Scenario } from '../domain/scenario.js';
import type { Stimulus } from '../domain/test-vector.js';

const bridge = 'br-int';
const small = antreaCluster({ nodes: 1, podsPerNode: 4, tunnel: 'geneve' });
/** Everybody has an echo service over SCTP, too. */
const cluster: AntreaTopology = {
  ...small,
  nodes: small.nodes.map((one) => ({
    ...one,
    pods: one.pods.map((pod) => ({ ...pod, listens: [{ protocol: 'SCTP', port: 7 }] })),
  })),
};
const [node] = antrea('0.8').plan(cluster).nodes;
const numbers = new Map(
  (node?.bridges ?? [])
    .filter(({ name }) => name === bridge)
    .flatMap((one) => one.ports)
    .flatMap((port) => ('ofport' in port ? [[port.name, port.ofport] as const] : [])),
);
const ports = new Map(
  (node?.hosts ?? []).flatMap(({ name, interfaces }) =>
    interfaces.flatMap(({ port = '', mac, ip }) =>
      numbers.has(port) ? [[name, { port, mac, ip }] as const] : [],
    ),
  ),
);
const at = (name: string) => ports.get(name) ?? { port: '', mac: '', ip: '' };
const [sender, answerer, stranger, forbidden] = ['p1', 'p2', 'p3', 'p4'].map(at);
const request = `ip,nw_src=${sender?.ip},nw_dst=${answerer?.ip}`;
const answer = `ip,nw_src=${answerer?.ip},nw_dst=${sender?.ip}`;
const toForbidden = `ip,nw_src=${sender?.ip},nw_dst=${forbidden?.ip}`;
const arpRequest = `arp,arp_op=1,arp_spa=${sender?.ip},arp_tpa=${answerer?.ip}`;
const arpAnswer = `arp,arp_op=2,arp_spa=${answerer?.ip}`;
const [to1, to2, to3, to4] = [sender, answerer, stranger, forbidden].map(
  (pod) => `output:${pod?.port}`,
);
const number2 = numbers.get(answerer?.port ?? '') ?? 0;
/** Spoofed by a frame of the sender's. */
const claimed = '10.10.1.99';

/** What a control plane gets right: by MAC address, none for the forbidden pod, nothing spoofed. */
const right: readonly string[] = [
  `priority=25,ip,nw_src=${claimed} actions=drop`,
  `priority=20,ip,dl_dst=${forbidden?.mac} actions=drop`,
  'priority=5,dl_dst=ff:ff:ff:ff:ff:ff actions=FLOOD',
  ...[...ports.values()].map(({ mac, port }) => `priority=10,dl_dst=${mac} actions=output:${port}`),
  'priority=0 actions=drop',
];

/** Flows that are added to those, by what they do. */
const promiseFaults = {
  'what is asked comes out at a stranger as well': [`priority=40,${request} actions=${to2},${to3}`],
  'what is asked comes out at a stranger alone': [`priority=40,${request} actions=${to3}`],
  'what is asked comes out twice': [`priority=40,${request} actions=${to2},${to2}`],
  'what is asked is lost': [`priority=40,${request} actions=drop`],
  'what is asked is lost the first time': [
    `priority=40,${request} actions=load:${number2}->NXM_NX_REG0[],learn(table=0,priority=41,` +
      'dl_type=0x0800,NXM_OF_IP_SRC[],NXM_OF_IP_DST[],output:NXM_NX_REG0[])',
  ],
  'an answer comes out at a stranger as well': [`priority=40,${answer} actions=${to1},${to3}`],
  'an answer comes out twice': [`priority=40,${answer} actions=${to1},${to1}`],
  'an answer is lost': [`priority=40,${answer} actions=drop`],
  'an address is found the second time': [
    `priority=40,${arpRequest} actions=learn(table=0,priority=41,dl_type=0x0806,arp_op=1,` +
      `NXM_OF_ARP_TPA[],load:${number2}->NXM_NX_REG0[],output:NXM_NX_REG0[])`,
  ],
  'an answer of ARP comes out at a stranger as well': [
    `priority=40,${arpAnswer} actions=${to1},${to3}`,
  ],
  'an answer of ARP is lost': [`priority=40,${arpAnswer} actions=drop`],
  'what nobody may get comes out at the pod, whose answers are lost': [
    `priority=40,${toForbidden} actions=${to4}`,
    `priority=40,ip,nw_src=${forbidden?.ip} actions=drop`,
  ],
  'what nobody may get comes back to its sender': [`priority=40,${toForbidden} actions=in_port`],
  'what is spoofed comes out': [`priority=40,ip,nw_src=${claimed} actions=${to3}`],
  'what a router says of it comes out at a stranger as well': [
    `priority=40,icmp,icmp_type=11 actions=${to1},${to3}`,
  ],
  'what a router says of it is lost': ['priority=40,icmp,icmp_type=11 actions=drop'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type PromiseFault = keyof typeof promiseFaults;

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
const arrival = { to: 'p2', source: sender?.ip ?? '' } as const;
const to = answerer?.ip ?? '';
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
    src: sender?.mac ?? '',
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
const toP4 = forbidden?.ip ?? '';
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
    stimulus: frame(sender?.ip ?? '', to, answerer?.mac ?? ''),
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
    stimulus: frame(sender?.ip ?? '', toP4, forbidden?.mac ?? ''),
    intent: denied,
    brokenBy: forbidding,
  },
  {
    id: 'blocked/frame',
    stimulus: frame(claimed, to, answerer?.mac ?? ''),
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
    intent: { kind: 'resolves', ip: to, mac: answerer?.mac ?? '' },
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
  const text = [...right, ...(fault === undefined ? [] : promiseFaults[fault])].join('\n');
  const base = staticFlows(antrea('0.8'), [{ bridge, text, file: 'promises.flows' }]);
  const controlPlane: ControlPlane<AntreaTopology> = {
    ...base,
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
