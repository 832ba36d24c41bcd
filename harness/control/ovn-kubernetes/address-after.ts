import { formatIpv4, ipv4Number } from '../../base/addresses/mac-and-ipv4.js';

/** The address `offset` after `first`. */
export function addressAfter(first: string, offset: number): string {
  return formatIpv4(ipv4Number(first) + offset);
}
