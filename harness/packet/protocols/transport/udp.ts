/** UDP (RFC 768). */
import { assert } from '../../../base/errors/errors.js';
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
import { ipProtocols } from '../ip/ipv4.js';
import { pseudoHeaderSum, type IpAddresses } from '../ip/pseudo-header.js';

export interface UdpHeader {
  readonly srcPort: number;
  readonly dstPort: number;
}

const headerLength = 8;

export const udpLayout: readonly FieldLayout[] = [
  { name: 'src', length: 2, read: decimal },
  { name: 'dst', length: 2, read: decimal },
  { name: 'length', length: 2, read: decimal },
  { name: 'checksum', length: 2, read: hexadecimal },
];

/**
 * The datagram with its checksum over the pseudo-header of `addresses`, or with none (zero), as
 * tunnels send it (RFC 8926, section 3.3). A checksum that computes to zero is sent as 0xffff.
 */
export function encodeUdp(
  header: UdpHeader,
  payload: Uint8Array,
  addresses: IpAddresses | 'no-checksum',
): Uint8Array {
  const bytes = concatBytes(new Uint8Array(headerLength), payload);
  assert(bytes.length <= 0xffff, `a UDP datagram of ${bytes.length} bytes`);
  const view = viewOf(bytes);
  view.setUint16(0, header.srcPort);
  view.setUint16(2, header.dstPort);
  view.setUint16(4, bytes.length);
  if (addresses !== 'no-checksum') view.setUint16(6, udpChecksum(bytes, addresses) || 0xffff);
  return bytes;
}

/**
 * The payload ends at the length field, or where the bytes end: then the checksum is
 * `unverifiable`, as in the first fragment of a larger datagram. Undefined for less than eight
 * bytes, or a length below eight.
 */
export function decodeUdp(
  bytes: Uint8Array,
  addresses: IpAddresses,
): (Decoded<UdpHeader> & { readonly checksum: ChecksumState }) | undefined {
  if (bytes.length < headerLength) return undefined;
  const view = viewOf(bytes);
  const length = view.getUint16(4);
  if (length < headerLength) return undefined;
  return {
    header: { srcPort: view.getUint16(0), dstPort: view.getUint16(2) },
    payload: bytes.subarray(headerLength, length),
    checksum: checksumState(bytes, length, addresses),
  };
}

function checksumState(bytes: Uint8Array, length: number, addresses: IpAddresses): ChecksumState {
  if (length > bytes.length) return 'unverifiable';
  if (viewOf(bytes).getUint16(6) === 0) return 'absent';
  return udpChecksum(bytes.subarray(0, length), addresses) === 0 ? 'valid' : 'invalid';
}

function udpChecksum(bytes: Uint8Array, addresses: IpAddresses): number {
  return internetChecksum(bytes, pseudoHeaderSum(addresses, ipProtocols.udp, bytes.length));
}
