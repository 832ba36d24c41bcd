/** Matches: which packets a flow is for. */
import { fieldCalled, fields, fieldsNamed, type Field } from './fields.js';
import type { Names } from '../syntax/form.js';
import { parseTagPart, tagParts } from './notations.js';
import { fieldIn } from './prerequisites.js';
import { protocolWords } from './protocol-words.js';
import { complain, cut, parseNumber, shorten, type Span } from '../syntax/text.js';
import { parseMasked } from './masked-values.js';
import type { Masked } from './masked.js';
import type { FieldMatch } from './field-match.js';
import { spread } from './spread-view.js';
import { refuseRepeat, type Repeats } from './repeats.js';

/**
 * At most one entry a field, in the order of the field table, none of them views. A mask of zero
 * asks for nothing but that the tunnel option is there: of other fields there is no such entry.
 */
export type Match = readonly FieldMatch[];

/**
 * One field that a text asks for: several entries, where the field is a view, also of those that it
 * asks nothing of.
 */
interface ParsedEntry {
  readonly at: Span;
  readonly name: Field;
  readonly entries: readonly FieldMatch[];
  /**
   * Whether it asks for some bits beside others of the field: otherwise it counts in the place of
   * what was asked for before.
   */
  readonly isPart?: true;
}

/**
 * Reads `ip`, `nw_dst=10.0.0.0/8`, …; a field whose prerequisite is missing is refused, as Open
 * vSwitch does.
 * @param repeats what a field that is given twice is: flows take it, ofproto/trace does not.
 */
export function parseMatch(
  pieces: readonly Span[],
  names: Names,
  repeats: Repeats = 'the last counts',
): Match {
  const found = new Map<Field, Found>();
  const put = ({ at, name, entries, isPart }: ParsedEntry) => {
    for (const entry of entries) {
      const before = found.get(entry.field);
      if (repeats === 'refused') refuseRepeat(at, name, before?.by);
      const both =
        before === undefined
          ? entry
          : decisive.has(entry.field.name) && asksForSomething(entry)
            ? bothOf(at, before, name, entry)
            : isPart
              ? beside(before, entry)
              : entry;
      if (asksForSomething(entry)) found.set(entry.field, { ...both, at, by: name });
      else if (!decisive.has(entry.field.name)) found.delete(entry.field);
    }
  };
  const valued: (readonly [Span, Span | undefined])[] = [];
  for (const piece of pieces) {
    const [name, value] = cut(piece, '=');
    const word = value === undefined ? protocolWords.get(name.text) : undefined;
    for (const [matchName, number] of word ?? [])
      put({
        at: piece,
        name: fieldCalled(matchName),
        entries: [exactly(fieldCalled(matchName), number)],
      });
    if (word === undefined) valued.push([name, value]);
  }
  // What decides the fields that a packet has comes first, so that `tp_dst=80,tcp` and
  // `tcp,tp_dst=80` are the same.
  for (const [name, value] of valued
    .map((pair) => [rankOf(pair[0].text), pair] as const)
    .sort(([a], [b]) => a - b)
    .map(([, pair]) => pair))
    put(parseOne(name, value, [...found.values()], names));
  const match = [...found.values()];
  for (const { at, field } of match) fieldIn(at, field.name, match);
  return match
    .map(({ field, value, mask }) => ({ field, value, mask }))
    .sort((a, b) => (placeOf.get(a.field) ?? 0) - (placeOf.get(b.field) ?? 0));
}

/** Of each field in the table of fields. */
const placeOf: ReadonlyMap<Field, number> = new Map(fields.map((field, index) => [field, index]));

interface Found extends FieldMatch {
  readonly at: Span;
  /** The row that was named: the field itself, or a view of it. */
  readonly by: Field;
}

const nothing: Masked = { value: 0n, mask: 0n };

/** Later ranks may need earlier ones. */
const ranks: readonly RegExp[] = [
  /dl_type|eth_type|packet_type/,
  /nw_proto|ip_proto|nw_frag|ip_frag|ct_state|tun_erspan_ver/,
  /icmp|tp_/,
];

const knownRanks = new Map<string, number>();

function rankOf(name: string): number {
  const known = knownRanks.get(name);
  if (known !== undefined) return known;
  const index = ranks.findIndex((pattern) => pattern.test(name));
  const rank = index < 0 ? ranks.length : index;
  if (fieldsNamed(name).length > 0) knownRanks.set(name, rank);
  return rank;
}

/** Words and parts say them as well, and other fields hang on them. */
const decisive: ReadonlySet<string> = new Set(['eth_type', 'nw_proto', 'vlan_tci']);

/** Bits of a field, and of what was asked for before the others. */
function beside(before: Masked, { field, value, mask }: FieldMatch): FieldMatch {
  return { field, value: (before.value & ~mask) | (value & mask), mask: before.mask | mask };
}

/** Two parts of a tag may be asked for together; otherwise such a field is matched once. */
function bothOf(at: Span, before: Found, name: Field, after: FieldMatch): FieldMatch {
  const { field } = after;
  const isSame = before.value === after.value && before.mask === after.mask;
  const areParts =
    before.by !== name && [before.by, name].every((row) => Object.hasOwn(tagParts, row.name));
  if (!isSame && !(areParts && ((before.value ^ after.value) & before.mask & after.mask) === 0n))
    throw complain(at, `${field.matchName} is matched twice`);
  return { field, value: before.value | after.value, mask: before.mask | after.mask };
}

/**
 * `FIELD=VALUE`, `FIELD=VALUE/MASK`, `FIELD[FROM..TO]=NUMBER`, or the bare name of a tunnel option.
 */
function parseOne(
  at: Span,
  value: Span | undefined,
  match: readonly FieldMatch[],
  names: Names,
): ParsedEntry {
  const [, text = '', range, from, to] =
    /^([A-Za-z0-9_]+)(\[(?:(\d{1,4})(?:\.\.(\d{1,4}))?)?\])?$/.exec(at.text) ?? [];
  if (value === undefined && !/^tun_metadata\d+$/.test(at.text))
    throw complain(
      at,
      `expected FIELD=VALUE or one of ${[...protocolWords.keys()].join(', ')}, got ` +
        `"${shorten(at.text)}"`,
    );
  if (/^[A-Z]/.test(text) && range === undefined)
    throw complain(at, `expected ${shorten(text)}[] with brackets, or the name in small letters`);
  const field = fieldIn(at, text === '' ? at.text : text, match);
  const wanted = (entries: readonly FieldMatch[]) => ({ at, name: field, entries });
  if (field.notation === 'option') return wanted([parseOption(field, at, value, names)]);
  if (value === undefined) throw complain(at, `${field.matchName} needs a value`);
  if (range !== undefined)
    return {
      ...wanted(spread(field, parseBits(field, value, from, to)).filter(asksForSomething)),
      isPart: true,
    };
  if (value.text === '*') return wanted(spread(field, nothing));
  if (Object.hasOwn(tagParts, field.name))
    return wanted([
      {
        field: fieldCalled('vlan_tci'),
        ...parseTagPart(
          field.name,
          parseMasked({ ...field, ones: tagParts[field.name] ?? 0n }, value, names.ports),
        ),
      },
    ]);
  const masked = parseMasked(field, value, names.ports);
  if (field.zeroIsLost && masked.mask !== 0n && masked.value === 0n)
    throw complain(value, `${field.name} cannot be matched as zero: Open vSwitch loses it`);
  return wanted(field.name === 'packet_type' && masked.value === 0n ? [] : spread(field, masked));
}

function asksForSomething({ field, mask }: FieldMatch): boolean {
  return mask !== 0n || field.notation === 'option';
}

/** The number that some bits of a field are to have. */
function parseBits(
  field: Field,
  at: Span,
  from: string | undefined,
  to: string | undefined,
): Masked {
  const offset = Number(from ?? 0);
  const last = Number(to ?? from ?? field.bits - 1);
  if (last < offset || last >= field.bits)
    throw complain(at, `${field.name} has bits 0 to ${field.bits - 1}, got ${offset}..${last}`);
  const ones = (1n << BigInt(last - offset + 1)) - 1n;
  if (ones !== field.ones && !field.maskable)
    throw complain(at, `${field.matchName} takes no mask`);
  return {
    value: parseNumber(at, field.matchName, ones) << BigInt(offset),
    mask: ones << BigInt(offset),
  };
}

/** `tun_metadata0=0x1234/0xffff`; without a value it asks that the option is there. */
function parseOption(
  field: Field,
  at: Span,
  value: Span | undefined,
  { tunnelOptions }: Names,
): FieldMatch {
  const option = tunnelOptions.get(Number(field.name.slice('tun_metadata'.length)));
  if (tunnelOptions.size > 0 && option === undefined)
    throw complain(at, `${field.name} stands for no option of the tlv-map`);
  if (value === undefined || value.text === '') return { field, ...nothing };
  const ones = (1n << BigInt((option?.bytes ?? longestOption) * 8)) - 1n;
  const [number, mask] = cut(value, '/');
  const bits = mask === undefined ? ones : parseNumber(mask, field.name, ones);
  return {
    field,
    value: parseNumber(number, field.name, ones) & bits,
    mask: bits === ones ? field.ones : bits,
  };
}

/** In bytes. */
const longestOption = 124;

/**
 * A match that asks for bits of fields, those of a later entry in the place of an earlier one's;
 * tags and views as the rows that have them.
 */
export function matchOfBits(entries: Match): Match {
  const found = new Map<Field, FieldMatch>();
  for (const { field, value, mask } of entries.flatMap(rowsOf)) {
    found.set(field, beside(found.get(field) ?? nothing, { field, value, mask }));
  }
  return fields.flatMap((row) => found.get(row) ?? []).filter(asksForSomething);
}

function rowsOf(entry: FieldMatch): Match {
  const { field } = entry;
  return Object.hasOwn(tagParts, field.name)
    ? [{ field: fieldCalled('vlan_tci'), ...parseTagPart(field.name, entry) }]
    : spread(field, entry);
}

export function exactly(field: Field, value: number): FieldMatch {
  return { field, value: BigInt(value), mask: field.ones };
}
