/** One end of a TCP connection, as the tracker knows it. */
import { tcpFlags, type TcpHeader } from '../../../packet/protocols/transport/tcp.js';

const { SYN, ACK, FIN, RST, PSH, URG } = tcpFlags;

/** What the tracker reads of a segment. */
export interface TrackedSegment
  extends Pick<TcpHeader, 'sequence' | 'acknowledgement' | 'flags' | 'window' | 'options'> {
  readonly payloadLength: number;
}

/**
 * Of all states of TCP, those that an end can be in here, in the order in which Open vSwitch
 * compares them.
 */
export const tcpStates = [
  'CLOSED',
  'SYN_SENT',
  'ESTABLISHED',
  'CLOSING',
  'FIN_WAIT_2',
  'TIME_WAIT',
] as const;

export type TcpState = (typeof tcpStates)[number];

/** One end of a connection. */
export interface Peer {
  state: TcpState;
  /** How far in the sequence it was seen to send; at first its first segment itself. */
  sent: number;
  /** The first sequence number that it may not send. */
  limit: number;
  /** The largest window that it offered, before scaling. */
  window: number;
  /**
   * The shift of its windows (RFC 7323); `unknown` when the connection was picked up on the way.
   */
  scale: number | 'none' | 'unknown';
}

/** The largest shift (RFC 7323, section 2.3), which also holds where the shift is not known. */
export const largestScale = 14;

/** A limit of 1 says that nothing is known of it yet. */
export const unknownLimit = 1;

export function reached(peer: Peer, state: TcpState): boolean {
  return tcpStates.indexOf(peer.state) >= tcpStates.indexOf(state);
}

/** Flags that no segment has together, or not without others. */
export function contradictory(flags: number): boolean {
  if ((flags & SYN) !== 0 ? (flags & (RST | FIN)) !== 0 : (flags & (ACK | RST)) === 0) return true;
  return (flags & ACK) === 0 && (flags & (FIN | PSH | URG)) !== 0;
}

/** The shift that a SYN offers (option 3 of RFC 7323), read as leniently as Open vSwitch does. */
export function windowScale(options: Uint8Array): Peer['scale'] {
  let scale: Peer['scale'] = 'none';
  for (let at = 0; options.length - at >= 3; ) {
    const kind = options[at];
    if (kind === 0) return scale;
    if (kind === 3) scale = Math.min(options[at + 2] ?? 0, largestScale);
    at += kind === 1 ? 1 : Math.max(options[at + 1] ?? 0, 2);
  }
  return scale;
}

export function shift(scale: Peer['scale']): number {
  return typeof scale === 'number' ? scale : 0;
}

export function unscaled(window: number, scale: number): number {
  return Math.ceil(window / 2 ** scale);
}

export function plus(sequence: number, length: number): number {
  return (sequence + length) >>> 0;
}

/** How far `a` is ahead of `b` in a sequence that wraps around. */
export function ahead(a: number, b: number): number {
  return (a - b) | 0;
}

export function flagsOf({ scale }: Peer): string {
  return scale === 'unknown' ? 'BE_LIBERAL' : scale === 'none' ? '0' : 'WINDOW_SCALE';
}
