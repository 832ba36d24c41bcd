/** Which fields the packets have that a match lets through (ovs-fields(7), "Prerequisites"). */
import type { InputError } from '../../base/errors/errors.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { fragment } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { ctStateBits, fieldsNamed, type Field, type Prerequisite } from './fields.js';
import { complain, shorten, type Span } from '../syntax/text.js';
import type { FieldMatch } from './field-match.js';

/** Entries of a match, in any order. */
type Entries = readonly FieldMatch[];

/** ICMPv6's number as a protocol (RFC 4443), and its types for neighbours (RFC 4861). */
export const icmp6 = 58;
const solicit = 135n;
const advert = 136n;

/**
 * The field that goes by `name` in packets that `match` lets through; the protocol decides between
 * `tcp_src` and `udp_src` for `tp_src`.
 * @throws InputError when there is none.
 */
export function fieldIn(at: Span, name: string, match: Entries): Field {
  const rows = fieldsNamed(name);
  if (rows.length === 0) throw complain(at, `unknown field "${shorten(name)}"`);
  const fitting = rows.find((row) => allowsField(match, row));
  if (fitting === undefined)
    throw lacking(
      at,
      name,
      rows.map(({ prerequisite }) => needs[prerequisite]),
    );
  return fitting;
}

function lacking(at: Span, name: string, unmet: readonly Need[]): InputError {
  const fragments = unmet.some(({ excludesLater }) => excludesLater === true)
    ? ', and not on later fragments'
    : '';
  return complain(
    at,
    `${name} needs a match on ${unmet.map(({ words }) => words).join(' or ')} beside ` +
      `it${fragments}`,
  );
}

/** Whether the packets that `match` lets through have the field. */
export function allowsField(match: Entries, row: Field): boolean {
  return needs[row.prerequisite].isMet(match);
}

/**
 * @throws InputError when actions beside `match` do not reach the field. To them it is enough that
 *   the tracker knows a packet: they find zeros where its connection has no such address or port.
 */
export function checkReached(at: Span, { name, prerequisite }: Field, match: Entries): void {
  const need = needs[prerequisite.startsWith('ct ') ? 'ct' : prerequisite];
  if (!need.isMet(match)) throw lacking(at, name, [need]);
}

/** Whether the packets that `match` lets through are IPv4, or are IPv6. */
export function matchesIp(match: Entries): boolean {
  return needs.ip.isMet(match);
}

/** Whether the packets that `match` lets through are those that the connection tracker knows. */
export function matchesTracked(match: Entries): boolean {
  return needs.ct.isMet(match);
}

/**
 * Whether the packets that `match` lets through are those that the connection tracker could not
 * make sense of.
 */
export function matchesInvalid(match: Entries): boolean {
  return (valueIn(match, 'ct_state') & BigInt(ctStateBits.inv)) !== 0n;
}

/** A field that is not matched counts as zero, as in Open vSwitch. */
function valueIn(match: Entries, matchName: string): bigint {
  return match.find(({ field }) => field.matchName === matchName)?.value ?? 0n;
}

/** Of the packet: the Ethernet header's, or that of a packet without one. */
function typeIn(match: Entries): bigint {
  const packetType = valueIn(match, 'packet_type');
  return packetType >> 16n === 1n ? packetType & 0xffffn : valueIn(match, 'dl_type');
}

interface Need {
  /** A match that meets it. */
  readonly words: string;
  readonly excludesLater?: true;
  isMet(match: Entries): boolean;
}

const ofType = (words: string, ...types: readonly number[]): Need => ({
  words,
  isMet: (match) => types.some((known) => typeIn(match) === BigInt(known)),
});
const ipv4 = ofType('ip', etherTypes.ipv4);
const ipv6 = ofType('ipv6', etherTypes.ipv6);
const ip: Need = { words: 'ip or ipv6', isMet: (match) => ipv4.isMet(match) || ipv6.isMet(match) };
const ports = (words: string, protocol: number): Need => ({
  words,
  excludesLater: true,
  isMet: (match) =>
    ip.isMet(match) &&
    (valueIn(match, 'nw_frag') & BigInt(fragment.later)) === 0n &&
    valueIn(match, 'nw_proto') === BigInt(protocol),
});
const isIcmp6 = (match: Entries) =>
  ipv6.isMet(match) && valueIn(match, 'nw_proto') === BigInt(icmp6);
const neighbour = (...types: readonly bigint[]): Need => ({
  words: types.map((type) => `icmp6,icmp_type=${type},icmp_code=0`).join(' or '),
  isMet: (match) =>
    isIcmp6(match) &&
    types.includes(valueIn(match, 'icmp_type')) &&
    valueIn(match, 'icmp_code') === 0n,
});

/**
 * That the connection tracker knows the packet: one of these states, or tracked and not invalid.
 */
function isTracked(match: Entries): boolean {
  const { new: fresh, est, rel, rpl, snat, dnat, trk, inv } = ctStateBits;
  const state = match.find(({ field }) => field.matchName === 'ct_state') ?? {
    value: 0n,
    mask: 0n,
  };
  const isKnown = (state.value & BigInt(fresh | est | rel | rpl | snat | dnat)) !== 0n;
  return (
    isKnown ||
    ((state.value & BigInt(trk)) !== 0n && (state.mask & ~state.value & BigInt(inv)) !== 0n)
  );
}

const tracked = 'ct_state=+trk-inv';

const needs: Readonly<Record<Prerequisite, Need>> = {
  none: { words: 'nothing', isMet: () => true },
  ethernet: { words: 'packet_type=(0,0)', isMet: (match) => valueIn(match, 'packet_type') === 0n },
  mpls: ofType('mpls or mplsm', etherTypes.mpls, etherTypes.mplsMulticast),
  arp: ofType('arp or rarp', etherTypes.arp, etherTypes.rarp),
  ipv4,
  ipv6,
  ip,
  tcp: ports('tcp', ipProtocols.tcp),
  udp: ports('udp', ipProtocols.udp),
  sctp: ports('sctp', ipProtocols.sctp),
  icmp: {
    words: 'icmp',
    isMet: (match) => ipv4.isMet(match) && valueIn(match, 'nw_proto') === BigInt(ipProtocols.icmp),
  },
  icmp6: { words: 'icmp6', isMet: isIcmp6 },
  nd: neighbour(solicit, advert),
  'nd solicit': neighbour(solicit),
  'nd advert': neighbour(advert),
  ct: { words: tracked, isMet: isTracked },
  'ct ipv4': {
    words: `${tracked},ip`,
    isMet: (match) => isTracked(match) && valueIn(match, 'dl_type') === BigInt(etherTypes.ipv4),
  },
  'ct ipv6': {
    words: `${tracked},ipv6`,
    isMet: (match) => isTracked(match) && valueIn(match, 'dl_type') === BigInt(etherTypes.ipv6),
  },
  'ct ports': {
    words: `${tracked},ct_nw_proto=6`,
    isMet: (match) => isTracked(match) && valueIn(match, 'ct_nw_proto') !== 0n,
  },
  'erspan 1': {
    words: 'tun_erspan_ver=1',
    isMet: (match) => valueIn(match, 'tun_erspan_ver') === 1n,
  },
  'erspan 2': {
    words: 'tun_erspan_ver=2',
    isMet: (match) => valueIn(match, 'tun_erspan_ver') === 2n,
  },
};
