/** IPv6 (RFC 8200). */
import { assert } from '../../../base/errors/errors.js';
import { formatIpv6, ipv6Number } from '../../../base/addresses/ipv6.js';
import {
  concatBytes,
  decimal,
  hexadecimal,
  unsigned,
  viewOf,
  type Decoded,
  type HeaderLayout,
} from '../../bytes/header-layout.js';
import type { IpAddresses } from './pseudo-header.js';

export interface Ipv6Header extends IpAddresses {
  /** The protocol of what follows, or the type of an extension header. */
  readonly nextHeader: number;
  readonly hopLimit: number;
  /** The whole octet: DSCP in the upper six bits, ECN in the lower two. */
  readonly trafficClass: number;
  /** 20 bits. */
  readonly flowLabel: number;
}

export const ipv6Length = 40;

const defaults = { trafficClass: 0, flowLabel: 0 } as const;

export const ipv6Layout: HeaderLayout = [
  {
    length: 4,
    fields: [
      { name: 'version', read: (bytes) => String(unsigned(bytes) >>> 28) },
      {
        name: 'traffic_class',
        read: (bytes) => `0x${((unsigned(bytes) >>> 20) & 0xff).toString(16).padStart(2, '0')}`,
      },
      {
        name: 'flow_label',
        read: (bytes) => `0x${(unsigned(bytes) & 0xfffff).toString(16).padStart(5, '0')}`,
      },
    ],
  },
  { name: 'length', length: 2, read: decimal },
  { name: 'next_header', length: 1, read: decimal },
  { name: 'hop_limit', length: 1, read: decimal },
  { name: 'src', length: 16, read: colons },
  { name: 'dst', length: 16, read: colons },
];

/** Sixteen bytes as an address. */
export function colons(bytes: Uint8Array): string {
  return formatIpv6(BigInt(hexadecimal(bytes)));
}

/** An address as sixteen bytes. @throws InputError for a text that is no address. */
export function ipv6Bytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(ipv6Number(text).toString(16).padStart(32, '0'), 'hex'));
}

/**
 * The packet; `payload` begins with the extension headers. What is left out is zero. @throws
 * InputError for a text that is no address.
 */
export function encodeIpv6(
  given: Omit<Ipv6Header, keyof typeof defaults> & Partial<Ipv6Header>,
  payload: Uint8Array,
): Uint8Array {
  const header: Ipv6Header = { ...defaults, ...given };
  assert(payload.length <= 0xffff, `${payload.length} bytes of IPv6 payload`);
  const bytes = concatBytes(new Uint8Array(ipv6Length), payload);
  const view = viewOf(bytes);
  view.setUint32(0, (6 << 28) | (header.trafficClass << 20) | header.flowLabel);
  view.setUint16(4, payload.length);
  view.setUint8(6, header.nextHeader);
  view.setUint8(7, header.hopLimit);
  bytes.set(ipv6Bytes(header.src), 8);
  bytes.set(ipv6Bytes(header.dst), 24);
  return bytes;
}

/**
 * The payload, extension headers first, ends at the payload length: what follows is Ethernet
 * padding. Undefined when the version is not 6 or the length does not fit the bytes.
 */
export function decodeIpv6(bytes: Uint8Array): Decoded<Ipv6Header> | undefined {
  if (bytes.length < ipv6Length) return undefined;
  const view = viewOf(bytes);
  const start = view.getUint32(0);
  const end = ipv6Length + view.getUint16(4);
  if (start >>> 28 !== 6 || end > bytes.length) return undefined;
  return {
    header: {
      src: colons(bytes.subarray(8, 24)),
      dst: colons(bytes.subarray(24, 40)),
      nextHeader: view.getUint8(6),
      hopLimit: view.getUint8(7),
      trafficClass: (start >>> 20) & 0xff,
      flowLabel: start & 0xfffff,
    },
    payload: bytes.subarray(ipv6Length, end),
  };
}
