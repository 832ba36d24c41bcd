/** Addresses of IPv6 that follow from others. */
import { formatIpv6, ipv6Number } from './ipv6.js';
import { macBytes } from './mac-and-ipv4.js';

/** fe80::/64 with the interface identifier of a MAC address (RFC 4291, appendix A). */
export function linkLocalOf(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = macBytes(mac);
  const id = [a ^ 2, b, c, 0xff, 0xfe, d, e, f];
  return formatIpv6((0xfe80n << 112n) | id.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n));
}

/** ff02::1:ff00:0/104 (RFC 4291, section 2.7.1). */
const solicitedNode = 0xff0200000000000000000001ffn;

/** The group of all who have an address that ends alike: who asks for one of them, asks there. */
export function solicitedNodeOf(address: string): string {
  return formatIpv6((solicitedNode << 24n) | (ipv6Number(address) & 0xffffffn));
}

/** Where frames for a group go to (RFC 2464, section 7). */
export function groupMac(group: string): string {
  const low = (ipv6Number(group) & 0xffffffffn).toString(16).padStart(8, '0');
  return ['33', '33', ...(low.match(/../g) ?? [])].join(':');
}
