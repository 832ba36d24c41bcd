/**
 * The header that checksums cover beside the bytes they stand in front of (RFC 9293, section 3.1;
 * RFC 8200, section 8.1).
 */
import { ipv4Number } from '../../../base/addresses/mac-and-ipv4.js';
import { ipv6Number } from '../../../base/addresses/ipv6.js';

/** Two addresses of the same family, as text. */
export interface IpAddresses {
  readonly src: string;
  readonly dst: string;
}

/**
 * The sum of its 16-bit words, not yet folded; `length` in bytes is that of what follows. @throws
 * InputError for a text that is no address.
 */
export function pseudoHeaderSum(
  { src, dst }: IpAddresses,
  protocol: number,
  length: number,
): number {
  return sumAddress(src) + sumAddress(dst) + protocol + length;
}

function sumAddress(address: string): number {
  if (!address.includes(':')) {
    const number = ipv4Number(address);
    return (number >>> 16) + (number & 0xffff);
  }
  let sum = 0;
  for (let rest = ipv6Number(address); rest > 0n; rest >>= 16n) sum += Number(rest & 0xffffn);
  return sum;
}
