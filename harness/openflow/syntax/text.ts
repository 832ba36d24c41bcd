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
  const { text, file, line, column } = whole;
  let [start, end] = [from, to];
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return { text: text.slice(start, end), file, line, column: column + start };
}

/** Spaces, tabs and ends of lines, as `trim` has them within ASCII. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
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
  const { text } = whole;
  const separates = separatorsIn(separators);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === backslash && quote !== undefined) index++;
    if (code === doubleQuote) quote = quote === undefined ? index : undefined;
    if (quote !== undefined) continue;
    if (code === opening) open.push(index);
    else if (code === closing && open.pop() === undefined)
      throw complain(part(whole, index), 'unexpected ")"');
    if (
      open.length === 0 &&
      (code < 128 ? separates[code] === true : separators.test(text.charAt(index)))
    )
      close(index);
  }
  const [unclosed = quote] = open;
  if (unclosed !== undefined)
    throw complain(part(whole, unclosed), `${whole.text.charAt(unclosed)} is never closed`);
  close(whole.text.length);
  return pieces;
}

const [backslash, doubleQuote, opening, closing] = [92, 34, 40, 41];

/** By character code, which characters of ASCII a pattern takes. */
const separatorTables = new Map<string, readonly boolean[]>();

function separatorsIn(separators: RegExp): readonly boolean[] {
  const known = separatorTables.get(separators.source);
  if (known !== undefined) return known;
  const table = Array.from({ length: 128 }, (_, code) =>
    separators.test(String.fromCharCode(code)),
  );
  separatorTables.set(separators.source, table);
  return table;
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
