/** ICMP (RFC 792). */
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

export const icmpTypes = {
  echoReply: 0,
  destinationUnreachable: 3,
  echoRequest: 8,
  timeExceeded: 11,
} as const;

export interface IcmpHeader {
  readonly type: number;
  readonly code: number;
  /**
   * The two halves of the rest of the header, by their names in echo messages. Elsewhere they are
   * unused, but for "fragmentation needed", where `sequence` is the next hop's MTU (RFC 1191).
   */
  readonly identifier: number;
  readonly sequence: number;
}

const headerLength = 8;

export const icmpLayout: readonly FieldLayout[] = [
  { name: 'type', length: 1, read: decimal },
  { name: 'code', length: 1, read: decimal },
  { name: 'checksum', length: 2, read: hexadecimal },
  { name: 'identifier', length: 2, read: decimal },
  { name: 'sequence', length: 2, read: decimal },
];

/** The message with its checksum. */
export function encodeIcmp(header: IcmpHeader, payload: Uint8Array): Uint8Array {
  const bytes = concatBytes(new Uint8Array(headerLength), payload);
  const view = viewOf(bytes);
  view.setUint8(0, header.type);
  view.setUint8(1, header.code);
  view.setUint16(4, header.identifier);
  view.setUint16(6, header.sequence);
  view.setUint16(2, internetChecksum(bytes));
  return bytes;
}

/** Undefined for less than eight bytes. */
export function decodeIcmp(
  bytes: Uint8Array,
): (Decoded<IcmpHeader> & { readonly checksum: ChecksumState }) | undefined {
  if (bytes.length < headerLength) return undefined;
  const view = viewOf(bytes);
  return {
    header: {
      type: view.getUint8(0),
      code: view.getUint8(1),
      identifier: view.getUint16(4),
      sequence: view.getUint16(6),
    },
    payload: bytes.subarray(headerLength),
    checksum: internetChecksum(bytes) === 0 ? 'valid' : 'invalid',
  };
}
