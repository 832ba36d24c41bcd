/** What a guest has sent by itself, and what of it the fabric's guest sends as well. */
import { dissect } from '../../packet/dissect/dissect.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import { createHost } from '../../fabric/stack/host.js';
import { receive } from '../../fabric/stack/host-stack.js';
import type { PortAt, SeenFrame } from '../live-network.js';

const fieldsOf = (frame: Uint8Array) =>
  new Map(dissect(frame).map(({ name, value }) => [name, value]));

/** A frame's kind, by what it says: `ARP: who has 10.10.1.1?`, `RARP of 0a:58:…`. */
export function kindOf(frame: Uint8Array): string {
  const fields = fieldsOf(frame);
  const of = (name: string) => fields.get(name) ?? '';
  const type = of('eth.type');
  if (type === '0x8035') return `RARP of ${of('eth.src')}`;
  if (type === '0x0806') {
    if (of('arp.spa') === of('arp.tpa')) return `ARP: an announcement of ${of('arp.spa')}`;
    if (of('arp.spa') === '0.0.0.0') return `ARP: a probe for ${of('arp.tpa')}`;
    return of('arp.op') === '1'
      ? `ARP: who has ${of('arp.tpa')}?`
      : `ARP: ${of('arp.spa')} is at ${of('arp.sha')}`;
  }
  if (type === '0x86dd') return icmp6Kinds[of('icmp6.type')] ?? 'IPv6';
  if (of('ip.protocol') === '1')
    return of('icmp.type') === '8' ? 'ICMP: echo requests' : `ICMP: type ${of('icmp.type')}`;
  if (of('ip.protocol') === '6') return 'TCP';
  if (of('udp.dst') === '67') return 'DHCP';
  return `IP protocol ${of('ip.protocol')}`;
}

const icmp6Kinds: Readonly<Record<string, string>> = {
  '133': 'ICMPv6: router solicitations',
  '135': 'ICMPv6: neighbour solicitations',
  '136': 'ICMPv6: neighbour advertisements',
  '143': 'ICMPv6: multicast listener reports',
};

export interface Kind {
  readonly kind: string;
  readonly frames: number;
}

/** What came from a port, in kinds, in the order in which each came first. */
export function kindsFrom(
  seen: readonly SeenFrame[],
  { node, port }: PortAt,
  fromMs = -Infinity,
): readonly Kind[] {
  const counts = new Map<string, number>();
  for (const one of seen)
    if (
      one.node === node &&
      one.port === port &&
      one.direction === 'to the switch' &&
      one.atMs >= fromMs
    ) {
      const kind = kindOf(one.frame);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  return [...counts].map(([kind, frames]) => ({ kind, frames }));
}

export interface ModelComparison {
  /** Frames of the guest to which the fabric's has the same answer. */
  readonly alike: number;
  /** Answers that the real one has not given, or not so. */
  readonly differences: readonly string[];
}

/**
 * What a stack may choose: an identification, and the checksum over it (RFC 791, RFC 6864). Linux
 * lets its own answers by ICMP be fragmented (net/ipv4/icmp.c, IP_PMTUDISC_DONT), the fabric's does
 * not: no switch here matches it.
 */
const free = /^ip\.(identification|checksum|fragment)$/;

/** A port at which the guest was, and when. */
export interface Stay {
  readonly place: PortAt;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * What the switch hands to a guest is handed to the fabric's in its place; what it answers to ARP
 * requests and to echo requests is held to what the real one has sent.
 */
export function compareWithModel(
  seen: readonly SeenFrame[],
  plan: HostPlan,
  stays: readonly Stay[],
): ModelComparison {
  const [via] = plan.interfaces;
  if (via === undefined) return { alike: 0, differences: [] };
  const random = { identifier: 0, srcPort: 0, payload: Uint8Array.of() };
  const host = createHost(plan, { ...random, sequences: { opener: 0, answerer: 0 } });
  const isAt = (one: SeenFrame, { node, port }: PortAt) => one.node === node && one.port === port;
  const answers = new Map<string, number>();
  for (const one of seen)
    if (one.direction === 'to the switch' && stays.some(({ place }) => isAt(one, place)))
      count(answers, comparable(one.frame), 1);
  let alike = 0;
  const differences: string[] = [];
  for (const one of seen) {
    const { frame, atMs, direction } = one;
    const isThere = stays.some(
      ({ place, fromMs, untilMs }) => isAt(one, place) && atMs >= fromMs && atMs < untilMs,
    );
    if (direction !== 'from the switch' || !isThere) continue;
    for (const effect of receive(host, via, frame)) {
      if (effect.kind !== 'send' || !isAnswer(effect.frame)) continue;
      const wanted = comparable(effect.frame);
      if ((answers.get(wanted) ?? 0) === 0)
        differences.push(`the model's guest answers ${kindOf(frame)} with ${wanted}`);
      else {
        count(answers, wanted, -1);
        alike++;
      }
    }
  }
  return { alike, differences };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** TCP of the fabric has other sequence numbers, and of neighbours the real one knows others. */
function isAnswer(frame: Uint8Array): boolean {
  const fields = fieldsOf(frame);
  return fields.get('arp.op') === '2' || fields.get('icmp.type') === '0';
}

function comparable(frame: Uint8Array): string {
  return dissect(frame)
    .filter(({ name }) => !free.test(name))
    .map(({ name, value }) => `${name}=${value}`)
    .join(' ');
}
