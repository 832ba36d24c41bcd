/** Which fields the packets have that a match lets through (ovs-fields(7), "Prerequisites"). */
import { etherTypes } from '../packet/ethernet.js';
import { fragment } from '../packet/flow-key.js';
import { ipProtocols } from '../packet/ipv4.js';
import { ctStateBits, fieldsNamed, type Field, type Prerequisite } from './fields.js';
import { complain, shorten, type Span } from './text.js';
import type { FieldMatch } from './match.js';

/** Entries of a match, in any order. */
type Entries = readonly FieldMatch[];

/** ICMPv6's number as a protocol (RFC 4443), and its types for neighbours (RFC 4861). */
export const icmp6 = 58;
const solicit = 135n;
const advert = 136n;

/**
 * The field that goes by `name` in packets that `match` lets through; the protocol tells `tcp_src` from `udp_src` behind `tp_src`.
 * @throws InputError when there is none.
 */
export function fieldIn(at: Span, name: string, match: Entries): Field {
  const rows = fieldsNamed(name);
  const [first] = rows;
  if (first === undefined) throw complain(at, `unknown field "${shorten(name)}"`);
  if (rows.length === 1 && first.prerequisite === 'none') return first;
  const fitting = rows.find((row) => allowsField(match, row));
  if (fitting === undefined) {
    const fragments = rows.some(({ prerequisite }) => needs[prerequisite].excludesLater === true) ? ', and not on later fragments' : '';
    throw complain(at, `${name} needs a match on ${rows.map((row) => needs[row.prerequisite].words).join(' or ')} beside it${fragments}`);
  }
  return fitting;
}

/** Whether the packets that `match` lets through have the field. */
export function allowsField(match: Entries, row: Field): boolean {
  return row.prerequisite === 'none' || needs[row.prerequisite].isMet(factsOf(match));
}

/**
 * @throws InputError when actions beside `match` do not reach the field. To them it is enough that the tracker knows a packet: they
 * find zeros where its connection has no such address or port.
 */
export function checkReached(at: Span, { name, prerequisite }: Field, match: Entries): void {
  const need = needs[prerequisite.startsWith('ct ') ? 'ct' : prerequisite];
  if (!need.isMet(factsOf(match))) throw complain(at, `${name} needs a match on ${need.words} beside it${need.excludesLater === true ? ', and not on later fragments' : ''}`);
}

/** Whether the packets that `match` lets through are IPv4, or are IPv6. */
export function matchesIp(match: Entries): boolean {
  return needs.ip.isMet(factsOf(match));
}

/** Whether the packets that `match` lets through are those that the connection tracker knows. */
export function matchesTracked(match: Entries): boolean {
  return needs.ct.isMet(factsOf(match));
}

/** Whether the packets that `match` lets through are those that the connection tracker could not make sense of. */
export function matchesInvalid(match: Entries): boolean {
  return (factsOf(match).ctState & BigInt(ctStateBits.inv)) !== 0n;
}

/** What prerequisites ask about. A field that is not matched counts as zero, as in Open vSwitch. */
interface Facts {
  /** Of the Ethernet header. */
  readonly etherType: bigint;
  /** Of the packet: the Ethernet header's, or that of a packet without one. */
  readonly type: bigint;
  readonly isEthernet: boolean;
  readonly protocol: bigint;
  readonly isLater: boolean;
  readonly icmpType: bigint;
  readonly icmpCode: bigint;
  readonly ctState: bigint;
  readonly ctStateMask: bigint;
  readonly ctProtocol: bigint;
  readonly erspan: bigint;
}

function factsOf(match: Entries): Facts {
  const entry = (matchName: string) => match.find(({ field }) => field.matchName === matchName);
  const value = (matchName: string) => entry(matchName)?.value ?? 0n;
  // Most prerequisites ask about one of them.
  return {
    get etherType() { return value('dl_type'); },
    get type() { return value('packet_type') >> 16n === 1n ? value('packet_type') & 0xffffn : value('dl_type'); },
    get isEthernet() { return value('packet_type') === 0n; },
    get protocol() { return value('nw_proto'); },
    get isLater() { return (value('nw_frag') & BigInt(fragment.later)) !== 0n; },
    get icmpType() { return value('icmp_type'); },
    get icmpCode() { return value('icmp_code'); },
    get ctState() { return value('ct_state'); },
    get ctStateMask() { return entry('ct_state')?.mask ?? 0n; },
    get ctProtocol() { return value('ct_nw_proto'); },
    get erspan() { return value('tun_erspan_ver'); },
  };
}

interface Need {
  /** A match that meets it. */
  readonly words: string;
  readonly excludesLater?: true;
  isMet(facts: Facts): boolean;
}

const ofType = (words: string, ...types: readonly number[]): Need => ({ words, isMet: ({ type }) => types.some((known) => type === BigInt(known)) });
const ipv4 = ofType('ip', etherTypes.ipv4);
const ipv6 = ofType('ipv6', etherTypes.ipv6);
const ip: Need = { words: 'ip or ipv6', isMet: (facts) => ipv4.isMet(facts) || ipv6.isMet(facts) };
const ports = (words: string, protocol: number): Need => ({
  words, excludesLater: true,
  isMet: (facts) => ip.isMet(facts) && !facts.isLater && facts.protocol === BigInt(protocol),
});
const isIcmp6 = (facts: Facts) => ipv6.isMet(facts) && facts.protocol === BigInt(icmp6);
const neighbour = (...types: readonly bigint[]): Need => ({
  words: types.map((type) => `icmp6,icmp_type=${type},icmp_code=0`).join(' or '),
  isMet: (facts) => isIcmp6(facts) && types.includes(facts.icmpType) && facts.icmpCode === 0n,
});

/** That the connection tracker knows the packet: one of these states, or tracked and not invalid. */
function isTracked({ ctState, ctStateMask }: Facts): boolean {
  const { new: fresh, est, rel, rpl, snat, dnat, trk, inv } = ctStateBits;
  const isKnown = (ctState & BigInt(fresh | est | rel | rpl | snat | dnat)) !== 0n;
  return isKnown || ((ctState & BigInt(trk)) !== 0n && (ctStateMask & ~ctState & BigInt(inv)) !== 0n);
}

const tracked = 'ct_state=+trk-inv';

const needs: Readonly<Record<Prerequisite, Need>> = {
  none: { words: 'nothing', isMet: () => true },
  ethernet: { words: 'packet_type=(0,0)', isMet: ({ isEthernet }) => isEthernet },
  mpls: ofType('mpls or mplsm', etherTypes.mpls, etherTypes.mplsMulticast),
  arp: ofType('arp or rarp', etherTypes.arp, etherTypes.rarp),
  ipv4,
  ipv6,
  ip,
  tcp: ports('tcp', ipProtocols.tcp),
  udp: ports('udp', ipProtocols.udp),
  sctp: ports('sctp', ipProtocols.sctp),
  icmp: { words: 'icmp', isMet: (facts) => ipv4.isMet(facts) && facts.protocol === BigInt(ipProtocols.icmp) },
  icmp6: { words: 'icmp6', isMet: isIcmp6 },
  nd: neighbour(solicit, advert),
  'nd solicit': neighbour(solicit),
  'nd advert': neighbour(advert),
  ct: { words: tracked, isMet: isTracked },
  'ct ipv4': { words: `${tracked},ip`, isMet: (facts) => isTracked(facts) && facts.etherType === BigInt(etherTypes.ipv4) },
  'ct ipv6': { words: `${tracked},ipv6`, isMet: (facts) => isTracked(facts) && facts.etherType === BigInt(etherTypes.ipv6) },
  'ct ports': { words: `${tracked},ct_nw_proto=6`, isMet: (facts) => isTracked(facts) && facts.ctProtocol !== 0n },
  'erspan 1': { words: 'tun_erspan_ver=1', isMet: ({ erspan }) => erspan === 1n },
  'erspan 2': { words: 'tun_erspan_ver=2', isMet: ({ erspan }) => erspan === 2n },
};
