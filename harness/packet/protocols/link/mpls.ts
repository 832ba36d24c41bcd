/** MPLS label stacks (RFC 3032, section 2.1). */
import {
  concatBytes,
  decimal,
  unsigned,
  viewOf,
  type Decoded,
  type HeaderLayout,
} from '../../bytes/header-layout.js';

export interface LabelStackEntry {
  /** 20 bits. */
  readonly label: number;
  /** Traffic class, three bits (RFC 5462). */
  readonly tc: number;
  /** One at the bottom of the stack, else zero. */
  readonly bos: number;
  readonly ttl: number;
}

const entryLength = 4;

export const mplsLayout: HeaderLayout = [
  {
    length: 3,
    fields: [
      { name: 'label', read: (bytes) => String(unsigned(bytes) >>> 4) },
      { name: 'tc', read: (bytes) => String((unsigned(bytes) >>> 1) & 7) },
      { name: 'bos', read: (bytes) => String(unsigned(bytes) & 1) },
    ],
  },
  { name: 'ttl', length: 1, read: decimal },
];

/** One entry and what follows it. */
export function encodeMpls(
  { label, tc, bos, ttl }: LabelStackEntry,
  payload: Uint8Array,
): Uint8Array {
  const bytes = new Uint8Array(entryLength);
  viewOf(bytes).setUint32(0, (label << 12) | (tc << 9) | (bos << 8) | ttl);
  return concatBytes(bytes, payload);
}

/** Undefined for less than four bytes. */
export function decodeMpls(bytes: Uint8Array): Decoded<LabelStackEntry> | undefined {
  if (bytes.length < entryLength) return undefined;
  const entry = viewOf(bytes).getUint32(0);
  return {
    header: {
      label: entry >>> 12,
      tc: (entry >>> 9) & 7,
      bos: (entry >>> 8) & 1,
      ttl: entry & 0xff,
    },
    payload: bytes.subarray(entryLength),
  };
}
