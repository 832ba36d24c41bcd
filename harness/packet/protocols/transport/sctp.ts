/** SCTP's common header (RFC 9260, section 3.1) and its checksum (appendix A). */
import {
  concatBytes,
  decimal,
  hexadecimal,
  viewOf,
  type ChecksumState,
  type Decoded,
  type FieldLayout,
} from '../../bytes/header-layout.js';

export interface SctpHeader {
  readonly srcPort: number;
  readonly dstPort: number;
  readonly verificationTag: number;
}

export const sctpLength = 12;
const checksumAt = 8;

export const sctpLayout: readonly FieldLayout[] = [
  { name: 'src', length: 2, read: decimal },
  { name: 'dst', length: 2, read: decimal },
  { name: 'verification_tag', length: 4, read: hexadecimal },
  { name: 'checksum', length: 4, read: hexadecimal },
];

/** The packet with its checksum; `chunks` are what follows the header. */
export function encodeSctp(header: SctpHeader, chunks: Uint8Array): Uint8Array {
  const bytes = concatBytes(new Uint8Array(sctpLength), chunks);
  const view = viewOf(bytes);
  view.setUint16(0, header.srcPort);
  view.setUint16(2, header.dstPort);
  view.setUint32(4, header.verificationTag);
  view.setUint32(checksumAt, sctpChecksum(bytes));
  return bytes;
}

/** Undefined for less than twelve bytes. */
export function decodeSctp(
  bytes: Uint8Array,
): (Decoded<SctpHeader> & { readonly checksum: ChecksumState }) | undefined {
  if (bytes.length < sctpLength) return undefined;
  const view = viewOf(bytes);
  return {
    header: {
      srcPort: view.getUint16(0),
      dstPort: view.getUint16(2),
      verificationTag: view.getUint32(4),
    },
    payload: bytes.subarray(sctpLength),
    checksum: sctpChecksum(bytes) === view.getUint32(checksumAt) ? 'valid' : 'invalid',
  };
}

/** Of a whole packet, whose checksum field counts as zero, in the order in which it is sent. */
export function sctpChecksum(bytes: Uint8Array): number {
  let remainder = 0xffffffff;
  for (let index = 0; index < bytes.length; index++) {
    const byte = index >= checksumAt && index < sctpLength ? 0 : (bytes[index] ?? 0);
    remainder = (table[(remainder ^ byte) & 0xff] ?? 0) ^ (remainder >>> 8);
  }
  const swapped = new DataView(new ArrayBuffer(4));
  swapped.setUint32(0, ~remainder, true);
  return swapped.getUint32(0);
}

/** CRC32c, bits reflected: remainders of each byte. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++)
    remainder = (remainder & 1) === 0 ? remainder >>> 1 : (remainder >>> 1) ^ 0x82f63b78;
  return remainder;
});
