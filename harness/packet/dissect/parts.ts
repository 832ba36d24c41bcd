/** What dissectors are made of. */
import { hexDigits, type ChecksumState, type HeaderLayout } from '../bytes/header-layout.js';

/** A field, and the bytes of the frame that it is read from. */
export interface Part {
  readonly name: string;
  readonly value: string;
  readonly bytes: Uint8Array;
}

export type Parts<Result = void> = Generator<Part, Result, void>;

export function* header(
  name: string,
  layout: HeaderLayout,
  bytes: Uint8Array,
  checksum: ChecksumState = 'valid',
): Parts {
  let offset = 0;
  for (const place of layout) {
    const part = bytes.subarray(offset, offset + place.length);
    for (const field of 'fields' in place ? place.fields : [place]) {
      const remark = field.name === 'checksum' && checksum !== 'valid' ? ` (${checksum})` : '';
      yield { name: `${name}.${field.name}`, value: field.read(part) + remark, bytes: part };
    }
    offset += place.length;
  }
}

export function raw(name: string, bytes: Uint8Array): Part {
  return { name, value: hexDigits(bytes), bytes };
}

/** What follows in `whole` after `part`, a view into it. */
export function trailerOf(part: Uint8Array, whole: Uint8Array): Uint8Array {
  return whole.subarray(part.byteOffset + part.length - whole.byteOffset);
}

/**
 * `vlan`, `vlan2`, `vlan3`: the headers of one kind in their order, so that each has a name of its
 * own.
 */
export function numbered(name: string, count: number): string {
  return count === 1 ? name : `${name}${count}`;
}
