import { podsOf, type Node, type Topology } from '../domain/topology.js';
import type { Interjection, TcpFlag, TestVector } from '../domain/test-vector.js';
import { firstPods, orderedPairs } from './targets.js';

/** Every ordered pair of pods by TCP: `tcp/p1/p4`. */
export function podToPodTcp(topology: Topology): readonly TestVector[] {
  return orderedPairs(podsOf(topology)).map(([from, to]) => tcp(from.pod, to.pod));
}

/**
 * Every pod to the gateway of its node and back, and every node to the pods of the others, by TCP:
 * `tcp/p1/n1`, `tcp/n1/p1`, `tcp/n1/p4`.
 */
export function gatewayTcp(topology: Topology): readonly TestVector[] {
  return topology.nodes.flatMap((node) => [
    ...node.pods.map((pod) => tcp(pod, gatewayOf(node))),
    ...podsOf(topology).map(({ pod }) => tcp(node, pod)),
  ]);
}

/** What a kubelet asks of every pod of its node, by its gateway: `probe/n1/p1`. */
export function livenessProbes(topology: Topology): readonly TestVector[] {
  return podsOf(topology).map(({ pod, node }) => ({
    id: `probe/${node.name}/${pod.name}`,
    stimulus: { kind: 'probe', from: node.name, to: pod.ip, port: 7 },
  }));
}

/**
 * A TCP port that nobody listens on, on the own node and the next, from a pod and from the gateway:
 * `refused/p1/p2`.
 */
export function closedPorts(topology: Topology): readonly TestVector[] {
  return encounters(topology).map(([from, to]) => ({
    id: `refused/${from.name}/${to.name}`,
    stimulus: { kind: 'tcp', from: from.name, to: to.ip, port: 9 },
  }));
}

/**
 * Segments of no connection: what conntrack calls invalid, `invalid/syn-ack/p1/n1`, and an ACK that
 * it picks up as part of a connection from before, `picked-up/p1/n1`.
 */
export function unconnectedTcp(topology: Topology): readonly TestVector[] {
  return encounters(topology).flatMap(([from, to]) => [
    segment(
      'invalid/syn-ack',
      'SYN and ACK that answers no SYN',
      from,
      to,
      ['SYN', 'ACK'],
      'right',
    ),
    segment('invalid/syn-fin', 'SYN and FIN in one segment', from, to, ['SYN', 'FIN'], 'right'),
    segment('invalid/bad-checksum', 'SYN with a wrong checksum', from, to, ['SYN'], 'wrong'),
    segment(
      'picked-up',
      'ACK of a connection that the switch has not seen',
      from,
      to,
      ['ACK'],
      'right',
    ),
  ]);
}

/**
 * Segments that do not belong in the middle of a connection, by either end:
 * `amid/out-of-window/opener/p1/n1`. The first node stands for all.
 */
export function interjections(topology: Topology): readonly TestVector[] {
  const ofFirst = firstPods(topology)
    .slice(0, 1)
    .flatMap(({ pod, node }) => encountersOf(topology, pod, node));
  return ofFirst.flatMap(([from, to]) =>
    (['out-of-window', 'syn-fin', 'bad-checksum'] as const).flatMap((name) =>
      (['opener', 'answerer'] as const).map((by): TestVector => {
        const interjection: Interjection = { by, segment: name };
        return {
          id: `amid/${name}/${by}/${from.name}/${to.name}`,
          stimulus: { kind: 'tcp', from: from.name, to: to.ip, port: 7, interjection },
        };
      }),
    ),
  );
}

interface Party {
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
}

type Encounter = readonly [from: Party, to: Party];

function encounters(topology: Topology): readonly Encounter[] {
  return firstPods(topology).flatMap(({ pod, node }) => encountersOf(topology, pod, node));
}

/**
 * A pod and its gateway, both ways, and either with the first pod of the next node that has one.
 */
function encountersOf(topology: Topology, pod: Party, node: Node): readonly Encounter[] {
  const gateway = gatewayOf(node);
  const firsts = firstPods(topology).map((first) => first.pod);
  const far = firsts[(firsts.findIndex(({ name }) => name === pod.name) + 1) % firsts.length];
  return [
    [pod, gateway],
    [gateway, pod],
    ...(far === undefined || far.name === pod.name
      ? []
      : ([
          [pod, far],
          [gateway, far],
        ] as const)),
  ];
}

function gatewayOf({ name, gateway }: Node): Party {
  return { name, ...gateway };
}

function tcp(from: { readonly name: string }, to: Party): TestVector {
  return {
    id: `tcp/${from.name}/${to.name}`,
    stimulus: { kind: 'tcp', from: from.name, to: to.ip, port: 7 },
  };
}

/** To a peer's subnet the destination MAC does not matter; the receiver's own is as good as any. */
function segment(
  subject: string,
  what: string,
  from: Party,
  to: Party,
  flags: readonly TcpFlag[],
  checksum: 'right' | 'wrong',
): TestVector {
  const payload = {
    kind: 'tcp',
    src: from.ip,
    dst: to.ip,
    ttl: 64,
    srcPort: 49152,
    dstPort: 7,
    flags,
    checksum,
  } as const;
  return {
    id: `${subject}/${from.name}/${to.name}`,
    stimulus: {
      kind: 'frame',
      from: from.name,
      what,
      frame: { src: from.mac, dst: to.mac, payload },
    },
  };
}
