/** Translated connections, and how long they last. */
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import type { NatPlan } from '../../domain/plan/nat-plan.js';
import type { Tuple } from './connection-tuple.js';

export interface NatConnection {
  /** As the first packet came, and as it left. */
  readonly original: Tuple;
  readonly translated: Tuple;
  /** When an answer was first seen. */
  answeredUs?: number;
  expiresUs: number;
}

export const second = 1_000_000;

/**
 * Linux's defaults (nf_conntrack-sysctl): nf_conntrack_udp_timeout and its stream's,
 * nf_conntrack_icmp_timeout, and of TCP that of connections which stand. States of TCP are not
 * followed: one that is not answered goes like a datagram, and one that is closed is remembered for
 * longer than it need be.
 */
const lifetimes = {
  unanswered: 30 * second,
  stream: 120 * second,
  streamAfter: 2 * second,
  tcp: 432_000 * second,
} as const;

export function firstLifetimeUs({ lifetimes: planned }: NatPlan, protocol: number): number {
  if (planned === undefined) return lifetimes.unanswered;
  return (
    second *
    (protocol === ipProtocols.icmp
      ? planned.icmpS
      : protocol === ipProtocols.udp
        ? planned.udpS
        : planned.tcpTransientS)
  );
}

export function lifetimeOf(
  plan: NatPlan,
  protocol: number,
  { answeredUs }: NatConnection,
  nowUs: number,
): number {
  if (plan.lifetimes !== undefined)
    return protocol === ipProtocols.tcp && answeredUs !== undefined
      ? plan.lifetimes.tcpEstablishedS * second
      : firstLifetimeUs(plan, protocol);
  if (answeredUs === undefined || protocol === ipProtocols.icmp) return lifetimes.unanswered;
  if (protocol === ipProtocols.udp)
    return nowUs - answeredUs >= lifetimes.streamAfter ? lifetimes.stream : lifetimes.unanswered;
  return lifetimes.tcp;
}
