/**
 * Canonical texts of flows, without reading most of them: the flows of one cluster have few shapes,
 * and differ in addresses and ports. Of each shape one is read, with marks for the values that
 * decide nothing; the others are filled in.
 */
import { assertNever, InputError } from '../../base/errors/errors.js';
import { formatIpv4 } from '../../base/addresses/mac-and-ipv4.js';
import { actionsReader } from '../actions/known-actions.js';
import type { Names } from '../syntax/form.js';
import { unquote } from '../syntax/ports.js';
import { parseFlow, printFlow } from './flow.js';

/** As `printFlow(parseFlow(text, names, place))`. @throws InputError as `parseFlow`. */
export type FlowTextReader = (text: string, place: Place) => string;

interface Place {
  readonly file: string;
  readonly line: number;
}

/** A canonical text with gaps, and which value each of them takes. */
interface Template {
  readonly pieces: readonly string[];
  readonly gaps: readonly number[];
}

/** More would cost more memory than they save time. */
const mostShapes = 10_000;

/** Of all clusters: what a shape becomes depends on nothing but itself. */
const known = new Map<string, Template | 'to be read'>();

/** @returns a reader for the flows of one bridge. */
export function flowTextReader(names: Names): FlowTextReader {
  const readActions = actionsReader();
  const print = (text: string, place: Place) =>
    printFlow(parseFlow(text, names, place, readActions));
  if (names.tables.size > 0 || names.tunnelOptions.size > 0) return print;
  return (text, place) => {
    if (text.includes(mark)) return print(text, place);
    const { shape, values } = shapeOf(text, names);
    let template = known.get(shape);
    if (template === undefined) {
      const whole = print(text, place);
      template = templateOf(shape, values.length);
      // A shape that is not filled in as it reads is read each time.
      if (template === undefined || fill(template, values) !== whole) template = 'to be read';
      if (known.size < mostShapes) known.set(shape, template);
      return whole;
    }
    return template === 'to be read' ? print(text, place) : fill(template, values);
  };
}

function fill({ pieces, gaps }: Template, values: readonly string[]): string {
  let text = pieces[0] ?? '';
  for (let index = 0; index < gaps.length; index++)
    text += `${values[gaps[index] ?? 0]}${pieces[index + 1]}`;
  return text;
}

/** Stands in a shape before the kind of a value; no text of a flow has it. */
const mark = '\u0001';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ip = `${octet}(?:\\.${octet}){3}`;
const mac = '[0-9a-f]{2}(?::[0-9a-f]{2}){5}';
const ends = '(?=[,\\s]|$)';
const load = (digits: number, to: string) =>
  `\\b(load:)0x([1-9a-f][0-9a-f]{0,${digits - 1}})(?=->NXM_${to}\\[\\])`;
/**
 * The values of a flow that decide nothing about the rest of it, where they are not masked: what
 * stands before a value, and the value, for each kind of `kinds`.
 */
const valuePattern = new RegExp(
  [
    `\\b(in_port=)("[^"\\\\]*"|[A-Za-z][^,\\s"]*)${ends}`,
    `\\b((?:mod_)?dl_(?:src|dst)[=:]|arp_[st]ha=)(${mac})${ends}`,
    `\\b(nw_(?:src|dst)=|arp_[st]pa=)(${ip})${ends}`,
    load(12, '(?:OF_ETH_(?:SRC|DST)|NX_ARP_[ST]HA)'),
    load(8, '(?:OF_ARP_[ST]PA|OF_IP_(?:SRC|DST)|NX_TUN_IPV4_(?:SRC|DST))'),
    load(8, 'NX_REG\\d+'),
  ].join('|'),
  'g',
);
const kinds = ['port', 'mac', 'ip', 'load-mac', 'load-ip', 'load-number'] as const;
type Kind = (typeof kinds)[number];

/** A flow's text with marks for its values, and the values as canonical texts have them. */
function shapeOf(
  text: string,
  { ports }: Names,
): { readonly shape: string; readonly values: readonly string[] } {
  const values: string[] = [];
  let [shape, end] = ['', 0];
  for (const found of text.matchAll(valuePattern)) {
    const which = kinds.findIndex((_, index) => found[2 * index + 1] !== undefined);
    const [kind, before = '', written = ''] = [
      kinds[which],
      found[2 * which + 1],
      found[2 * which + 2],
    ];
    const value = kind === undefined ? undefined : canonicalValue(kind, written, ports);
    if (value === undefined) continue;
    values.push(value);
    shape += `${text.slice(end, found.index)}${before}${mark}${kind}${mark}`;
    end = found.index + found[0].length;
  }
  return { shape: shape + text.slice(end), values };
}

function canonicalValue(kind: Kind, written: string, ports: Names['ports']): string | undefined {
  switch (kind) {
    case 'port': {
      const number = ports.get(unquote(written));
      return number === undefined || number > lastNumbered ? undefined : String(number);
    }
    case 'mac':
    case 'ip':
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

/** Ports above have names of their own. */
const lastNumbered = 0xfeff;

/**
 * What a shape becomes: the canonical text of a flow with values that stand nowhere else; undefined
 * where one of them does not come out once, or where the shape holds names of one bridge.
 */
function templateOf(shape: string, count: number): Template | undefined {
  const samples: string[] = [];
  const text = shape.replace(/\u0001([a-z-]+)\u0001/g, (_, kind: Kind) => {
    const { written, canonical } = sampleOf(kind, samples.length);
    samples.push(canonical);
    return written;
  });
  if (samples.length !== count) return undefined;
  const printed = printedWithoutNames(text);
  if (printed === undefined || samples.length > mostSamples) return undefined;
  const found = samples
    .map((sample, gap) => ({ sample, gap, at: printed.indexOf(sample) }))
    .sort((one, other) => one.at - other.at);
  let end = 0;
  const pieces: string[] = [];
  for (const { sample, at } of found) {
    if (at < end || printed.includes(sample, at + 1)) return undefined;
    pieces.push(printed.slice(end, at));
    end = at + sample.length;
  }
  return { pieces: [...pieces, printed.slice(end)], gaps: found.map(({ gap }) => gap) };
}

const mostSamples = 100;

/** A value that stands in no flow, and its canonical text. */
function sampleOf(
  kind: Kind,
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
    case 'load-mac':
      return { written: `0xe5a3c0001${hex}`, canonical: `0e:5a:3c:00:01:${hex}` };
    case 'load-ip':
      return { written: `0xcb0071${(100 + index).toString(16)}`, canonical: ip };
    case 'load-number':
      return same(`0x5a3c00${hex}`);
    default:
      return assertNever(kind);
  }
}

function printedWithoutNames(text: string): string | undefined {
  try {
    return printFlow(parseFlow(text));
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** `a000a0a1501` is 0a:00:0a:0a:15:01. */
function macOf(hex: string): string {
  return hex.padStart(12, '0').replace(/..(?=.)/g, '$&:');
}
