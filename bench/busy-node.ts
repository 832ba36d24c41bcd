/**
 * One node of a busy Antrea cluster, of any size: the pipeline of its agent, with policies in the
 * tables where Antrea keeps them, and packets for it.
 */
import { formatIpv4, ipv4Number } from '../harness/base/addresses/mac-and-ipv4.js';
import { assert } from '../harness/base/errors/errors.js';
import { randomFor, type Random } from '../harness/base/random.js';
import { antrea } from '../harness/control/antrea/index.js';
import type { NodePlan } from '../harness/domain/plan/cluster-plan.js';
import { encodeEthernet, etherTypes } from '../harness/packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../harness/packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags, type TcpHeader } from '../harness/packet/protocols/transport/tcp.js';
import { encodeUdp } from '../harness/packet/protocols/transport/udp.js';
import { antreaCluster } from '../topologies/antrea/antrea-cluster.js';
import { macOf } from '../topologies/addresses.js';

export interface NodeSize {
  readonly flows: number;
  /** Of them parts of conjunctions. */
  readonly parts: number;
}

const nodes = 100;
const podsPerNode = 30;
const seed = 1;

/** A node with exactly so many flows on br-int. No two flows of equal priority match one packet. */
export function busyNode({ flows, parts }: NodeSize): NodePlan {
  const [node] = antrea('0.8').plan(antreaCluster({ nodes, podsPerNode, tunnel: 'geneve' })).nodes;
  assert(node !== undefined, 'the cluster has nodes');
  const policies = ([50, 90] as const).flatMap((table) =>
    networkPolicies(randomFor(seed, `policies of ${table}`), table, parts / 2),
  );
  const bridges = node.bridges.map((bridge) => {
    if (bridge.name !== 'br-int') return bridge;
    const left = flows - bridge.flows.length - policies.length;
    assert(left >= 0, `${flows} flows have room for ${parts} parts of conjunctions`);
    const rules = (
      [
        [45, Math.ceil(left / 2)],
        [85, Math.floor(left / 2)],
      ] as const
    ).flatMap(([table, count]) =>
      clusterPolicies(randomFor(seed, `rules of ${table}`), table, count),
    );
    return { ...bridge, flows: [...bridge.flows, ...policies, ...rules] };
  });
  return { ...node, bridges };
}

/** What one policy of a namespace is made of, beside a block of addresses. */
const aPolicy = { podsHere: 3, peers: 4, ports: 3 } as const;

/**
 * Policies of namespaces, as conjunctions of pods here, their peers, and ports. Flows with one
 * match are one flow, which is part of several conjunctions; no port is in two policies.
 */
function networkPolicies(random: Random, table: 50 | 90, parts: number): readonly string[] {
  const [here, there, next] =
    table === 50 ? (['nw_src', 'nw_dst', 70] as const) : (['nw_dst', 'nw_src', 105] as const);
  const found = new Map<string, string[]>();
  const ids: number[] = [];
  while (found.size < parts) {
    const id = table * 100_000 + ids.length;
    const clauses = [
      ...times(
        aPolicy.ports,
        (index) => [`tcp,tp_dst=${ids.length * aPolicy.ports + index + 1}`, 3] as const,
      ),
      ...times(
        aPolicy.podsHere,
        () => [`ip,${here}=${podAddress(1, random.integer(0, podsPerNode - 1))}`, 1] as const,
      ),
      ...times(aPolicy.peers, () => [`ip,${there}=${anyPod(random)}`, 2] as const),
      [
        `ip,${there}=${podAddress(random.integer(0, Math.floor(nodes / 16)) * 16, -2)}/20`,
        2,
      ] as const,
    ];
    for (const [match, clause] of new Map(clauses))
      if (found.has(match) || found.size < parts)
        found.set(match, [...(found.get(match) ?? []), `conjunction(${id},${clause}/3)`]);
    ids.push(id);
  }
  return [
    ...[...found].map(
      ([match, conjunctions]) =>
        `table=${table},priority=200,${match} actions=${conjunctions.join(',')}`,
    ),
    ...ids.map(
      (id, index) =>
        `table=${table},priority=190,conj_id=${id},ip ` +
        `actions=load:${index + 1}->NXM_NX_REG6[],goto_table:${next}`,
    ),
  ];
}

/** Rules of cluster policies, in an order of their own each. */
function clusterPolicies(random: Random, table: number, count: number): readonly string[] {
  const next = table === 45 ? 70 : 105;
  return Array.from(
    { length: count },
    (_, index) =>
      `table=${table},priority=${1 + index},${anyMatch(random)} ` +
      `actions=${random.integer(0, 3) === 0 ? 'drop' : `goto_table:${next}`}`,
  );
}

function anyMatch(random: Random): string {
  switch (random.integer(0, 4)) {
    case 0:
      return `ip,nw_src=${anyPod(random)},nw_dst=${anyPod(random)}`;
    case 1:
      return `tcp,nw_dst=${anyPod(random)},tp_dst=${random.integer(1, ports)}`;
    case 2:
      return `udp,nw_src=${anyPod(random)},tp_dst=${random.integer(1, ports)}`;
    case 3:
      return (
        `tcp,nw_src=10.${random.integer(11, 250)}.${random.integer(0, 255)}.0/24,` +
        `tp_dst=${random.integer(1, ports)}`
      );
    default:
      return (
        'ip,' +
        `nw_dst=172.${random.integer(32, 250)}` +
        `.${random.integer(0, 255)}.${random.integer(0, 15) * 16}/28`
      );
  }
}

const ports = 2000;

function anyPod(random: Random): string {
  return podAddress(random.integer(1, nodes), random.integer(0, podsPerNode - 1));
}

function podAddress(node: number, pod: number): string {
  return formatIpv4(ipv4Number('10.10.0.0') + node * 256 + 2 + pod);
}

function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export interface SentFrame {
  readonly port: string;
  readonly frame: Uint8Array;
}

/**
 * Who talks to whom, and how long: each pod to a few others, again and again, as in a cluster at
 * work, in connections from beginning to end or with the first packet of each alone; or first
 * packets of any pod to any other at any port.
 */
export type Traffic = 'whole connections' | 'first packets' | 'first packets, all different';

/** Of each pod of the node. */
const peersAPod = 8;

/**
 * Packets of pods of the node: those of one turn are of different connections, and come behind
 * those of the turn before. Half of the connections are between pods here, the others go through
 * the tunnel.
 */
export function packetsOf(
  { bridges }: NodePlan,
  count: number,
  traffic: Traffic,
): readonly (readonly SentFrame[])[] {
  const random = randomFor(seed, traffic);
  const names = bridges.flatMap((bridge) =>
    bridge.ports.flatMap((port) => (port.kind === 'endpoint' ? [port.name] : [])),
  );
  const turns = traffic === 'whole connections' ? tcpTurns.length : 1;
  const connections = count / turns;
  const isAnyToAny = traffic === 'first packets, all different';
  const pairs = times(isAnyToAny ? connections : podsPerNode * peersAPod, (index): Pair => {
    const from = isAnyToAny ? random.integer(0, podsPerNode - 1) : Math.floor(index / peersAPod);
    const to =
      index % 2 === 0 ? (from + random.integer(1, podsPerNode - 1)) % podsPerNode : undefined;
    const dst =
      to === undefined
        ? podAddress(random.integer(2, nodes), random.integer(0, podsPerNode - 1))
        : podAddress(1, to);
    const dstPort = random.integer(1, ports);
    const isTcp = random.integer(0, 1) === 0;
    return {
      from,
      to,
      src: podAddress(1, from),
      dst,
      dstPort,
      isTcp: isTcp && (turns === 1 || to !== undefined),
    };
  });
  const talks = times(connections, (index) => {
    const pair = pairs[index < pairs.length ? index : random.integer(0, pairs.length - 1)];
    assert(pair !== undefined, 'there are pairs');
    return { ...pair, index };
  });
  return times(turns, (turn) => talks.map((talk) => packetOf(talk, turn, names)));
}

interface Pair {
  /** Pods here; who is elsewhere does not answer. */
  readonly from: number;
  readonly to: number | undefined;
  readonly src: string;
  readonly dst: string;
  readonly dstPort: number;
  readonly isTcp: boolean;
}

/** A connection of TCP from beginning to end. */
const tcpTurns = [
  { by: 'opener', flags: tcpFlags.SYN, length: 0 },
  { by: 'answerer', flags: tcpFlags.SYN | tcpFlags.ACK, length: 0 },
  { by: 'opener', flags: tcpFlags.ACK, length: 0 },
  { by: 'opener', flags: tcpFlags.PSH | tcpFlags.ACK, length: 100 },
  { by: 'answerer', flags: tcpFlags.PSH | tcpFlags.ACK, length: 200 },
  { by: 'opener', flags: tcpFlags.FIN | tcpFlags.ACK, length: 0 },
  { by: 'answerer', flags: tcpFlags.FIN | tcpFlags.ACK, length: 0 },
  { by: 'opener', flags: tcpFlags.ACK, length: 0 },
] as const;

function packetOf(
  { from, to, src, dst, dstPort, isTcp, index }: Pair & { readonly index: number },
  turn: number,
  names: readonly string[],
): SentFrame {
  const isAnswer = isTcp ? tcpTurns[turn]?.by === 'answerer' : to !== undefined && turn % 2 === 1;
  const srcPort = 1024 + (index % 60_000);
  const ends = isAnswer ? { srcPort: dstPort, dstPort: srcPort } : { srcPort, dstPort };
  const addresses = isAnswer ? { src: dst, dst: src } : { src, dst };
  const segment = isTcp
    ? segmentOf(turn, index, ends, addresses)
    : encodeUdp(ends, new Uint8Array(64), addresses);
  const packet = encodeIpv4(
    {
      ...addresses,
      protocol: isTcp ? ipProtocols.tcp : ipProtocols.udp,
      ttl: 64,
      identification: index & 0xffff,
    },
    segment,
  );
  const frame = encodeEthernet(
    {
      src: macOf(addresses.src),
      dst: to === undefined ? macOf('10.10.1.1') : macOf(addresses.dst),
      etherType: etherTypes.ipv4,
    },
    packet,
  );
  return { port: names[isAnswer ? (to ?? from) : from] ?? '', frame };
}

function segmentOf(
  turn: number,
  start: number,
  ends: Pick<TcpHeader, 'srcPort' | 'dstPort'>,
  addresses: { readonly src: string; readonly dst: string },
): Uint8Array {
  const { by, flags, length } = tcpTurns[turn] ?? tcpTurns[0];
  const before = tcpTurns.slice(0, turn);
  const sentBy = (own: boolean) =>
    before
      .filter((one) => (one.by === by) === own)
      .reduce(
        (sum, one) =>
          sum + one.length + ((one.flags & (tcpFlags.SYN | tcpFlags.FIN)) === 0 ? 0 : 1),
        start,
      );
  const acknowledgement = (flags & tcpFlags.ACK) === 0 ? 0 : sentBy(false);
  return encodeTcp(
    {
      ...ends,
      sequence: sentBy(true),
      acknowledgement,
      flags,
      window: 64240,
      urgentPointer: 0,
      options: new Uint8Array(),
    },
    new Uint8Array(length),
    addresses,
  );
}
