/**
 * Where FTP's data connections go (RFC 959, section 4.1.2; RFC 2428; Open vSwitch lib/conntrack.c,
 * process_ftp_ctl_v4, process_ftp_ctl_v6).
 */
import { InputError } from '../../../base/errors/errors.js';
import { ipv4Number } from '../../../base/addresses/mac-and-ipv4.js';
import { ipv6Number } from '../../../base/addresses/ipv6.js';
import type { Behaviour } from '../../behaviour.js';
import type { Connection } from '../connection.js';
import { addressFrom, printAddress, type Address } from '../tuple.js';

/** What a segment of a control connection announces. */
export type FtpAnnouncement =
  | { readonly kind: 'nothing' }
  /**
   * Of which port, and whether the words are those that whoever reads it needs, where addresses are
   * translated.
   */
  | {
      readonly kind: 'port';
      readonly port: number;
      readonly words: 'as needed' | 'of another address';
    }
  /** An address that is neither end of the connection, or words that are none. */
  | { readonly kind: 'invalid' };

/** Bytes that are read; the last one of them, or of the segment, is not. */
const longest = 128;
const invalid: FtpAnnouncement = { kind: 'invalid' };

export function readFtp(
  payload: Uint8Array,
  connection: Connection,
  { extendedFtp }: Behaviour,
): FtpAnnouncement {
  const [text = ''] = Buffer.from(
    payload.subarray(0, Math.max(0, Math.min(payload.length, longest) - 1)),
  )
    .toString('latin1')
    .split('\0');
  if (connection.original.family === 'ipv6')
    return /^EPRT|EXTENDED PASSIVE/i.test(text)
      ? readOverIpv6(text, connection)
      : { kind: 'nothing' };
  const [command = ''] =
    (extendedFtp === 'over both' ? /^(PORT|EPRT|227|229)/i : /^(PORT|227)/i).exec(text) ?? [];
  return command === ''
    ? { kind: 'nothing' }
    : readOverIpv4(text.slice(command.length), command.toUpperCase(), connection, extendedFtp);
}

/** What stands behind the first space, from its first digit on. */
function readOverIpv4(
  text: string,
  command: string,
  { original, reply }: Connection,
  extendedFtp: Behaviour['extendedFtp'],
): FtpAnnouncement {
  const [, numbers] = /^[^ ]* \D*(\d.*)$/s.exec(text) ?? [];
  if (numbers === undefined) return invalid;
  if (command === '229') return toPort(numberOf(numbers, longestPort)?.value);
  const [, family, rest = ''] =
    command === 'EPRT' ? (/^(\d+)\D+(\d.*)$/s.exec(numbers) ?? []) : [undefined, '1', numbers];
  if (family !== '1') return invalid;
  const found = extendedFtp === 'over both' ? addressIn(rest) : addressOfFour(rest);
  const port =
    found === undefined
      ? undefined
      : command === 'EPRT'
        ? numberOf(found.behind, longestPort)?.value
        : portOfTwo(found.behind);
  if (found === undefined || port === undefined) return invalid;
  const [wanted, own] =
    command === '227'
      ? [original.dst.address, reply.src.address]
      : [reply.dst.address, original.src.address];
  if (![wanted, own].some((address) => isSameAddress(address, found.address))) return invalid;
  return toPort(
    port,
    found.written === printAddress(wanted).replaceAll('.', ',')
      ? 'as needed'
      : 'of another address',
  );
}

function readOverIpv6(text: string, { original, reply }: Connection): FtpAnnouncement {
  if (!/^EPRT/i.test(text))
    return toPort(numberOf(/^[^(]*\D*(.*)$/s.exec(text)?.[1] ?? '', longestPort)?.value);
  const [, family, written = '', rest = ''] =
    /^EPRT\D*(\d\d?).?([0-9a-f:.]*).?(.*)$/is.exec(text) ?? [];
  const address = family === '2' ? readAddress(written, ipv6Number) : undefined;
  const port = numberOf(rest, longestPort)?.value;
  if (address === undefined || port === undefined) return invalid;
  const announced = addressFrom(address, 'ipv6');
  if (![reply.dst.address, original.src.address].some((end) => isSameAddress(end, announced)))
    return invalid;
  return toPort(
    port,
    written === printAddress(reply.dst.address) ? 'as needed' : 'of another address',
  );
}

interface Found {
  readonly address: Address;
  readonly written: string;
  readonly behind: string;
}

/** Up to what is neither a digit nor a dot, for which the first three commas stand. */
function addressIn(text: string): Found | undefined {
  const dotted = [0, 1, 2].reduce((all) => all.replace(',', '.'), text);
  const [end = ''] = /^[\d.]*/.exec(dotted) ?? [];
  return foundAt(text, end);
}

/** Up to the fourth comma. */
function addressOfFour(text: string): Found | undefined {
  const [, end] = /^((?:[^,]*,){3}[^,]*),/.exec(text) ?? [];
  return end === undefined ? undefined : foundAt(text, end.replaceAll(',', '.'));
}

function foundAt(text: string, dotted: string): Found | undefined {
  const address = /^\d+(\.\d+){3}$/.test(dotted)
    ? readAddress(dotted, (quad) => BigInt(ipv4Number(quad)))
    : undefined;
  return address === undefined
    ? undefined
    : {
        address: addressFrom(address, 'ipv4'),
        written: text.slice(0, dotted.length),
        behind: text.slice(dotted.length + 1),
      };
}

function readAddress(text: string, read: (text: string) => bigint): bigint | undefined {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

const longestByte = 3,
  longestPort = 5;

/**
 * The number that a text begins with, of one digit more than `digits` at most, and what is behind
 * the character that ends it.
 */
function numberOf(
  text: string,
  digits: number,
): { readonly value: number; readonly behind: string } | undefined {
  const [number = ''] = new RegExp(`^\\d{0,${digits + 1}}`).exec(text) ?? [];
  return number === ''
    ? undefined
    : { value: Number(number), behind: text.slice(number.length + 1) };
}

/** `16,2` is 4098. */
function portOfTwo(text: string): number | undefined {
  const high = numberOf(text, longestByte);
  const [low] = /^\d+/.exec(high?.behind ?? '') ?? [];
  if (high === undefined || low === undefined || high.value > 255 || Number(low) > 255)
    return undefined;
  return high.value * 256 + Number(low);
}

function toPort(
  port: number | undefined,
  words: 'as needed' | 'of another address' = 'as needed',
): FtpAnnouncement {
  return port === undefined || port > 0xffff ? invalid : { kind: 'port', port, words };
}

function isSameAddress(one: Address, other: Address): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}
