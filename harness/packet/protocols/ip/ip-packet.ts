/** IP packets of either version. */
import { decodeIpv4 } from './ipv4.js';
import { decodeIpv6 } from './ipv6.js';
import type { IpAddresses } from './pseudo-header.js';

export interface IpPacket extends IpAddresses {
  /** The next header of IPv6: extension headers are payload. */
  readonly protocol: number;
  readonly payload: Uint8Array;
}

/** Decodes by the version in the first byte (RFC 791, RFC 8200); undefined for broken headers. */
export function decodeIp(packet: Uint8Array): IpPacket | undefined {
  if ((packet[0] ?? 0) >>> 4 !== 6) {
    const ip = decodeIpv4(packet);
    return ip === undefined ? undefined : { ...ip.header, payload: ip.payload };
  }
  const ip = decodeIpv6(packet);
  if (ip === undefined) return undefined;
  const { src, dst, nextHeader } = ip.header;
  return { src, dst, protocol: nextHeader, payload: ip.payload };
}
