/**
 * How the text of actions is taken apart: names, their arguments, and what arguments are made of.
 */
import { fieldsNamed, type Field } from '../match/fields.js';
import type { Form, Names, Protocol } from '../syntax/form.js';
import { parsePort, printName, reservedPorts, unquote } from '../syntax/ports.js';
import {
  complain,
  cut,
  parseDecimal,
  parseNumber,
  part,
  shorten,
  split,
  type Span,
} from '../syntax/text.js';
import type { Action, Subfield } from './action.js';
import type { PacketKnowledge } from './known-packet.js';

/** Where actions stand: what is known there decides what they may be. */
export interface ParseContext {
  /** Of the flow; undefined in the bucket of a group, which any table may lead to. */
  readonly table?: number;
  readonly packet: PacketKnowledge;
  readonly names: Names;
  /** Of the connection that brings the flow. */
  readonly protocol: Protocol;
  /**
   * The flow was added by OpenFlow 1.0, and a switch has printed it: a dump in OpenFlow 1.5 shows
   * its `mod_nw_src` as `set_field`.
   */
  readonly isDumped?: boolean;
  /** How many actions this one stands in. */
  readonly depth: number;
  readonly inside?: 'ct' | 'clone' | 'write_actions' | 'bucket';
  /** Reads the actions inside an action. */
  readonly actions: (inner: Span, reading: ParseContext) => readonly Action[];
}

/**
 * `NAME`, `NAME:ARGUMENT`, `NAME=ARGUMENT` or `NAME(ARGUMENT)`; an argument that is not there is
 * empty.
 */
export interface ActionText {
  readonly name: string;
  readonly at: Span;
  readonly argument: Span;
}

export type Reader = (call: ActionText, reading: ParseContext) => Action;

/**
 * Calls between commas or white space. An argument may go on behind its parenthesis with `->`, as
 * `(1500)->NXM_NX_REG0[0]` does.
 */
export function splitActions(whole: Span): readonly ActionText[] {
  return split(whole, /[,\s]/).map((at) => {
    const [name = ''] = /^(?:"[^"]*"|[^:=(]*)/.exec(at.text) ?? [];
    const separator = at.text[name.length];
    if (separator !== '(')
      return { name, at, argument: part(at, Math.min(name.length + 1, at.text.length)) };
    const end = closing(at.text, name.length);
    const behind = at.text.slice(end + 1);
    if (behind !== '' && !behind.startsWith('->'))
      throw complain(at, `expected ")" at the end of "${shorten(at.text)}"`);
    return { name, at, argument: part(at, name.length + 1, behind === '' ? end : at.text.length) };
  });
}

/**
 * The place of the parenthesis that closes the one at `open`; `split` has seen to it that there is
 * one.
 */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let index = open; index < text.length; index++) {
    if (text[index] === '(') depth++;
    else if (text[index] === ')' && --depth === 0) return index;
  }
  return text.length;
}

export function needed({ name, at, argument }: ActionText): Span {
  if (argument.text === '') throw complain(at, `${shorten(name)} needs an argument`);
  return argument;
}

/** Both sides of `->`. */
export function arrow(argument: Span, usage: string): readonly [left: Span, right: Span] {
  const [left, right] = cut(argument, '->');
  if (right === undefined || right.text === '')
    throw complain(argument, `expected ${usage}, got "${shorten(argument.text)}"`);
  return [left, right];
}

export const uint8 = 0xffn;
export const uint16 = 0xffffn;
export const uint32 = 0xffffffffn;
export const uint64 = (1n << 64n) - 1n;

/** A number that fits into one of JavaScript. */
export function small(at: Span, what: string, maximum: bigint): number {
  return Number(parseNumber(at, what, maximum));
}

/** One of a closed list of words, in any case. */
export function oneOf<Word extends string>(at: Span, what: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === at.text.toLowerCase());
  if (found === undefined)
    throw complain(at, `${what}: expected one of ${words.join(', ')}, got "${shorten(at.text)}"`);
  return found;
}

/** Bytes as pairs of hexadecimal digits, with or without dots between them. */
export function hexBytes(at: Span, what: string): readonly number[] {
  const digits = at.text.replace(/[.\s]/g, '');
  if (!/^[\s.]*([0-9a-f]{2}[\s.]*)*$/i.test(at.text))
    throw complain(at, `${what}: expected pairs of hexadecimal digits, got "${shorten(at.text)}"`);
  if (digits.length > 2 * longestBytes)
    throw complain(
      at,
      `${what}: at most ${longestBytes} bytes fit into a message, got ${digits.length / 2}`,
    );
  return Array.from(Buffer.from(digits, 'hex'));
}

/** What an OpenFlow message of 65,535 bytes has left beside its own headers. */
const longestBytes = 65_000;

export function printBytes(bytes: readonly number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('.');
}

/** The field of a name (`reg0`, `NXM_NX_REG0`), whatever packets are matched. */
export function fieldNamed(at: Span, name: string): Field {
  const plain = name.replace(/_W$/, '');
  const [field] = fieldsNamed(plain);
  if (field === undefined) throw complain(at, `unknown field "${shorten(name)}"`);
  if (field.nxm === field.nxm.toLowerCase())
    throw complain(at, `actions do not know the field ${field.name}`);
  return field;
}

/** Whether the field has a number of 64 bits, which many messages have no room for. */
export function isExperimental({ nxm }: Field): boolean {
  return nxm.startsWith('NXOXM_') || nxm.startsWith('ONFOXM_');
}

/** @throws InputError for a field whose number has no room where it is to stand. */
export function numbered(at: Span, what: string, { field, ...rest }: Subfield): Subfield {
  if (isExperimental(field)) throw complain(at, `${what} does not know the field ${field.name}`);
  return { field, ...rest };
}

/**
 * `FIELD`, `FIELD[]`, `FIELD[BIT]`, `FIELD[FROM..TO]`. A tunnel's option is as wide as its bridge
 * says.
 */
export function subfield(at: Span, { names }: ParseContext): Subfield {
  const [, name = '', , from, to] =
    /^([A-Za-z0-9_]+)(\[(?:(\d{1,4})(?:\.\.(\d{1,4}))?)?\])?$/.exec(at.text) ?? [];
  if (name === '')
    throw complain(at, `expected a field such as NXM_NX_REG0[0..15], got "${shorten(at.text)}"`);
  const field = fieldNamed(at, name);
  const option =
    field.notation === 'option'
      ? names.tunnelOptions.get(Number(field.name.slice('tun_metadata'.length)))
      : undefined;
  const width = option === undefined ? field.bits : option.bytes * 8;
  const offset = from === undefined ? 0 : Number(from);
  const last = to !== undefined ? Number(to) : from !== undefined ? offset : width - 1;
  if (last < offset || last >= width)
    throw complain(at, `${field.name} has bits 0 to ${width - 1}, got ${offset}..${last}`);
  return { field, offset, bits: last - offset + 1 };
}

export function printSubfield({ field, offset, bits }: Subfield): string {
  const range =
    bits === field.bits ? '' : bits === 1 ? String(offset) : `${offset}..${offset + bits - 1}`;
  return `${field.nxm}[${range}]`;
}

/** As C's `%#x`. */
export function hex(value: bigint | number): string {
  return Number(value) === 0 ? '0' : `0x${value.toString(16)}`;
}

export const ones = (bits: number): bigint => (1n << BigInt(bits)) - 1n;

/** A port that packets can leave by. */
export function outputPort(at: Span, { names }: ParseContext): number {
  const number = parsePort(at, names.ports);
  if (number === reservedPorts.ANY || number === reservedPorts.UNSET)
    throw complain(at, `"${at.text}" is no port that packets leave by`);
  return number;
}

/** A table by its number or by its name. */
export function table(at: Span, { names }: ParseContext): number {
  return names.tables.get(unquote(at.text)) ?? parseDecimal(at, 'table', lastTable);
}

/** Open vSwitch keeps table 254 to itself, but lets actions lead there. */
const lastTable = 254;

export function printTable(number: number, form: Form): string {
  return printName(number, form.tables);
}
