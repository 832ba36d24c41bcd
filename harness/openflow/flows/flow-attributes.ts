/**
 * What stands in a flow beside match and actions: cookie, timeouts, flags, and the counters of a
 * dump (ovs-ofctl(8), "Flow Syntax").
 */
import type { Form } from '../syntax/form.js';
import { complain, cut, parseNumber, shorten, type Span } from '../syntax/text.js';

/** Words that a controller may say with a flow, in the order in which ovs-ofctl prints them. */
export const flowFlags = [
  'send_flow_rem',
  'check_overlap',
  'reset_counts',
  'no_packet_counts',
  'no_byte_counts',
] as const;
export type FlowFlag = (typeof flowFlags)[number];

export interface Attributes {
  readonly cookie: bigint;
  /** Seconds without a packet, and seconds in all, after which the flow goes; 0 for never. */
  readonly idleTimeout: number;
  readonly hardTimeout: number;
  /** What decides whether a full table keeps it (OpenFlow 1.4, section 6.5). */
  readonly importance: number;
  /** In their own order. */
  readonly flags: readonly FlowFlag[];
}

/** What the switch counted on a flow. */
export interface Statistics {
  readonly durationNs: bigint;
  readonly packets: bigint;
  readonly bytes: bigint;
  /**
   * Seconds since the last packet, and since the last change of the flow, where the dump has them.
   */
  readonly idleAge?: number;
  readonly hardAge?: number;
}

/** The texts of attributes, by name; a flag's is its own name. */
export type AttributeTexts = ReadonlyMap<string, Span>;

const max16 = 0xffffn;
const max32 = 0xffffffffn;
const max64 = (1n << 64n) - 1n;

/** By every name that is read. */
const valued: ReadonlyMap<string, string> = new Map([
  ['table_id', 'table'],
  ...[
    'table',
    'priority',
    'cookie',
    'idle_timeout',
    'hard_timeout',
    'importance',
    'duration',
    'n_packets',
    'n_bytes',
    'idle_age',
    'hard_age',
    'n_offload_packets',
    'n_offload_bytes',
  ].map((name) => [name, name] as const),
]);
const flags: ReadonlySet<string> = new Set(flowFlags);

/**
 * Sets attributes apart from the pieces of a match. The last of several with one name counts, as in
 * Open vSwitch.
 */
export function sortPieces(all: readonly Span[]): {
  readonly attributes: AttributeTexts;
  readonly match: readonly Span[];
} {
  const attributes = new Map<string, Span>();
  const match: Span[] = [];
  for (const written of all) {
    const piece = withEqualsSign(written);
    const [name, value] = cut(piece, '=');
    const known = value === undefined ? undefined : valued.get(name.text);
    if (known !== undefined && value !== undefined) attributes.set(known, value);
    else if (value === undefined && flags.has(name.text)) attributes.set(name.text, name);
    else match.push(piece);
  }
  return { attributes, match };
}

/** `table:0` is `table=0` to Open vSwitch (lib/util.c, ofputil_parse_key_value). */
function withEqualsSign(piece: Span): Span {
  const [name = ''] = /^[a-z_0-9]+(?=:)/i.exec(piece.text) ?? [];
  return name === '' ? piece : { ...piece, text: `${name}=${piece.text.slice(name.length + 1)}` };
}

export function numberOf(texts: AttributeTexts, name: string, maximum: bigint): bigint | undefined {
  const at = texts.get(name);
  return at === undefined ? undefined : parseNumber(at, name, maximum);
}

export function parseAttributes(texts: AttributeTexts): Attributes {
  const number = (name: string) => Number(numberOf(texts, name, max16) ?? 0);
  return {
    cookie: numberOf(texts, 'cookie', max64) ?? 0n,
    idleTimeout: number('idle_timeout'),
    hardTimeout: number('hard_timeout'),
    importance: number('importance'),
    flags: flowFlags.filter((flag) => texts.has(flag)),
  };
}

/** Counters, where the text has any. */
export function parseStatistics(texts: AttributeTexts): Statistics | undefined {
  const duration = texts.get('duration');
  const [packets, bytes] = ['n_packets', 'n_bytes'].map((name) => numberOf(texts, name, max64));
  const [idleAge, hardAge] = ['idle_age', 'hard_age'].map((name) => numberOf(texts, name, max32));
  if ([duration, packets, bytes, idleAge, hardAge].every((value) => value === undefined))
    return undefined;
  return {
    durationNs: duration === undefined ? 0n : parseDuration(duration),
    packets: packets ?? 0n,
    bytes: bytes ?? 0n,
    ...(idleAge === undefined ? {} : { idleAge: Number(idleAge) }),
    ...(hardAge === undefined ? {} : { hardAge: Number(hardAge) }),
  };
}

const second = 1_000_000_000n;
const millisecond = 1_000_000n;

/** `12.345s` in nanoseconds. */
function parseDuration(at: Span): bigint {
  const [, seconds, fraction = ''] = /^(\d{1,10})(?:\.(\d{1,9}))?s?$/.exec(at.text) ?? [];
  if (seconds === undefined || BigInt(seconds) > max32)
    throw complain(at, `duration: expected seconds such as 12.345s, got "${shorten(at.text)}"`);
  return BigInt(seconds) * second + BigInt(fraction.padEnd(9, '0'));
}

/** Milliseconds where they are enough, otherwise nanoseconds. */
function printDuration(ns: bigint): string {
  const rest = ns % second;
  const fraction =
    rest === 0n
      ? ''
      : rest % millisecond === 0n
        ? `.${String(rest / millisecond).padStart(3, '0')}`
        : `.${String(rest).padStart(9, '0')}`;
  return `${ns / second}${fraction}s`;
}

/**
 * What comes before priority and match in a line of a dump: `cookie=0x1, duration=2s, table=3,
 * n_packets=0, …`. OpenFlow 1.0 has no flags, only 1.4 and later have importance, and only OpenFlow
 * 1.0's and 1.5's replies have ages.
 * @param table `table=3, `, or nothing.
 */
export function printAttributes(
  attributes: Attributes,
  statistics: Statistics | undefined,
  table: string,
  { protocol }: Form,
): string {
  const { cookie, idleTimeout, hardTimeout, importance } = attributes;
  const ages = protocol === 'OpenFlow13' ? undefined : statistics;
  return [
    statistics === undefined && cookie === 0n ? '' : `cookie=0x${cookie.toString(16)}, `,
    statistics === undefined ? '' : `duration=${printDuration(statistics.durationNs)}, `,
    table,
    statistics === undefined
      ? ''
      : `n_packets=${statistics.packets}, n_bytes=${statistics.bytes}, `,
    idleTimeout === 0 ? '' : `idle_timeout=${idleTimeout}, `,
    hardTimeout === 0 ? '' : `hard_timeout=${hardTimeout}, `,
    ...(protocol === 'OpenFlow10' ? [] : attributes.flags.map((flag) => `${flag} `)),
    importance === 0 || protocol !== 'OpenFlow15' ? '' : `importance=${importance}, `,
    ages?.idleAge === undefined ? '' : `idle_age=${ages.idleAge}, `,
    ages?.hardAge === undefined ? '' : `hard_age=${ages.hardAge}, `,
  ].join('');
}
