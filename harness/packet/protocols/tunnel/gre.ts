/** GRE behind IP protocol 47 (RFC 2784), with an optional key and sequence number (RFC 2890). */
import { internetChecksum } from '../../bytes/checksum.js';
import {
  concatBytes,
  decimal,
  hexadecimal,
  viewOf,
  type ChecksumState,
  type Decoded,
  type FieldLayout,
} from '../../bytes/header-layout.js';

export interface GreHeader {
  /** EtherType of the payload; 0x6558 is an Ethernet frame. */
  readonly protocolType: number;
  /** 32 bits. */
  readonly key?: number;
  /** 32 bits. */
  readonly sequence?: number;
}

const flagBits = { checksum: 0x8000, key: 0x2000, sequence: 0x1000 } as const;
const allFlags = flagBits.checksum | flagBits.key | flagBits.sequence;

const greLayout: readonly FieldLayout[] = [
  { name: 'flags', length: 2, read: hexadecimal },
  { name: 'type', length: 2, read: hexadecimal },
];
/** Each follows where the flags say so. */
const checksumLayout: readonly FieldLayout[] = [
  { name: 'checksum', length: 2, read: hexadecimal },
  { name: 'reserved', length: 2, read: hexadecimal },
];
const keyLayout: readonly FieldLayout[] = [{ name: 'key', length: 4, read: decimal }];
const sequenceLayout: readonly FieldLayout[] = [{ name: 'sequence', length: 4, read: decimal }];

/** The fields that a header has that was decoded. */
export function greLayoutOf({
  header,
  checksum,
}: NonNullable<ReturnType<typeof decodeGre>>): readonly FieldLayout[] {
  return [
    ...greLayout,
    ...(checksum === 'absent' ? [] : checksumLayout),
    ...(header.key === undefined ? [] : keyLayout),
    ...(header.sequence === undefined ? [] : sequenceLayout),
  ];
}

/** The header and the packet inside; the checksum covers both. */
export function encodeGre(
  {
    protocolType,
    key,
    sequence,
    checksum,
  }: GreHeader & { readonly checksum?: 'computed' | 'absent' },
  payload: Uint8Array,
): Uint8Array {
  const flags =
    (checksum === 'computed' ? flagBits.checksum : 0) |
    (key === undefined ? 0 : flagBits.key) |
    (sequence === undefined ? 0 : flagBits.sequence);
  const words = [
    ...(checksum === 'computed' ? [0] : []),
    ...(key === undefined ? [] : [key]),
    ...(sequence === undefined ? [] : [sequence]),
  ];
  const bytes = concatBytes(new Uint8Array(4 + 4 * words.length), payload);
  const view = viewOf(bytes);
  view.setUint16(0, flags);
  view.setUint16(2, protocolType);
  for (const [index, word] of words.entries()) view.setUint32(4 + 4 * index, word);
  if (checksum === 'computed') view.setUint16(4, internetChecksum(bytes));
  return bytes;
}

/** Undefined when it is cut short, or has other flags than those known here. */
export function decodeGre(
  bytes: Uint8Array,
): (Decoded<GreHeader> & { readonly checksum: ChecksumState }) | undefined {
  if (bytes.length < 4) return undefined;
  const view = viewOf(bytes);
  const flags = view.getUint16(0);
  const has = (flag: keyof typeof flagBits) => (flags & flagBits[flag]) !== 0;
  const length =
    4 + 4 * Number(has('checksum')) + 4 * Number(has('key')) + 4 * Number(has('sequence'));
  if ((flags & ~allFlags) !== 0 || bytes.length < length) return undefined;
  const keyAt = has('checksum') ? 8 : 4;
  return {
    header: {
      protocolType: view.getUint16(2),
      ...(has('key') ? { key: view.getUint32(keyAt) } : {}),
      ...(has('sequence') ? { sequence: view.getUint32(length - 4) } : {}),
    },
    payload: bytes.subarray(length),
    checksum: !has('checksum') ? 'absent' : internetChecksum(bytes) === 0 ? 'valid' : 'invalid',
  };
}
