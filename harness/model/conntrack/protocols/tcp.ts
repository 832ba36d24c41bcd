/**
 * TCP connections as the userspace datapath tracks them: states and windows of both ends, after the
 * rules that Guido van Rooij gave in "Real Stateful TCP Packet Filtering in IP Filter" and Open
 * vSwitch's lib/conntrack-tcp.c lays down.
 */
import { tcpFlags, type TcpHeader } from '../../../packet/protocols/transport/tcp.js';
import type { TimeoutName } from '../timeouts.js';
import type { Update } from './update.js';

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
interface Peer {
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

export interface TcpProgress {
  readonly kind: 'tcp';
  /** The end that sent the first packet, and the other. */
  readonly peers: readonly [Peer, Peer];
}

/** The largest shift (RFC 7323, section 2.3), which also holds where the shift is not known. */
const largestScale = 14;
/** A limit of 1 says that nothing is known of it yet. */
const unknownLimit = 1;
/** How far acknowledgements may be off: a window, and a packet. */
const skewMax = 0xffff + 1500;

const { SYN, ACK, FIN, RST, PSH, URG } = tcpFlags;

/**
 * Whether a segment may begin a connection: not half of a handshake, and no flags that contradict
 * each other.
 */
export function opensTcp(segment: TrackedSegment): boolean {
  return !contradictory(segment.flags) && (segment.flags & (SYN | ACK)) !== (SYN | ACK);
}

export function beginTcp({ flags, sequence, payloadLength, window, options }: TrackedSegment): {
  readonly progress: TcpProgress;
  readonly timeout: TimeoutName;
} {
  const isSyn = (flags & SYN) !== 0;
  const scale = isSyn ? windowScale(options) : 'unknown';
  const limit = plus(sequence, payloadLength + 1 + (isSyn ? 1 : 0) + ((flags & FIN) === 0 ? 0 : 1));
  const opener: Peer = {
    state: 'SYN_SENT',
    sent: sequence,
    limit,
    window: unscaled(Math.max(window, 1), shift(scale)),
    scale,
  };
  const answerer: Peer = {
    state: 'CLOSED',
    sent: 0,
    limit: unknownLimit,
    window: 1,
    scale: isSyn ? 'none' : 'unknown',
  };
  return { progress: { kind: 'tcp', peers: [opener, answerer] }, timeout: 'tcp_syn_sent' };
}

/**
 * Brings the connection up to date with a segment, sent by the answering end if `reply`; an invalid
 * one changes as little as it does in Open vSwitch. Unless sequences are checked, none is out of
 * its window.
 */
export function updateTcp(
  { peers }: TcpProgress,
  segment: TrackedSegment,
  reply: boolean,
  sequences: 'checked' | 'not checked' = 'checked',
): Update {
  const [source, target] = reply ? [peers[1], peers[0]] : peers;
  if (contradictory(segment.flags)) return { kind: 'invalid' };
  if ((segment.flags & (SYN | ACK)) === SYN) {
    if (reached(source, 'FIN_WAIT_2') && reached(target, 'FIN_WAIT_2')) {
      source.state = target.state = 'CLOSED';
      return { kind: 'restart' };
    }
    if (!reached(source, 'ESTABLISHED')) {
      source.state = 'SYN_SENT';
      return { kind: 'new', timeout: 'tcp_syn_sent' };
    }
  }
  const seen = trackSegment(source, target, segment);
  if (sequences === 'not checked' || isInWindow(source, target, segment, seen)) {
    slide(source, target, seen);
    advance(source, target, segment.flags);
    return { kind: 'valid', timeout: timeoutOf(source, target) };
  }
  const isAwkward =
    !reached(target, 'SYN_SENT') || reached(target, 'FIN_WAIT_2') || reached(source, 'FIN_WAIT_2');
  if (
    !isAwkward ||
    ahead(seen.end, plus(source.limit, skewMax)) > 0 ||
    ahead(seen.begin, plus(source.sent, -skewMax)) < 0
  )
    return { kind: 'invalid' };
  slide(source, target, seen);
  close(source, target, segment.flags);
  return { kind: 'valid' };
}

/**
 * What a segment takes of the sequence and offers as window, with what is lenient about it worked
 * in.
 */
interface SegmentRange {
  readonly begin: number;
  readonly end: number;
  readonly acknowledgement: number;
  readonly window: number;
  /** Shifts of the windows of its sender and its receiver. */
  readonly scales: readonly [source: number, target: number];
  /** How far the acknowledgement is behind what the receiver has sent. */
  readonly skew: number;
}

/** The first segment from an end says what there is to know of it, valid or not. */
function trackSegment(source: Peer, target: Peer, segment: TrackedSegment): SegmentRange {
  const { flags, sequence } = segment;
  const end = plus(
    sequence,
    segment.payloadLength + ((flags & SYN) === 0 ? 0 : 1) + ((flags & FIN) === 0 ? 0 : 1),
  );
  let scales = scalesOf(source, target, flags);
  let { window } = segment;
  let skewMatters = true;
  if (!reached(source, 'SYN_SENT')) {
    if ((flags & SYN) !== 0 && typeof target.scale === 'number') {
      [scales, window] = agreeOnScale(source, target, segment);
    }
    source.sent = sequence;
    source.state = 'SYN_SENT';
    const room = plus(end, Math.max(1, target.window << scales[1]));
    if (source.limit === unknownLimit || ahead(room, source.limit) >= 0) {
      source.limit = room;
      skewMatters = false;
    }
    source.window = Math.max(source.window, window);
  }
  const resets = segment.acknowledgement === 0 && (flags & (ACK | RST)) === (ACK | RST);
  const acknowledgement = (flags & ACK) === 0 || resets ? target.sent : segment.acknowledgement;
  const skew = skewMatters ? ahead(target.sent, acknowledgement) : 0;
  // Without data the place in the sequence does not matter.
  const [begin, last] = sequence === end ? [source.sent, source.sent] : [sequence, end];
  return { begin, end: last, acknowledgement, window, scales, skew };
}

/**
 * Windows are scaled where both ends do, and never in a SYN; where that is not known, as far as may
 * be.
 */
function scalesOf(source: Peer, target: Peer, flags: number): readonly [number, number] {
  if ((flags & SYN) !== 0) return [0, 0];
  if (typeof source.scale === 'number' && typeof target.scale === 'number')
    return [source.scale, target.scale];
  return source.scale === 'unknown' && target.scale === 'unknown'
    ? [largestScale, largestScale]
    : [0, 0];
}

/** The answer to a SYN that offered to scale windows: it scales too, or nobody does. */
function agreeOnScale(
  source: Peer,
  target: Peer,
  { options, window }: TrackedSegment,
): readonly [scales: readonly [number, number], window: number] {
  source.scale = windowScale(options);
  const theirs = shift(target.scale);
  if (source.scale !== 'none')
    return [[shift(source.scale), theirs], unscaled(window, shift(source.scale))];
  target.window = (target.window << theirs) & 0xffff;
  target.scale = 'none';
  return [[0, 0], window];
}

function isInWindow(
  source: Peer,
  target: Peer,
  { flags, sequence }: TrackedSegment,
  { begin, end, skew, scales }: SegmentRange,
): boolean {
  return (
    ahead(source.limit, end) >= 0 &&
    ahead(begin, plus(source.sent, -(target.window << scales[1]))) >= 0 &&
    skew >= -skewMax &&
    skew <= skewMax << scales[0] &&
    ((flags & RST) === 0 || Math.abs(ahead(sequence, source.sent)) <= 1)
  );
}

/** What was sent, and what may be sent next. */
function slide(
  source: Peer,
  target: Peer,
  { end, acknowledgement, window, scales }: SegmentRange,
): void {
  source.window = Math.max(source.window, window);
  if (ahead(end, source.sent) > 0) source.sent = end;
  const offered = window << scales[0];
  if (ahead(plus(acknowledgement, offered), target.limit) >= 0)
    target.limit = plus(acknowledgement, Math.max(offered, 1));
}

function advance(source: Peer, target: Peer, flags: number): void {
  if ((flags & FIN) !== 0 && !reached(source, 'CLOSING')) source.state = 'CLOSING';
  if ((flags & ACK) !== 0) {
    if (target.state === 'SYN_SENT') target.state = 'ESTABLISHED';
    else if (target.state === 'CLOSING') target.state = 'FIN_WAIT_2';
  }
  if ((flags & RST) !== 0) source.state = target.state = 'TIME_WAIT';
}

function close(source: Peer, target: Peer, flags: number): void {
  if ((flags & FIN) !== 0 && !reached(source, 'CLOSING')) source.state = 'CLOSING';
  if ((flags & RST) !== 0) source.state = target.state = 'TIME_WAIT';
}

function timeoutOf(source: Peer, target: Peer): TimeoutName {
  const both = (state: TcpState) => reached(source, state) && reached(target, state);
  if (both('FIN_WAIT_2')) return 'tcp_close';
  if (both('CLOSING')) return 'tcp_time_wait';
  if (!both('ESTABLISHED')) return 'tcp_syn_recv';
  return reached(source, 'CLOSING') || reached(target, 'CLOSING')
    ? 'tcp_fin_wait'
    : 'tcp_established';
}

function reached(peer: Peer, state: TcpState): boolean {
  return tcpStates.indexOf(peer.state) >= tcpStates.indexOf(state);
}

/** Flags that no segment has together, or not without others. */
function contradictory(flags: number): boolean {
  if ((flags & SYN) !== 0 ? (flags & (RST | FIN)) !== 0 : (flags & (ACK | RST)) === 0) return true;
  return (flags & ACK) === 0 && (flags & (FIN | PSH | URG)) !== 0;
}

/** The shift that a SYN offers (option 3 of RFC 7323), read as leniently as Open vSwitch does. */
function windowScale(options: Uint8Array): Peer['scale'] {
  let scale: Peer['scale'] = 'none';
  for (let at = 0; options.length - at >= 3; ) {
    const kind = options[at];
    if (kind === 0) return scale;
    if (kind === 3) scale = Math.min(options[at + 2] ?? 0, largestScale);
    at += kind === 1 ? 1 : Math.max(options[at + 1] ?? 0, 2);
  }
  return scale;
}

function shift(scale: Peer['scale']): number {
  return typeof scale === 'number' ? scale : 0;
}

function unscaled(window: number, scale: number): number {
  return Math.ceil(window / 2 ** scale);
}

function plus(sequence: number, length: number): number {
  return (sequence + length) >>> 0;
}

/** How far `a` is ahead of `b` in a sequence that wraps around. */
function ahead(a: number, b: number): number {
  return (a - b) | 0;
}

/** Both ends as `dpctl/dump-conntrack -m` tells them. */
export function printTcp({ peers: [opener, answerer] }: TcpProgress): string {
  const scales = [shift(opener.scale), shift(answerer.scale)] as const;
  const scaling =
    scales[0] === 0 && scales[1] === 0 ? '' : `,wscale_orig=${scales[0]},wscale_reply=${scales[1]}`;
  return (
    `state_orig=${opener.state},state_reply=${answerer.state}${scaling},` +
    `flags_orig=${flagsOf(opener)},flags_reply=${flagsOf(answerer)}`
  );
}

function flagsOf({ scale }: Peer): string {
  return scale === 'unknown' ? 'BE_LIBERAL' : scale === 'none' ? '0' : 'WINDOW_SCALE';
}
