/**
 * Shapes of flows: the flows of one cluster have few, and differ in addresses, ports and registers.
 * What is made of one flow of a shape is made of the others by putting in their values.
 */
import { assertNever } from '../../base/errors/errors.js';
import { formatIpv4 } from '../../base/addresses/mac-and-ipv4.js';
import { unquote, type PortNames } from '../syntax/ports.js';

/** A flow's text with marks for its values, and the values as canonical texts have them. */
export interface FlowShape {
  readonly shape: string;
  readonly values: readonly string[];
}

/**
 * `load-…`: written as a number, whatever field it is loaded into. `net-…`: the address of a
 * network, whose length is a part of the shape.
 */
export type FlowValueKind =
  | 'port'
  | 'mac'
  | 'ip'
  | 'net-16'
  | 'net-24'
  | 'number'
  | 'load-mac'
  | 'load-ip'
  | 'load-number';

/** Stands in a shape before the kind of a value; no text of a flow has it. */
const mark = '\u0001';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const dottedQuad = `${octet}(?:\\.${octet}){3}`;
const mac = '[0-9a-f]{2}(?::[0-9a-f]{2}){5}';
const ends = '(?=[,\\s]|$)';
const load = (digits: number, to: string) =>
  `\\b(load:)0x([1-9a-f][0-9a-f]{0,${digits - 1}})(?=->NXM_${to}\\[\\])`;
const set = (value: string, to: string) => `\\b(set_field:)(${value})(?=->${to}(?:,|$))`;
const number = '0x[1-9a-f][0-9a-f]{0,7}';
const network = (octets: number) =>
  `${octet}(?:\\.${octet}){${octets - 1}}(?:\\.0){${4 - octets}}(?=/${8 * octets}${ends})`;
const patterns: readonly (readonly [FlowValueKind, pattern: string])[] = [
  ['port', `\\b(in_port=)("[^"\\\\]*"|[A-Za-z][^,\\s"]*|[1-9]\\d{0,4})${ends}`],
  ['port', `\\b(output:)([1-9]\\d{0,4})${ends}`],
  ['mac', `\\b((?:mod_)?dl_(?:src|dst)[=:]|arp_[st]ha=)(${mac})${ends}`],
  ['ip', `\\b(nw_(?:src|dst)=|arp_[st]pa=)(${dottedQuad})${ends}`],
  ['net-24', `\\b(nw_(?:src|dst)=)(${network(3)})`],
  ['net-16', `\\b(nw_(?:src|dst)=)(${network(2)})`],
  ['mac', set(mac, '(?:eth_src|eth_dst|arp_sha|arp_tha)')],
  ['ip', set(dottedQuad, '(?:ip_src|ip_dst|arp_spa|arp_tpa|tun_src|tun_dst)')],
  ['number', set(number, 'reg\\d+')],
  ['load-mac', load(12, '(?:OF_ETH_(?:SRC|DST)|NX_ARP_[ST]HA)')],
  ['load-ip', load(8, '(?:OF_ARP_[ST]PA|OF_IP_(?:SRC|DST)|NX_TUN_IPV4_(?:SRC|DST))')],
  ['load-number', load(8, 'NX_REG\\d+')],
];
/**
 * The values of a flow that decide nothing about the rest of it, where they are not masked: what
 * stands before a value, and the value, by each of `patterns`.
 */
const valuePattern = new RegExp(patterns.map(([, pattern]) => pattern).join('|'), 'g');

/**
 * @param ports numbers by the names that the bridge's ports have in the text. @returns undefined
 *   for a text that cannot be a flow.
 */
export function shapeOf(text: string, ports: PortNames): FlowShape | undefined {
  if (text.includes(mark)) return undefined;
  const values: string[] = [];
  let [shape, end] = ['', 0];
  for (const found of text.matchAll(valuePattern)) {
    const which = patterns.findIndex((_, index) => found[2 * index + 1] !== undefined);
    const [before = '', written = ''] = [found[2 * which + 1], found[2 * which + 2]];
    const kind = patterns[which]?.[0];
    const value = kind === undefined ? undefined : canonicalValue(kind, written, ports);
    if (value === undefined) continue;
    values.push(value);
    shape += `${text.slice(end, found.index)}${before}${mark}${kind}${mark}`;
    end = found.index + found[0].length;
  }
  return { shape: shape + text.slice(end), values };
}

function canonicalValue(
  kind: FlowValueKind,
  written: string,
  ports: PortNames,
): string | undefined {
  switch (kind) {
    case 'port': {
      const number = /^\d/.test(written) ? Number(written) : ports.get(unquote(written));
      return number === undefined || number > lastNumbered ? undefined : String(number);
    }
    case 'number':
    case 'mac':
    case 'ip':
    case 'net-16':
    case 'net-24':
      return written;
    case 'load-mac':
      return macOf(written);
    case 'load-ip':
      return formatIpv4(parseInt(written, 16));
    case 'load-number':
      return `0x${written}`;
    default:
      return assertNever(kind);
  }
}

/** A shape cut at its values, so that others of it are found without looking for values. */
export interface CutShape {
  readonly shape: string;
  /** What stands before the first value, between two, and behind the last. */
  readonly pieces: readonly string[];
  readonly kinds: readonly FlowValueKind[];
}

export function cutShape(shape: string): CutShape {
  const parts = shape.split(mark);
  const kinds = parts.filter((_, index) => index % 2 === 1) as FlowValueKind[];
  const pieces = parts
    .filter((_, index) => index % 2 === 0)
    .map((piece, index) => (kinds[index]?.startsWith('load-') === true ? `${piece}0x` : piece));
  return { shape, pieces, kinds };
}

/**
 * The values of a text, where it is of this shape; undefined for one that is not, or may not be:
 * `shapeOf` knows.
 */
export function valuesOf(
  text: string,
  { pieces, kinds }: CutShape,
  ports: PortNames,
): readonly string[] | undefined {
  const first = pieces[0] ?? '';
  if (!text.startsWith(first)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (let index = 0; index < kinds.length; index++) {
    const kind = kinds[index];
    const next = pieces[index + 1] ?? '';
    const end = next === '' ? text.length : text.indexOf(next, at);
    const written = text.slice(at, end);
    if (end < 0 || kind === undefined || !wholeValue[kind].test(written)) return undefined;
    const value = canonicalValue(kind, written, ports);
    if (value === undefined) return undefined;
    values.push(value);
    at = end + next.length;
  }
  return at === text.length ? values : undefined;
}

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const wholeValue: Readonly<Record<FlowValueKind, RegExp>> = {
  port: whole('"[^"\\\\]*"|[A-Za-z][^,\\s"]*|[1-9]\\d{0,4}'),
  mac: whole(mac),
  ip: whole(dottedQuad),
  'net-16': whole(`${octet}\\.${octet}\\.0\\.0`),
  'net-24': whole(`${octet}\\.${octet}\\.${octet}\\.0`),
  number: whole(number),
  'load-mac': whole('[1-9a-f][0-9a-f]{0,11}'),
  'load-ip': whole('[1-9a-f][0-9a-f]{0,7}'),
  'load-number': whole('[1-9a-f][0-9a-f]{0,7}'),
};

/** Ports above have names of their own. */
const lastNumbered = 0xfeff;

const mostSamples = 100;

/** A flow of a shape, whose values stand nowhere else in it. */
export interface SampleFlow {
  readonly text: string;
  readonly kinds: readonly FlowValueKind[];
  /** As canonical texts have them. */
  readonly values: readonly string[];
}

/** @returns undefined for a shape of more values than can be distinguished. */
export function sampleOfShape(shape: string): SampleFlow | undefined {
  const kinds: FlowValueKind[] = [];
  const values: string[] = [];
  const text = shape.replace(/\u0001([a-z0-9-]+)\u0001/g, (_, kind: FlowValueKind) => {
    const { written, canonical } = sampleValue(kind, values.length);
    kinds.push(kind);
    values.push(canonical);
    return written;
  });
  return values.length > mostSamples ? undefined : { text, kinds, values };
}

/** A value that stands in no flow, and its canonical text. */
function sampleValue(
  kind: FlowValueKind,
  index: number,
): { readonly written: string; readonly canonical: string } {
  const hex = index.toString(16).padStart(2, '0');
  const ip = `203.0.113.${100 + index}`;
  const same = (text: string) => ({ written: text, canonical: text });
  switch (kind) {
    case 'port':
      return same(String(30_000 + index));
    case 'mac':
      return same(`0e:5a:3c:00:00:${hex}`);
    case 'ip':
      return same(ip);
    case 'net-16':
      return same(`198.${100 + index}.0.0`);
    case 'net-24':
      return same(`198.51.${100 + index}.0`);
    case 'load-mac':
      return { written: `0xe5a3c0001${hex}`, canonical: `0e:5a:3c:00:01:${hex}` };
    case 'load-ip':
      return { written: `0xcb0071${(100 + index).toString(16)}`, canonical: ip };
    case 'number':
    case 'load-number':
      return same(`0x5b4d00${hex}`);
    default:
      return assertNever(kind);
  }
}

/** `a000a0a1501` is 0a:00:0a:0a:15:01. */
function macOf(hex: string): string {
  return hex.padStart(12, '0').replace(/..(?=.)/g, '$&:');
}
