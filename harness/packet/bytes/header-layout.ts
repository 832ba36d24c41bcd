/** What the protocol files share: how the bytes of a header are read, laid out and judged. */
import { formatIpv4 } from '../../base/addresses/mac-and-ipv4.js';
import { ByteView } from './byte-view.js';

/** A header and what it carries. `payload` is a view into the decoded bytes, not a copy. */
export interface Decoded<Header> {
  readonly header: Header;
  readonly payload: Uint8Array;
}

/**
 * A checksum as found: `absent` where zero means that none was computed, `unverifiable` where bytes
 * it covers are missing.
 */
export type ChecksumState = 'valid' | 'invalid' | 'absent' | 'unverifiable';

/**
 * One field of a header: its name within the protocol, its length in bytes, and its bytes as people
 * read them.
 */
export interface FieldLayout {
  readonly name: string;
  readonly length: number;
  /** Different bytes read differently. */
  readonly read: (bytes: Uint8Array) => string;
}

/**
 * Several fields in the same bytes, as the priority and the number in a VLAN tag; each reads them
 * all, and sees its own bits.
 */
export interface SharedLayout {
  readonly length: number;
  readonly fields: readonly Pick<FieldLayout, 'name' | 'read'>[];
}

/** A header's fields in their order. Together, different bytes read differently. */
export type HeaderLayout = readonly (FieldLayout | SharedLayout)[];

/** The numbers in them. */
export function viewOf(bytes: Uint8Array): ByteView {
  return new ByteView(bytes);
}

/**
 * Memory that is still free: many frames at once are made in a fraction of the time that each of
 * them alone takes.
 */
let spare = { bytes: new Uint8Array(), next: 0 };
const bytesAtOnce = 16_384;
/** What is longer has memory of its own, so that little is held by what is kept of others. */
const longestShared = 1024;

/** So many zeros. They may share their `buffer` with others, as those of `subarray` do. */
export function emptyBytes(length: number): Uint8Array {
  if (length > longestShared) return new Uint8Array(length);
  if (spare.next + length > spare.bytes.length)
    spare = { bytes: new Uint8Array(bytesAtOnce), next: 0 };
  const first = spare.next;
  spare.next += length;
  return new Uint8Array(spare.bytes.buffer, first, length);
}

export function copyBytes(bytes: Uint8Array): Uint8Array {
  const copy = emptyBytes(bytes.length);
  copy.set(bytes);
  return copy;
}

/** A header, its options and its payload in one piece. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Up to six bytes as an unsigned big-endian number. */
export function unsigned(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

/** The bytes as hexadecimal digits, two a byte. */
export function hexDigits(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** `decimal`, `hexadecimal` and `dotted` (an IPv4 address) are ways to `read` a field. */
export const decimal = (bytes: Uint8Array): string => String(unsigned(bytes));
export const hexadecimal = (bytes: Uint8Array): string => `0x${hexDigits(bytes)}`;
export const dotted = (bytes: Uint8Array): string => formatIpv4(unsigned(bytes));
