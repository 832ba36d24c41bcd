/**
 * Addresses of either family as one number of 128 bits: those of IPv4 stand where IPv6 maps them
 * (RFC 4291, section 2.5.5.2).
 */
import { formatIpv4, ipv4Number } from './mac-and-ipv4.js';
import { InputError } from '../errors/errors.js';
import { formatIpv6, ipv6Number } from './ipv6.js';

const mapped = 0xffffn << 32n;

/** `10.0.0.1` or `fd00::1`. @throws InputError when it is neither. */
export function addressNumber(text: string): bigint {
  return text.includes(':') ? ipv6Number(text) : fromIpv4(ipv4Number(text));
}

export function formatAddress(address: bigint): string {
  return isIpv4Address(address) ? formatIpv4(toIpv4(address)) : formatIpv6(address);
}

export function isIpv4Address(address: bigint): boolean {
  return address >> 32n === mapped >> 32n;
}

/** From an IPv4 address as a number of 32 bits. */
export function fromIpv4(number: number): bigint {
  return mapped | BigInt(number);
}

/** The lower 32 bits. */
export function toIpv4(address: bigint): number {
  return Number(address & 0xffffffffn);
}

/** A block of addresses; `prefixLength` counts in 128 bits also for IPv4. */
export interface AddressBlock {
  readonly address: bigint;
  readonly prefixLength: number;
}

/** `10.0.0.0/24` or `fd00::/64`; host bits are cleared. @throws InputError naming the text. */
export function addressBlock(text: string): AddressBlock {
  const [address = '', length = '', ...rest] = text.split('/');
  const isIpv4 = !address.includes(':');
  if (rest.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > (isIpv4 ? 32 : 128))
    throw new InputError(
      `expected a block of addresses such as 10.10.0.0/24 or fd00::/64, got "${text}"`,
    );
  const prefixLength = Number(length) + (isIpv4 ? 96 : 0);
  return { address: hostBitsCleared(addressNumber(address), prefixLength), prefixLength };
}

export function blockContains({ address, prefixLength }: AddressBlock, candidate: bigint): boolean {
  return hostBitsCleared(candidate, prefixLength) === address;
}

function hostBitsCleared(address: bigint, prefixLength: number): bigint {
  const bits = BigInt(128 - prefixLength);
  return (address >> bits) << bits;
}
