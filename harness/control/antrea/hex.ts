import { ipv4Number } from '../../base/addresses/mac-and-ipv4.js';

/** `0xe2e5a49b1cb1`: a MAC address as the value of a load action. */
export function hexOfMac(mac: string): string {
  return `0x${BigInt(`0x${mac.replaceAll(':', '')}`).toString(16)}`;
}

/** `0xc0a84d65`: an IPv4 address as the value of a load action. */
export function hexOfIpv4(ip: string): string {
  return `0x${ipv4Number(ip).toString(16)}`;
}
