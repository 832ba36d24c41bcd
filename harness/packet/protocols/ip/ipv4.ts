/** IPv4 (RFC 791). */
import { formatIpv4, ipv4Number } from '../../../base/addresses/mac-and-ipv4.js';
import { assert } from '../../../base/errors/errors.js';
import { internetChecksum } from '../../bytes/checksum.js';
import {
  concatBytes,
  decimal,
  dotted,
  hexadecimal,
  unsigned,
  viewOf,
  type ChecksumState,
  type Decoded,
  type FieldLayout,
} from '../../bytes/header-layout.js';
import type { IpAddresses } from './pseudo-header.js';

export const ipProtocols = {
  icmp: 1,
  igmp: 2,
  tcp: 6,
  udp: 17,
  gre: 47,
  icmp6: 58,
  sctp: 132,
} as const;
export const ipv4Flags = { moreFragments: 1, dontFragment: 2, reserved: 4 } as const;

export interface Ipv4Header extends IpAddresses {
  readonly protocol: number;
  readonly ttl: number;
  /** The whole octet: DSCP in the upper six bits, ECN in the lower two. */
  readonly tos: number;
  readonly identification: number;
  /** Bits of `ipv4Flags`. */
  readonly flags: number;
  /** In units of eight bytes. */
  readonly fragmentOffset: number;
  /** Raw, a multiple of four bytes, at most 40. */
  readonly options: Uint8Array;
}

const fixedLength = 20;

const noOptions = new Uint8Array();

/** The fixed part; options follow. */
export const ipv4Layout: readonly FieldLayout[] = [
  {
    name: 'version',
    length: 1,
    read: (bytes) => `${unsigned(bytes) >>> 4}, header length ${(unsigned(bytes) & 15) * 4}`,
  },
  { name: 'tos', length: 1, read: hexadecimal },
  { name: 'length', length: 2, read: decimal },
  { name: 'identification', length: 2, read: decimal },
  {
    name: 'fragment',
    length: 2,
    read: (bytes) => formatFragment(unsigned(bytes) >>> 13, unsigned(bytes) & 0x1fff),
  },
  { name: 'ttl', length: 1, read: decimal },
  { name: 'protocol', length: 1, read: decimal },
  { name: 'checksum', length: 2, read: hexadecimal },
  { name: 'src', length: 4, read: dotted },
  { name: 'dst', length: 4, read: dotted },
];

function formatFragment(flags: number, offset: number): string {
  const names = Object.entries(ipv4Flags).filter(([, bit]) => (flags & bit) !== 0);
  return [...names.map(([name]) => name), `offset ${offset * 8}`].join(' ');
}

/**
 * The datagram with its header checksum. What is left out is zero or empty. @throws InputError for
 * a text that is no address.
 */
export function encodeIpv4(
  given: Pick<Ipv4Header, 'ttl' | 'protocol' | 'src' | 'dst'> & Partial<Ipv4Header>,
  payload: Uint8Array,
): Uint8Array {
  const {
    tos = 0,
    identification = 0,
    flags = 0,
    fragmentOffset = 0,
    options = noOptions,
    ttl,
    protocol,
    src,
    dst,
  } = given;
  const headerLength = fixedLength + options.length;
  assert(
    options.length % 4 === 0 && options.length <= 40,
    `${options.length} bytes of IPv4 options`,
  );
  assert(
    headerLength + payload.length <= 0xffff,
    `an IPv4 datagram of ${headerLength + payload.length} bytes`,
  );
  const bytes = concatBytes(new Uint8Array(fixedLength), options, payload);
  const view = viewOf(bytes);
  view.setUint8(0, (4 << 4) | (headerLength / 4));
  view.setUint8(1, tos);
  view.setUint16(2, bytes.length);
  view.setUint16(4, identification);
  view.setUint16(6, (flags << 13) | fragmentOffset);
  view.setUint8(8, ttl);
  view.setUint8(9, protocol);
  view.setUint32(12, ipv4Number(src));
  view.setUint32(16, ipv4Number(dst));
  view.setUint16(10, internetChecksum(bytes.subarray(0, headerLength)));
  return bytes;
}

/**
 * The payload ends at the total length: what follows is Ethernet padding. Undefined when the
 * version is not 4 or a length does not fit the bytes. The header is decoded even if its checksum
 * is `invalid`.
 */
export function decodeIpv4(
  bytes: Uint8Array,
): (Decoded<Ipv4Header> & { readonly checksum: ChecksumState }) | undefined {
  if (bytes.length < fixedLength) return undefined;
  const view = viewOf(bytes);
  const headerLength = (view.getUint8(0) & 15) * 4;
  const totalLength = view.getUint16(2);
  if (
    view.getUint8(0) >>> 4 !== 4 ||
    headerLength < fixedLength ||
    totalLength < headerLength ||
    totalLength > bytes.length
  )
    return undefined;
  return {
    header: {
      src: formatIpv4(view.getUint32(12)),
      dst: formatIpv4(view.getUint32(16)),
      protocol: view.getUint8(9),
      ttl: view.getUint8(8),
      tos: view.getUint8(1),
      identification: view.getUint16(4),
      flags: view.getUint16(6) >>> 13,
      fragmentOffset: view.getUint16(6) & 0x1fff,
      options: bytes.subarray(fixedLength, headerLength),
    },
    payload: bytes.subarray(headerLength, totalLength),
    checksum: internetChecksum(bytes.subarray(0, headerLength)) === 0 ? 'valid' : 'invalid',
  };
}

/** Whether it is a piece of a larger datagram: the first, a middle or the last one. */
export function isFragment(header: Ipv4Header): boolean {
  return header.fragmentOffset !== 0 || (header.flags & ipv4Flags.moreFragments) !== 0;
}
