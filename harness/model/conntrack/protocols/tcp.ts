/**
 * TCP connections as the userspace datapath tracks them: states and windows of both ends, after the
 * rules that Guido van Rooij gave in "Real Stateful TCP Packet Filtering in IP Filter" and Open
 * vSwitch's lib/conntrack-tcp.c lays down.
 */
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import type { TimeoutName } from '../timeouts.js';
import type { Update } from './update.js';
import {
  type TrackedSegment,
  type TcpState,
  type Peer,
  unknownLimit,
  reached,
  contradictory,
  windowScale,
  shift,
  unscaled,
  plus,
  ahead,
  flagsOf,
} from './tcp-peer.js';
import { skewMax, trackSegment, isInWindow, slide } from './tcp-window.js';

const { SYN, ACK, FIN, RST } = tcpFlags;

export interface TcpProgress {
  readonly kind: 'tcp';
  /** The end that sent the first packet, and the other. */
  readonly peers: readonly [Peer, Peer];
}

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
  if (contradictory(segment.flags))
    return { kind: 'invalid', why: 'its TCP flags contradict each other' };
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
    return {
      kind: 'invalid',
      why:
        `bytes ${seen.begin} to ${seen.end} of TCP, or what is acknowledged, are outside of the ` +
        'windows of the connection',
    };
  slide(source, target, seen);
  close(source, target, segment.flags);
  return { kind: 'valid' };
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

/** Both ends as `dpctl/dump-conntrack -m` prints them. */
export function printTcp({ peers: [opener, answerer] }: TcpProgress): string {
  const scales = [shift(opener.scale), shift(answerer.scale)] as const;
  const scaling =
    scales[0] === 0 && scales[1] === 0 ? '' : `,wscale_orig=${scales[0]},wscale_reply=${scales[1]}`;
  return (
    `state_orig=${opener.state},state_reply=${answerer.state}${scaling},` +
    `flags_orig=${flagsOf(opener)},flags_reply=${flagsOf(answerer)}`
  );
}
