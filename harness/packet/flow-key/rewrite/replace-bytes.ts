/** Changing bytes in place, and the checksums that cover them. */
import type { ByteView } from '../../bytes/byte-view.js';
import { updateChecksum } from '../../bytes/checksum.js';
import type { FlowKey } from '../flow-key.js';

/** Replaces the 16-bit word at `place` and brings every checksum that covers it up to date. */
export function replace16(
  view: ByteView,
  place: number,
  value: number,
  checksums: readonly number[],
): void {
  const before = view.getUint16(place);
  view.setUint16(place, value);
  for (const checksum of checksums)
    view.setUint16(checksum, updateChecksum(view.getUint16(checksum), before, value));
}

/** The same for `words` of the key, 32 bits each. */
export function replaceWords(
  view: ByteView,
  place: number,
  key: FlowKey,
  field: number,
  words: number,
  checksums: readonly number[],
): void {
  for (let index = 0; index < words; index++) {
    const value = key[field + index] ?? 0;
    replace16(view, place + 4 * index, value >>> 16, checksums);
    replace16(view, place + 4 * index + 2, value & 0xffff, checksums);
  }
}

/** The same for a MAC address. */
export function replaceMac(
  view: ByteView,
  place: number,
  key: FlowKey,
  field: number,
  checksums: readonly number[],
): void {
  replace16(view, place, key[field] ?? 0, checksums);
  replaceWords(view, place + 2, key, field + 1, 1, checksums);
}

export function changed(before: FlowKey, after: FlowKey, field: number, words = 1): boolean {
  for (let index = field; index < field + words; index++)
    if (before[index] !== after[index]) return true;
  return false;
}

/** The same bytes with `added` at `place`. */
export function insert(bytes: Uint8Array, place: number, added: Uint8Array): Uint8Array {
  const longer = new Uint8Array(bytes.length + added.length);
  longer.set(bytes.subarray(0, place));
  longer.set(added, place);
  longer.set(bytes.subarray(place), place + added.length);
  return longer;
}

/** The same bytes without `length` of them at `place`. */
export function remove(bytes: Uint8Array, place: number, length: number): Uint8Array {
  const shorter = new Uint8Array(bytes.length - length);
  shorter.set(bytes.subarray(0, place));
  shorter.set(bytes.subarray(place + length), place);
  return shorter;
}
