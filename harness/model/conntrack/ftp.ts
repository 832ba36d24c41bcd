/** Where FTP's data connections go (RFC 959, section 4.1.2; Open vSwitch lib/conntrack.c, process_ftp_ctl_v4). */
import { Unsupported } from '../../base/errors.js';
import { ipv4Number } from '../../base/address.js';
import type { Behaviour } from '../behaviour.js';
import type { Connection } from './connection.js';

/** What a segment of a control connection tells. */
export type FtpControl =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'port'; readonly port: number }
  /** An address that is neither end of the connection. */
  | { readonly kind: 'foreign' };

/** Bytes that are looked at; the last one of them, or of the segment, is not. */
const longest = 128;

/** @throws Unsupported for EPRT and EPSV, and for an address that is not written as RFC 959 has it. */
export function readFtp(payload: Uint8Array, { original, reply }: Connection, { extendedFtp }: Behaviour): FtpControl {
  const [text = ''] = Buffer.from(payload.subarray(0, Math.max(0, Math.min(payload.length, longest) - 1))).toString('latin1').split('\0');
  const isIpv6 = original.family === 'ipv6';
  const isExtended = isIpv6 ? /^EPRT|EXTENDED PASSIVE/i.test(text) : extendedFtp === 'over both' && /^(EPRT|229)/i.test(text);
  if (isExtended) throw new Unsupported('the model does not read EPRT and EPSV of FTP');
  const [, command] = /^(PORT|227)/i.exec(text) ?? [];
  if (isIpv6 || command === undefined) return { kind: 'nothing' };
  const numbers = /^[^ ]* \D*((?:\d{1,3},){5}\d{1,3})(?!\d)/.exec(text)?.[1]?.split(',') ?? [];
  if (numbers.length === 0 || numbers.some((number) => Number(number) > 255 || /^0\d/.test(number))) throw new Unsupported(`the model does not know what Open vSwitch makes of FTP's ${JSON.stringify(text)}`);
  const address = ipv4Number(numbers.slice(0, 4).join('.'));
  const ends = command === '227' ? [original.dst, reply.src] : [original.src, reply.dst];
  if (!ends.some((end) => end.address[0] === address)) return { kind: 'foreign' };
  const [high, low] = numbers.slice(4).map(Number);
  return { kind: 'port', port: (high ?? 0) * 256 + (low ?? 0) };
}
