/** Matches: which packets a flow is for. */
import { etherTypes } from '../packet/ethernet.js';
import { fragment } from '../packet/flow-key.js';
import { ipProtocols } from '../packet/ipv4.js';
import { ctStateBits, fields, fieldsNamed, type Field, type Prerequisite } from './fields.js';
import type { Names } from './form.js';
import { complain, cut, shorten, type Span } from './text.js';
import { parseMasked, printMasked, type Masked } from './values.js';

export interface FieldMatch extends Masked {
  readonly field: Field;
}

/** At most one entry a field, in the order of the field table. */
export type Match = readonly FieldMatch[];

/** Words that stand for dl_type and nw_proto (ovs-ofctl(8), "Flow Syntax"). */
const protocolWords: Readonly<Record<string, { readonly type: number; readonly protocol?: number }>> = {
  ip: { type: etherTypes.ipv4 },
  arp: { type: etherTypes.arp },
  icmp: { type: etherTypes.ipv4, protocol: ipProtocols.icmp },
  tcp: { type: etherTypes.ipv4, protocol: ipProtocols.tcp },
  udp: { type: etherTypes.ipv4, protocol: ipProtocols.udp },
  sctp: { type: etherTypes.ipv4, protocol: ipProtocols.sctp },
  ipv6: { type: etherTypes.ipv6 },
  rarp: { type: etherTypes.rarp },
  mpls: { type: etherTypes.mpls },
  mplsm: { type: etherTypes.mplsMulticast },
};

/** Reads `ip`, `nw_dst=10.0.0.0/8`, …; a field whose prerequisite is missing is refused, as Open vSwitch does. */
export function parseMatch(pieces: readonly Span[], names: Names): Match {
  const found = new Map<Field, FieldMatch>();
  const put = (at: Span, entry: FieldMatch) => {
    const before = found.get(entry.field);
    if (before !== undefined && (before.value !== entry.value || before.mask !== entry.mask)) throw complain(at, `${entry.field.matchName} is matched twice`);
    found.set(entry.field, entry);
  };
  const later: [Span, Span][] = [];
  for (const piece of pieces) {
    const [name, value] = cut(piece, '=');
    const word = value === undefined && Object.hasOwn(protocolWords, name.text) ? protocolWords[name.text] : undefined;
    if (word !== undefined) {
      put(piece, exact('dl_type', word.type));
      if (word.protocol !== undefined) put(piece, exact('nw_proto', word.protocol));
    } else if (value === undefined) {
      throw complain(name, `expected FIELD=VALUE or one of ${Object.keys(protocolWords).join(', ')}, got "${shorten(name.text)}"`);
    } else {
      later.push([name, value]);
    }
  }
  // What decides the fields that a packet has comes first, so that `tp_dst=80,tcp` and `tcp,tp_dst=80` are the same.
  const decides = ([name]: [Span, Span]) => (/^(dl|eth)_type$/.test(name.text) ? 0 : /^(nw_proto|ip_proto|nw_frag|ip_frag)$/.test(name.text) ? 1 : 2);
  for (const [name, value] of later.sort((a, b) => decides(a) - decides(b))) {
    const field = fieldIn(name, name.text === 'ip_proto' ? 'nw_proto' : name.text, [...found.values()]);
    const masked = parseMasked(field, value, names.ports);
    put(name, { field, ...(field.name === 'vlan_tci' ? tagMatch(value, masked) : masked) });
  }
  return fields.flatMap((field) => found.get(field) ?? []).filter((entry) => entry.mask !== 0n);
}

/** As ovs-ofctl prints it, in its order. */
export function printMatch(match: Match): string {
  const type = valueOf(match, 'dl_type');
  const proto = valueOf(match, 'nw_proto');
  const entry = Object.entries(protocolWords).find(([, known]) => BigInt(known.type) === type && known.protocol !== undefined && BigInt(known.protocol) === proto)
    ?? Object.entries(protocolWords).find(([, known]) => BigInt(known.type) === type && known.protocol === undefined);
  const hidden = (field: Field) => entry !== undefined && (field.matchName === 'dl_type' || (field.matchName === 'nw_proto' && entry[1].protocol !== undefined));
  const printed = match.filter(({ field }) => !hidden(field)).map((part) => ({ field: part.field, text: printOne(part) }));
  // Open vSwitch prints the protocol after the connection fields and before the registers.
  const early = (field: Field) => /^(pkt_mark|ct_)/.test(field.name);
  const before = printed.filter(({ field }) => early(field));
  const after = printed.filter(({ field }) => !early(field));
  return [...before.map(({ text }) => text), ...(entry === undefined ? [] : [entry[0]]), ...after.map(({ text }) => text)].join(',');
}

function printOne({ field, value, mask }: FieldMatch): string {
  return `${field.matchName}=${printMasked(field, { value, mask })}`;
}

/**
 * The field that goes by `name` in packets that `match` lets through; the protocol tells `tcp_src` from `udp_src` behind `tp_src`.
 * @throws InputError when there is none.
 */
export function fieldIn(at: Span, name: string, match: Match): Field {
  const rows = fieldsNamed(name);
  if (rows.length === 0) throw complain(at, `unknown field "${shorten(name)}"`);
  const fitting = rows.find((row) => allowsField(match, row));
  if (fitting === undefined) throw complain(at, `${name} needs a match on ${rows.map((row) => row.prerequisite).join(' or ')} beside it${arePorts(rows) ? ', and not on later fragments' : ''}`);
  return fitting;
}

function arePorts(rows: readonly Field[]): boolean {
  return rows.every(({ prerequisite }) => prerequisite === 'tcp' || prerequisite === 'udp');
}

/** Whether the packets that `match` lets through have the field (ovs-fields(7), "Prerequisites"). */
export function allowsField(match: Match, row: Field): boolean {
  return satisfied(row.prerequisite, match);
}

/** Whether the packets that `match` lets through are IPv4, or are IPv6. */
export function matchesIp(match: Match): boolean {
  const type = valueOf(match, 'dl_type');
  return type === BigInt(etherTypes.ipv4) || type === BigInt(etherTypes.ipv6);
}

/** Whether the packets that `match` lets through are those that the connection tracker could not make sense of. */
export function matchesInvalid(match: Match): boolean {
  return ((valueOf(match, 'ct_state') ?? 0n) & BigInt(ctStateBits.inv)) !== 0n;
}

/** Whether there is a VLAN tag. More of it Open vSwitch would print as dl_vlan and dl_vlan_pcp, which are not known here. */
function tagMatch(at: Span, { value, mask }: Masked): Masked {
  if (value === 0n && mask === 0xffffn) return { value, mask: 0x1fffn };
  if ((value === 0n && (mask === 0x1fffn || mask === 0x1000n)) || (value === 0x1000n && mask === 0x1000n)) return { value, mask };
  throw complain(at, `vlan_tci: expected 0x0000/0x1fff (no tag) or 0x1000/0x1000 (a tag), got "${shorten(at.text)}"`);
}

function satisfied(prerequisite: Prerequisite, match: Match): boolean {
  const type = valueOf(match, 'dl_type');
  const proto = valueOf(match, 'nw_proto');
  const isIp = type === BigInt(etherTypes.ipv4);
  const isLater = ((valueOf(match, 'nw_frag') ?? 0n) & BigInt(fragment.later)) !== 0n;
  switch (prerequisite) {
    case 'none':
      return true;
    case 'arp':
      return type === BigInt(etherTypes.arp);
    case 'ip':
      return isIp;
    case 'tcp':
    case 'udp':
      return isIp && !isLater && proto === BigInt(ipProtocols[prerequisite]);
    case 'icmp':
      return isIp && proto === BigInt(ipProtocols.icmp);
  }
}

function valueOf(match: Match, matchName: string): bigint | undefined {
  return match.find(({ field }) => field.matchName === matchName)?.value;
}

function exact(matchName: string, value: number): FieldMatch {
  const [field] = fieldsNamed(matchName);
  if (field === undefined) throw new Error(`bug in flowbed: no field ${matchName}`);
  return { field, value: BigInt(value), mask: field.ones };
}
