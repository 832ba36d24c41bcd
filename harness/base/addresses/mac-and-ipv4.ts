/** Addresses as people write them, and as packets carry them. */
import { InputError } from '../errors/errors.js';

/** `0a:00:0a:0a:00:01` as six bytes. @throws InputError when it is not six hexadecimal pairs. */
export function macBytes(text: string): Uint8Array {
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text))
    throw new InputError(`expected a MAC address such as 0a:00:0a:0a:00:01, got "${text}"`);
  const bytes = new Uint8Array(6);
  for (let index = 0; index < 6; index++)
    bytes[index] = Number.parseInt(text.slice(3 * index, 3 * index + 2), 16);
  return bytes;
}

const pairs: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

/** Six bytes at `offset` as `0a:00:0a:0a:00:01`; nothing where there are fewer. */
export function formatMac(bytes: Uint8Array, offset = 0): string {
  const pair = (index: number) => pairs[bytes[offset + index] ?? 256] ?? '';
  return `${pair(0)}:${pair(1)}:${pair(2)}:${pair(3)}:${pair(4)}:${pair(5)}`;
}

/** `10.10.0.1` as an unsigned 32-bit number. @throws InputError when it is not dotted decimal. */
export function ipv4Number(text: string): number {
  let [number, octet, dots] = [0, none, 0];
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - zero;
    if (digit === dot && octet !== none) {
      number = number * 256 + octet;
      octet = none;
      dots++;
      continue;
    }
    if (digit < 0 || digit > 9 || octet === 0) throw noIpv4(text);
    octet = octet === none ? digit : octet * 10 + digit;
    if (octet > 255) throw noIpv4(text);
  }
  if (octet === none || dots !== 3) throw noIpv4(text);
  return number * 256 + octet;
}

const zero = '0'.charCodeAt(0);
const dot = '.'.charCodeAt(0) - zero;
/** No digit of it was read yet. */
const none = -1;

function noIpv4(text: string): InputError {
  return new InputError(`expected an IPv4 address such as 10.10.0.1, got "${text}"`);
}

/** An unsigned 32-bit number as `10.10.0.1`. */
export function formatIpv4(number: number): string {
  return `${number >>> 24}.${(number >>> 16) & 0xff}.${(number >>> 8) & 0xff}.${number & 0xff}`;
}

/** A block of IPv4 addresses: `number` is its first address, host bits zero. */
export interface Cidr {
  readonly number: number;
  readonly prefixLength: number;
}

/**
 * `10.10.0.0/24`; host bits in the text are cleared, a bare address is a /32. @throws InputError
 * naming the text.
 */
export function parseCidr(text: string): Cidr {
  const [address, length = '32', ...rest] = text.split('/');
  const prefixLength = /^\d{1,2}$/.test(length) ? Number(length) : 33;
  if (address === undefined || rest.length > 0 || prefixLength > 32)
    throw new InputError(`expected a block of addresses such as 10.10.0.0/24, got "${text}"`);
  return { number: (ipv4Number(address) & prefixMask(prefixLength)) >>> 0, prefixLength };
}

/** The netmask of a prefix as an unsigned 32-bit number. */
export function prefixMask(prefixLength: number): number {
  return prefixLength === 0 ? 0 : (0xffffffff << (32 - prefixLength)) >>> 0;
}

/** Whether `ip` (a number) lies in the block. */
export function cidrContains(cidr: Cidr, ip: number): boolean {
  return (ip & prefixMask(cidr.prefixLength)) >>> 0 === cidr.number;
}

/** Whether any address lies in both blocks. */
export function cidrsOverlap(one: Cidr, other: Cidr): boolean {
  return cidrContains(one, other.number) || cidrContains(other, one.number);
}
