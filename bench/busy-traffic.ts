/** Traffic of a busy node: whole connections, or the first packets of many. */
import { encodeEthernet, etherTypes } from '../harness/packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../harness/packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags, type TcpHeader } from '../harness/packet/protocols/transport/tcp.js';
import { macOf } from '../topologies/addresses.js';
import { encodeUdp } from '../harness/packet/protocols/transport/udp.js';
import { assert } from '../harness/base/errors/errors.js';
import { randomFor } from '../harness/base/random.js';
import type { NodePlan } from '../harness/domain/plan/cluster-plan.js';
import { seed, times, podsPerNode, podAddress, nodes, ports } from './busy-node.js';

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

interface Pair {
  /** Pods here; who is elsewhere does not answer. */
  readonly from: number;
  readonly to: number | undefined;
  readonly src: string;
  readonly dst: string;
  readonly dstPort: number;
  readonly isTcp: boolean;
}

/** Of each pod of the node. */
const peersAPod = 8;

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
