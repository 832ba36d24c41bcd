/** TCP segments (RFC 9293, section 3.1). */
import { assert } from '../../../base/errors/errors.js';
import { internetChecksum } from '../../bytes/checksum.js';
import {
  concatBytes,
  decimal,
  hexadecimal,
  unsigned,
  viewOf,
  type ChecksumState,
  type Decoded,
  type FieldLayout,
} from '../../bytes/header-layout.js';
import { ipProtocols } from '../ip/ipv4.js';
import { pseudoHeaderSum, type IpAddresses } from '../ip/pseudo-header.js';

export const tcpFlags = {
  FIN: 0x01,
  SYN: 0x02,
  RST: 0x04,
  PSH: 0x08,
  ACK: 0x10,
  URG: 0x20,
  ECE: 0x40,
  CWR: 0x80,
} as const;

export interface TcpHeader {
  readonly srcPort: number;
  readonly dstPort: number;
  readonly sequence: number;
  readonly acknowledgement: number;
  /** Twelve bits: the four reserved ones, then those of `tcpFlags`. */
  readonly flags: number;
  readonly window: number;
  readonly urgentPointer: number;
  /** Raw, a multiple of four bytes, at most 40. */
  readonly options: Uint8Array;
}

const fixedLength = 20;

/** The fixed part; options follow. */
export const tcpLayout: readonly FieldLayout[] = [
  { name: 'src', length: 2, read: decimal },
  { name: 'dst', length: 2, read: decimal },
  { name: 'sequence', length: 4, read: decimal },
  { name: 'acknowledgement', length: 4, read: decimal },
  {
    name: 'header_length',
    length: 1,
    read: (bytes) => `${(unsigned(bytes) >>> 4) * 4}, reserved ${unsigned(bytes) & 15}`,
  },
  { name: 'flags', length: 1, read: (bytes) => formatTcpFlags(unsigned(bytes)) },
  { name: 'window', length: 2, read: decimal },
  { name: 'checksum', length: 2, read: hexadecimal },
  { name: 'urgent_pointer', length: 2, read: decimal },
];

function formatTcpFlags(flags: number): string {
  const names = Object.entries(tcpFlags).filter(([, bit]) => (flags & bit) !== 0);
  return names.map(([name]) => name).join(',') || 'none';
}

/** The segment with its checksum over the pseudo-header of `addresses`. */
export function encodeTcp(
  header: TcpHeader,
  payload: Uint8Array,
  addresses: IpAddresses,
): Uint8Array {
  const headerLength = fixedLength + header.options.length;
  assert(
    header.options.length % 4 === 0 && header.options.length <= 40,
    `${header.options.length} bytes of TCP options`,
  );
  const bytes = concatBytes(new Uint8Array(fixedLength), header.options, payload);
  const view = viewOf(bytes);
  view.setUint16(0, header.srcPort);
  view.setUint16(2, header.dstPort);
  view.setUint32(4, header.sequence);
  view.setUint32(8, header.acknowledgement);
  view.setUint16(12, ((headerLength / 4) << 12) | header.flags);
  view.setUint16(14, header.window);
  view.setUint16(18, header.urgentPointer);
  view.setUint16(16, tcpChecksum(bytes, addresses));
  return bytes;
}

/** Undefined for less than 20 bytes, or when the data offset does not fit them. */
export function decodeTcp(
  bytes: Uint8Array,
  addresses: IpAddresses,
): (Decoded<TcpHeader> & { readonly checksum: ChecksumState }) | undefined {
  if (bytes.length < fixedLength) return undefined;
  const view = viewOf(bytes);
  const headerLength = (view.getUint8(12) >>> 4) * 4;
  if (headerLength < fixedLength || headerLength > bytes.length) return undefined;
  return {
    header: {
      srcPort: view.getUint16(0),
      dstPort: view.getUint16(2),
      sequence: view.getUint32(4),
      acknowledgement: view.getUint32(8),
      flags: view.getUint16(12) & 0xfff,
      window: view.getUint16(14),
      urgentPointer: view.getUint16(18),
      options: bytes.subarray(fixedLength, headerLength),
    },
    payload: bytes.subarray(headerLength),
    checksum: tcpChecksum(bytes, addresses) === 0 ? 'valid' : 'invalid',
  };
}

function tcpChecksum(bytes: Uint8Array, addresses: IpAddresses): number {
  return internetChecksum(bytes, pseudoHeaderSum(addresses, ipProtocols.tcp, bytes.length));
}
