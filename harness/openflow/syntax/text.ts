/**
 * A piece of a flow's text that knows where it stands, so that every complaint names file, line and
 * column.
 */
import { InputError, type Place } from '../../base/errors/errors.js';

export interface Span {
  readonly text: string;
  readonly file: string;
  /** Line and column of the first character, from 1. */
  readonly line: number;
  readonly column: number;
}

export function span(text: string, place: Place): Span {
  return { text, file: place.file, line: place.line ?? 1, column: place.column ?? 1 };
}

/** The part of `whole` from character `from` up to `to`, without the white space around it. */
export function part(whole: Span, from: number, to = whole.text.length): Span {
  const raw = whole.text.slice(from, to);
  const trimmed = raw.trimStart();
  return {
    ...whole,
    text: trimmed.trimEnd(),
    column: whole.column + from + (raw.length - trimmed.length),
  };
}

/** The error to throw about a piece of text. */
export function complain(at: Span, message: string): InputError {
  return new InputError(message, { file: at.file, line: at.line, column: at.column });
}

/**
 * The pieces between separators, where separators inside parentheses or double quotes do not count;
 * empty pieces are left out.
 */
export function split(whole: Span, separators: RegExp): readonly Span[] {
  const pieces: Span[] = [];
  const open: number[] = [];
  let quote: number | undefined;
  let start = 0;
  const close = (end: number) => {
    const piece = part(whole, start, end);
    if (piece.text !== '') pieces.push(piece);
    start = end + 1;
  };
  for (let index = 0; index < whole.text.length; index++) {
    const character = whole.text.charAt(index);
    if (character === '\\' && quote !== undefined) index++;
    if (character === '"') quote = quote === undefined ? index : undefined;
    if (quote !== undefined) continue;
    if (character === '(') open.push(index);
    else if (character === ')' && open.pop() === undefined)
      throw complain(part(whole, index), 'unexpected ")"');
    if (open.length === 0 && separators.test(character)) close(index);
  }
  const [unclosed = quote] = open;
  if (unclosed !== undefined)
    throw complain(part(whole, unclosed), `${whole.text.charAt(unclosed)} is never closed`);
  close(whole.text.length);
  return pieces;
}

/** Both sides of the first `separator`; the right side is missing where the separator is. */
export function cut(
  whole: Span,
  separator: string,
): readonly [left: Span, right: Span | undefined] {
  const index = whole.text.indexOf(separator);
  if (index < 0) return [whole, undefined];
  return [part(whole, 0, index), part(whole, index + separator.length)];
}

/** The last table that flows can be in: Open vSwitch keeps 254 to itself. */
export const lastTable = 253;

/**
 * A whole number as C reads it, from 0 to `maximum`: decimal, hexadecimal behind 0x, octal behind
 * 0.
 */
export function parseNumber(at: Span, what: string, maximum: bigint): bigint {
  const longest = maximum <= longestPrinted ? 40 : maximum.toString(2).length;
  const value =
    at.text.length <= longest && /^(0x[0-9a-f]+|0[0-7]*|[1-9]\d*)$/i.test(at.text)
      ? BigInt(/^0[0-7]/.test(at.text) ? `0o${at.text}` : at.text)
      : undefined;
  const range = maximum <= longestPrinted ? `from 0 to ${maximum}` : `of at most ${longest} bits`;
  if (value === undefined || value > maximum)
    throw complain(at, `${what}: expected a number ${range}, got "${shorten(at.text)}"`);
  return value;
}

/** A whole number in decimal, as tables, ports and a few others are written. */
export function parseDecimal(at: Span, what: string, maximum: number): number {
  const value = /^\d{1,10}$/.test(at.text) ? Number(at.text) : undefined;
  if (value === undefined || value > maximum)
    throw complain(
      at,
      `${what}: expected a number from 0 to ${maximum}, got "${shorten(at.text)}"`,
    );
  return value;
}

/** Of 128 bits. */
const longestPrinted = (1n << 128n) - 1n;

export function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`;
}
