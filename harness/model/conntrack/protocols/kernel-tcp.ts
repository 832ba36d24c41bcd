/**
 * TCP connections as Linux's own tracker has them, which the kernel's datapath asks: one state for
 * both ends (net/netfilter/nf_conntrack_proto_tcp.c). Open vSwitch has it let through what is out
 * of window once a connection stands (IP_CT_TCP_FLAG_BE_LIBERAL).
 */
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import {
  beginWindows,
  isWaiting,
  takeIntoWindows,
  type KernelWindows,
} from './kernel-tcp-window.js';
import type { TimeoutName } from '../timeouts.js';
import { contradictory, type TrackedSegment } from './tcp-peer.js';
import type { Update } from './update.js';

type KernelState =
  | 'SYN_SENT'
  | 'SYN_SENT2'
  | 'SYN_RECV'
  | 'ESTABLISHED'
  | 'FIN_WAIT'
  | 'CLOSE_WAIT'
  | 'LAST_ACK'
  | 'TIME_WAIT'
  | 'CLOSE';

export interface KernelTcpProgress {
  readonly kind: 'kernel-tcp';
  state: KernelState;
  answered: boolean;
  readonly windows: KernelWindows;
  /** What is out of window is let through. */
  liberal: boolean;
}

type Event = 'syn' | 'syn-ack' | 'fin' | 'ack' | 'rst';

/** A segment that changes nothing, or that is no part of the connection. */
type Next = KernelState | 'ignored' | 'invalid';

const { SYN, ACK, FIN, RST } = tcpFlags;

function eventOf(flags: number): Event | undefined {
  if ((flags & RST) !== 0) return 'rst';
  if ((flags & SYN) !== 0) return (flags & ACK) === 0 ? 'syn' : 'syn-ack';
  if ((flags & FIN) !== 0) return 'fin';
  return (flags & ACK) === 0 ? undefined : 'ack';
}

/** A handshake begins one, and what is in the middle of one that nobody saw (tcp_loose). */
export function opensKernelTcp({ flags }: TrackedSegment): boolean {
  const event = eventOf(flags);
  return !contradictory(flags) && (event === 'syn' || event === 'ack');
}

export function beginKernelTcp(segment: TrackedSegment): {
  readonly progress: KernelTcpProgress;
  readonly timeout: TimeoutName;
} {
  const isSyn = eventOf(segment.flags) === 'syn';
  const windows = beginWindows(segment);
  takeIntoWindows(windows, segment, false, isSyn);
  const progress: KernelTcpProgress = {
    kind: 'kernel-tcp',
    state: isSyn ? 'SYN_SENT' : 'ESTABLISHED',
    answered: false,
    windows,
    liberal: !isSyn,
  };
  return { progress, timeout: timeoutOf(progress) };
}

export function updateKernelTcp(
  progress: KernelTcpProgress,
  segment: TrackedSegment,
  isReply: boolean,
): Update {
  const { flags } = segment;
  const event = contradictory(flags) ? undefined : eventOf(flags);
  const next = event === undefined ? 'invalid' : nextState(progress.state, event, isReply);
  if (next === 'invalid')
    return { kind: 'invalid', why: `TCP ${event ?? 'without flags'} in state ${progress.state}` };
  if (event === 'syn' && !isReply && next === 'SYN_SENT' && isOver(progress.state))
    return { kind: 'restart' };
  if (next !== 'ignored') {
    const mayBegin = isReply ? progress.state === 'SYN_RECV' : progress.state === 'SYN_SENT';
    const isWithin = takeIntoWindows(progress.windows, segment, isReply, mayBegin);
    if (!isWithin && !progress.liberal)
      return { kind: 'invalid', why: `TCP out of window in state ${progress.state}` };
  }
  // What is refused or given up before it is answered is forgotten at once
  // (nf_conntrack_tcp_packet).
  if (event === 'rst' && !progress.answered) return { kind: 'last' };
  const wasAnswered = progress.answered;
  progress.answered ||= isReply;
  // Who only asks again keeps nothing alive by it, as long as nobody answers.
  if (event === 'syn' && progress.state === 'SYN_SENT' && !progress.answered)
    return { kind: 'new' };
  // What is ignored keeps nothing alive.
  if (next === 'ignored') return { kind: progress.answered ? 'valid' : 'new' };
  progress.state = next;
  progress.liberal ||= progress.answered && progress.state === 'ESTABLISHED';
  // The first answer itself still counts as none there.
  const timeout = timeoutOf({ ...progress, answered: wasAnswered });
  return progress.answered ? { kind: 'valid', timeout } : { kind: 'new', timeout };
}

function isOver(state: KernelState): boolean {
  return state === 'TIME_WAIT' || state === 'CLOSE';
}

function nextState(state: KernelState, event: Event, isReply: boolean): Next {
  if (event === 'rst') return 'CLOSE';
  switch (event) {
    case 'syn':
      return isReply ? synOfAnswerer(state) : synOfOpener(state);
    case 'syn-ack':
      return isReply ? answerOfAnswerer(state) : answerOfOpener(state);
    case 'fin':
      return afterFin(state);
    case 'ack':
      return isReply ? ackOfAnswerer(state) : ackOfOpener(state);
  }
}

function synOfOpener(state: KernelState): Next {
  if (state === 'SYN_SENT' || isOver(state)) return 'SYN_SENT';
  return state === 'SYN_SENT2' ? 'SYN_SENT2' : 'ignored';
}

/** Both ends may open at once. */
function synOfAnswerer(state: KernelState): Next {
  if (state === 'SYN_SENT' || state === 'SYN_SENT2') return 'SYN_SENT2';
  return state === 'TIME_WAIT' ? 'SYN_SENT' : 'invalid';
}

function answerOfOpener(state: KernelState): Next {
  return state === 'SYN_RECV' || state === 'SYN_SENT2' ? 'SYN_RECV' : 'invalid';
}

function answerOfAnswerer(state: KernelState): Next {
  return state === 'SYN_SENT' || state === 'SYN_SENT2' ? 'SYN_RECV' : 'ignored';
}

function afterFin(state: KernelState): Next {
  switch (state) {
    case 'SYN_SENT':
    case 'SYN_SENT2':
      return 'invalid';
    case 'SYN_RECV':
    case 'ESTABLISHED':
      return 'FIN_WAIT';
    case 'FIN_WAIT':
    case 'CLOSE_WAIT':
    case 'LAST_ACK':
      return 'LAST_ACK';
    case 'TIME_WAIT':
    case 'CLOSE':
      return state;
  }
}

function ackOfOpener(state: KernelState): Next {
  if (state === 'SYN_SENT' || state === 'SYN_SENT2') return 'invalid';
  return state === 'SYN_RECV' ? 'ESTABLISHED' : afterAck(state);
}

function ackOfAnswerer(state: KernelState): Next {
  if (state === 'SYN_SENT' || state === 'SYN_SENT2') return 'ignored';
  return state === 'SYN_RECV' ? 'SYN_RECV' : afterAck(state);
}

function afterAck(state: KernelState): KernelState {
  if (state === 'FIN_WAIT') return 'CLOSE_WAIT';
  return state === 'LAST_ACK' ? 'TIME_WAIT' : state;
}

const timeouts: Readonly<Record<KernelState, TimeoutName>> = {
  SYN_SENT: 'tcp_syn_sent',
  SYN_SENT2: 'tcp_syn_sent',
  SYN_RECV: 'tcp_syn_recv',
  ESTABLISHED: 'tcp_established',
  FIN_WAIT: 'tcp_fin_wait',
  CLOSE_WAIT: 'tcp_close_wait',
  LAST_ACK: 'tcp_last_ack',
  TIME_WAIT: 'tcp_time_wait',
  CLOSE: 'tcp_close',
};

/**
 * What waits for an acknowledgement is not kept for days, nor what nobody has answered
 * (nf_conntrack_tcp_timeout_unacknowledged).
 */
function timeoutOf({ state, answered, windows }: KernelTcpProgress): TimeoutName {
  const isShort = isWaiting(windows) || !answered;
  return state === 'ESTABLISHED' && isShort ? 'tcp_unacknowledged' : timeouts[state];
}

/**
 * As a dump of its datapath prints it, without what it knows of windows; Open vSwitch has names of
 * its own for states (lib/netlink-conntrack.c).
 */
export function printKernelTcp({ state }: KernelTcpProgress): string {
  return `state=${state === 'FIN_WAIT' ? 'FIN_WAIT_1' : state}`;
}
