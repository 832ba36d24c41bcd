/**
 * Flows in the notation of the datapath, as `ovs-appctl dpctl/dump-flows` prints them:
 * `in_port(p1),eth(src=…,dst=…),eth_type(0x0800),ipv4(…)` (lib/odp-util.c, odp_flow_format).
 */
import { complain, cut, part, shorten, span, split, type Span } from '../openflow/syntax/text.js';
import { InputError } from '../base/errors/errors.js';
import type { TlvMap } from '../openflow/syntax/form.js';
import { readLabels, readTag, type HeaderStack } from './header-stack.js';
import { readGeneveOptions } from './geneve-options.js';
import { datapathKeys, tunnelParts, type KeyParts } from './datapath-keys.js';
import { inPortText, type ArrivalPort, type ArrivingTunnel } from './datapath-ports.js';

/** Whether `text` is such a flow: keys with their parts in parentheses. */
export function isDatapathFlow(text: string): boolean {
  return /(^|[\s,])(recirc_id|in_port|eth|eth_type|ct_state|skb_priority|tunnel|packet_type)\s*\(/.test(
    text,
  );
}

export interface FlowOfDatapath {
  /** The same as `ofproto/trace` takes it with a bridge: `FIELD=VALUE`, … */
  readonly text: string;
  /** The bridge that the packet comes in at, where its port says so. */
  readonly bridge?: string;
  /** All tags and labels, of which FLOW has words for the first alone. */
  readonly headers: HeaderStack;
  /** What was left out of it. */
  readonly notes: readonly string[];
}

/** What numbers and options stand for. */
export interface DatapathNames {
  /**
   * The port that `in_port(…)` is, of a packet that came through a tunnel or not. @throws
   * InputError where that is not known.
   */
  readonly portAt: (text: string, tunnel: ArrivingTunnel | undefined) => ArrivalPort;
  readonly tunnelOptions: TlvMap;
}

/** What is collected on the way through the keys. */
interface Reading {
  readonly fields: string[];
  readonly unused: string[];
  readonly masked: string[];
  readonly tags: HeaderStack['tags'][number][];
  readonly labels: number[];
  readonly seen: Set<string>;
  readonly tunnelOptions: TlvMap;
  inPort: Span | undefined;
  ethType: Span | undefined;
}

/**
 * @throws InputError with the column in FLOW for what is no key, a key that is given twice, and a
 *   port of which it is not known which of a bridge it is.
 */
export function readDatapathFlow(text: string, names: DatapathNames): FlowOfDatapath {
  const whole = span(text.replace(/\bactions:.*$/, '').replace(/,?\s*packets:.*$/, ''), {
    file: 'FLOW',
    line: 1,
  });
  const reading: Reading = {
    fields: [],
    unused: [],
    masked: [],
    tags: [],
    labels: [],
    seen: new Set(),
    tunnelOptions: names.tunnelOptions,
    inPort: undefined,
    ethType: undefined,
  };
  readKeys(whole, reading);
  const { fields, tags, labels, masked, unused, inPort } = reading;
  const port =
    inPort === undefined
      ? undefined
      : atColumn(inPort, () => names.portAt(inPort.text, arrivingTunnel(fields)));
  const [tag] = tags;
  const given = [
    ...(port === undefined ? [] : [inPortText(port)]),
    ...fields,
    ...(tag === undefined ? [] : [`dl_vlan=${tag.vid}`, `dl_vlan_pcp=${tag.priority}`]),
    ...typeOf(reading),
  ];
  return {
    text: given.join(','),
    ...(port?.bridge === undefined ? {} : { bridge: port.bridge }),
    headers: { tags, labels },
    notes: notesOf(masked, unused),
  };
}

function notesOf(masked: readonly string[], unused: readonly string[]): readonly string[] {
  return [
    ...(masked.length === 0
      ? []
      : [
          'a megaflow stands for many packets: this is the one with the values that it gives ' +
            `for ${[...new Set(masked)].join(', ')}`,
        ]),
    ...(unused.some((value) => !/^(0x)?0+(\/.*)?$/.test(value))
      ? ['dp_hash, skb_priority and outer ports are left out: flows do not match them']
      : []),
  ];
}

function readKeys(all: Span, reading: Reading): void {
  for (const piece of split(all, /[,\s]/)) {
    const [, name = '', inner] = /^(\w+)\((.*)\)$/s.exec(piece.text) ?? [];
    if (inner === undefined) throw complain(piece, `expected KEY(…), got "${shorten(piece.text)}"`);
    const argument = part(piece, name.length + 1, piece.text.length - 1);
    readKey(name, piece, argument, reading);
  }
}

/** Tags stand in each other, each with a type: those of other keys are given once. */
function readKey(name: string, piece: Span, argument: Span, reading: Reading): void {
  if (!['encap', 'vlan', 'eth_type'].includes(name)) {
    if (reading.seen.has(name)) throw complain(piece, `${name} is given twice`);
    reading.seen.add(name);
  }
  switch (name) {
    case 'encap':
      return readKeys(argument, reading);
    case 'eth_type':
      noteMask('dl_type', argument, reading);
      reading.ethType = cut(argument, '/')[0];
      return;
    case 'vlan':
      reading.tags.push(readTag(argument, reading.tags.length, reading.ethType));
      reading.ethType = undefined;
      return;
    case 'mpls':
      reading.labels.push(...readLabels(argument));
      return;
    case 'in_port':
      reading.inPort = cut(argument, '/')[0];
      return;
    case 'packet_type':
      if (!/^ns=0,id=0(x0)?$/.test(argument.text))
        throw complain(piece, 'only packets of Ethernet are known');
      return;
  }
  const parts = datapathKeys[name];
  if (parts === undefined) throw complain(piece, `unknown key "${shorten(name)}" of a datapath`);
  const single = parts[''];
  if (single === undefined) readParts(name, argument, parts, reading);
  else put(single, argument, reading);
}

function readParts(name: string, argument: Span, parts: KeyParts, reading: Reading): void {
  const seen = new Set<string>();
  for (const one of split(argument, /[,\s]/)) {
    const [, inner] = /^(\w+)\(/.exec(one.text) ?? [];
    const [label, value] =
      inner === undefined
        ? cut(one, '=')
        : [part(one, 0, inner.length), part(one, inner.length + 1, one.text.length - 1)];
    if (seen.has(label.text)) throw complain(one, `${label.text} of ${name} is given twice`);
    seen.add(label.text);
    if (value === undefined) throw complain(one, `unknown part "${shorten(one.text)}" of ${name}`);
    if (name === 'tunnel' && label.text === 'geneve') {
      reading.fields.push(...readGeneveOptions(value, reading.tunnelOptions));
      continue;
    }
    const deeper = name === 'tunnel' ? tunnelParts[label.text] : undefined;
    if (deeper !== undefined) {
      const isGbp = /^gbp\((.*)\)$/s.exec(value.text);
      const ofExtension = isGbp === null ? value : part(value, 4, value.text.length - 1);
      readParts(label.text, ofExtension, deeper, reading);
      continue;
    }
    const field = parts[label.text];
    if (field === undefined) throw complain(one, `unknown part "${shorten(one.text)}" of ${name}`);
    put(field, value, reading);
  }
}

function noteMask(field: string, at: Span, reading: Reading): void {
  const mask = cut(at, '/')[1];
  if (mask !== undefined && !/^(0x)?f+$/i.test(mask.text)) reading.masked.push(field);
}

function put(field: string, at: Span, reading: Reading): void {
  const [value] = cut(at, '/');
  noteMask(field, at, reading);
  if (field === 'unused') reading.unused.push(at.text);
  else reading.fields.push(...fieldTexts(field, value));
}

/** The type behind all tags: as it is given, or as the keys imply it. */
function typeOf({ ethType, seen, labels }: Reading): readonly string[] {
  if (ethType !== undefined) return [`dl_type=${ethType.text}`];
  if (labels.length > 0) return ['dl_type=0x8847'];
  if (seen.has('ipv4')) return ['dl_type=0x0800'];
  if (seen.has('ipv6')) return ['dl_type=0x86dd'];
  return seen.has('arp') ? ['dl_type=0x0806'] : [];
}

/** Of a packet that came through one: Open vSwitch goes by its outer destination. */
function arrivingTunnel(fields: readonly string[]): ArrivingTunnel | undefined {
  const valueOf = (...names: readonly string[]) =>
    fields
      .filter((field) => names.includes(field.replace(/=.*/, '')))
      .map((field) => field.replace(/^[^=]*=/, ''))
      .find((value) => !/^(0\.0\.0\.0|::)$/.test(value));
  const destination = valueOf('tun_dst', 'tun_ipv6_dst');
  if (destination === undefined) return undefined;
  const source =
    valueOf('tun_src', 'tun_ipv6_src') ?? (destination.includes(':') ? '::' : '0.0.0.0');
  const id = valueOf('tun_id') ?? '0';
  return /^(0x[\da-f]+|\d+)$/i.test(id) ? { source, destination, id: BigInt(id) } : undefined;
}

function atColumn<Result>(at: Span, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof InputError && error.place === undefined) throw complain(at, error.message);
    throw error;
  }
}

function fieldTexts(field: string, { text }: Span): readonly string[] {
  switch (field) {
    case 'recirc_id':
      return /^(0x)?0+$/.test(text) ? [] : [`recirc_id=${text}`];
    case 'tos': {
      const tos = Number(text);
      return [`nw_tos=${tos & 0xfc}`, `nw_ecn=${tos & 3}`];
    }
    case 'ct_state':
      return /^(0|0x0+)$/.test(text) ? [] : [`ct_state=${flagsThatAreSet(text)}`];
    case 'tun_flags':
      return /(^|\|)(oam|\+oam)/.test(flagsThatAreSet(text)) ? ['tun_flags=oam'] : [];
    case 'tcp_flags':
      return [`tcp_flags=${flagsThatAreSet(text)}`];
    default:
      return [`${field}=${text}`];
  }
}

/** `+est-new+trk` and `est|trk` as `est|trk`; a number as it is. */
function flagsThatAreSet(text: string): string {
  if (!/[+-]/.test(text)) return text;
  return [...text.matchAll(/\+(\w+)/g)].map(([, flag]) => flag).join('|') || '0';
}
