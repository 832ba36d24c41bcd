/** ICMPv6 (RFC 4443). */
import { internetChecksum } from '../../bytes/checksum.js';
import {
  concatBytes,
  decimal,
  hexadecimal,
  viewOf,
  type ChecksumState,
  type Decoded,
  type HeaderLayout,
} from '../../bytes/header-layout.js';
import { ipProtocols } from './ipv4.js';
import { pseudoHeaderSum, type IpAddresses } from './pseudo-header.js';

export const icmp6Types = {
  destinationUnreachable: 1,
  packetTooBig: 2,
  timeExceeded: 3,
  echoRequest: 128,
  echoReply: 129,
  neighbourSolicitation: 135,
  neighbourAdvertisement: 136,
} as const;

export interface Icmp6Header {
  readonly type: number;
  readonly code: number;
  /**
   * The four bytes behind the checksum: identifier and sequence of an echo, the next link's MTU,
   * flags, or nothing.
   */
  readonly rest: number;
}

export const icmp6Length = 8;

const beforeRest: HeaderLayout = [
  { name: 'type', length: 1, read: decimal },
  { name: 'code', length: 1, read: decimal },
  { name: 'checksum', length: 2, read: hexadecimal },
];

export const icmp6Layout: HeaderLayout = [
  ...beforeRest,
  { name: 'rest', length: 4, read: hexadecimal },
];
export const icmp6EchoLayout: HeaderLayout = [
  ...beforeRest,
  { name: 'identifier', length: 2, read: decimal },
  { name: 'sequence', length: 2, read: decimal },
];

/** The message with its checksum over the pseudo-header of `addresses`. */
export function encodeIcmp6(
  header: Icmp6Header,
  payload: Uint8Array,
  addresses: IpAddresses,
): Uint8Array {
  const bytes = concatBytes(new Uint8Array(icmp6Length), payload);
  const view = viewOf(bytes);
  view.setUint8(0, header.type);
  view.setUint8(1, header.code);
  view.setUint32(4, header.rest);
  view.setUint16(2, checksum(bytes, addresses));
  return bytes;
}

/** Undefined for less than eight bytes. */
export function decodeIcmp6(
  bytes: Uint8Array,
  addresses: IpAddresses,
): (Decoded<Icmp6Header> & { readonly checksum: ChecksumState }) | undefined {
  if (bytes.length < icmp6Length) return undefined;
  const view = viewOf(bytes);
  return {
    header: { type: view.getUint8(0), code: view.getUint8(1), rest: view.getUint32(4) },
    payload: bytes.subarray(icmp6Length),
    checksum: checksum(bytes, addresses) === 0 ? 'valid' : 'invalid',
  };
}

function checksum(bytes: Uint8Array, addresses: IpAddresses): number {
  return internetChecksum(bytes, pseudoHeaderSum(addresses, ipProtocols.icmp6, bytes.length));
}
