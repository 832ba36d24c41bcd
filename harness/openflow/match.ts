/** Matches: which packets a flow is for. */
import { etherType, protocol } from '../packet/flow-key.js';
import { fields, fieldsNamed, type Field, type Prerequisite } from './fields.js';
import type { PortNames } from './ports.js';
import { complain, cut, shorten, type Span } from './text.js';
import { parseMasked, printMasked, type Masked } from './values.js';

export interface FieldMatch extends Masked {
  readonly field: Field;
}

/** At most one entry a field, in the order of the field table. */
export type Match = readonly FieldMatch[];

/** Words that stand for dl_type and nw_proto (ovs-ofctl(8), "Flow Syntax"). */
const protocolWords: Readonly<Record<string, { readonly type: number; readonly protocol?: number }>> = {
  ip: { type: etherType.ipv4 },
  arp: { type: etherType.arp },
  icmp: { type: etherType.ipv4, protocol: protocol.icmp },
  tcp: { type: etherType.ipv4, protocol: protocol.tcp },
  udp: { type: etherType.ipv4, protocol: protocol.udp },
  sctp: { type: etherType.ipv4, protocol: protocol.sctp },
};

/** Reads `ip`, `nw_dst=10.0.0.0/8`, …; a field whose prerequisite is missing is refused, as Open vSwitch does. */
export function parseMatch(pieces: readonly Span[], ports: PortNames): Match {
  const found = new Map<Field, FieldMatch>();
  const put = (at: Span, entry: FieldMatch) => {
    const before = found.get(entry.field);
    if (before !== undefined && (before.value !== entry.value || before.mask !== entry.mask)) throw complain(at, `${entry.field.matchName} is matched twice`);
    found.set(entry.field, entry);
  };
  const later: [Span, Span][] = [];
  for (const piece of pieces) {
    const [name, value] = cut(piece, '=');
    const word = value === undefined ? protocolWords[name.text] : undefined;
    if (word !== undefined) {
      put(piece, exact('dl_type', word.type));
      if (word.protocol !== undefined) put(piece, exact('nw_proto', word.protocol));
    } else if (value === undefined) {
      throw complain(name, `expected FIELD=VALUE or one of ${Object.keys(protocolWords).join(', ')}, got "${shorten(name.text)}"`);
    } else {
      later.push([name, value]);
    }
  }
  // What decides the protocol first, so that `tp_dst=80,tcp` and `tcp,tp_dst=80` are the same.
  const decides = ([name]: [Span, Span]) => (name.text === 'dl_type' || name.text === 'eth_type' ? 0 : name.text === 'nw_proto' || name.text === 'ip_proto' ? 1 : 2);
  for (const [name, value] of later.sort((a, b) => decides(a) - decides(b))) {
    const field = chooseField(name, found);
    put(name, { field, ...parseMasked(field, value, ports) });
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

function chooseField(name: Span, found: ReadonlyMap<Field, FieldMatch>): Field {
  const rows = fieldsNamed(name.text === 'ip_proto' ? 'nw_proto' : name.text);
  const [first] = rows;
  if (first === undefined) throw complain(name, `unknown field "${shorten(name.text)}"`);
  const match = [...found.values()];
  const fitting = rows.find((row) => satisfied(row.prerequisite, match));
  if (fitting === undefined) throw complain(name, `${name.text} needs a match on ${rows.map((row) => row.prerequisite).join(' or ')} beside it`);
  return fitting;
}

function satisfied(prerequisite: Prerequisite, match: Match): boolean {
  const type = valueOf(match, 'dl_type');
  const proto = valueOf(match, 'nw_proto');
  const isIp = type === BigInt(etherType.ipv4);
  switch (prerequisite) {
    case 'none':
      return true;
    case 'arp':
      return type === BigInt(etherType.arp);
    case 'ip':
      return isIp;
    case 'tcp':
    case 'udp':
    case 'icmp':
      return isIp && proto === BigInt(protocol[prerequisite]);
  }
}

function valueOf(match: Match, matchName: string): bigint | undefined {
  return match.find(({ field }) => field.matchName === matchName)?.value;
}

function exact(matchName: string, value: number): FieldMatch {
  const [field] = fieldsNamed(matchName);
  if (field === undefined) throw new Error(`bug in flowbed: no field ${matchName}`);
  return { field, value: BigInt(value), mask: (1n << BigInt(field.bits)) - 1n };
}
