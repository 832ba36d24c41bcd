/**
 * TCP connections as Linux's own tracker has them, which the kernel's datapath asks
 * (net/netfilter/nf_conntrack_proto_tcp.c, nf_conntrack_tcp_packet; Linux 7.2). Open vSwitch has it
 * let through what is out of window once a connection stands (IP_CT_TCP_FLAG_BE_LIBERAL).
 */
import {
  eventOf,
  isOver,
  nextState,
  stateTimeouts,
  type KernelState,
  type Next,
  type TcpEvent,
} from './kernel-tcp-table.js';
import {
  beginWindows,
  isBefore,
  isWaiting,
  noteIgnored,
  synchronizeWindows,
  type KernelWindows,
} from './kernel-tcp-ends.js';
import { takeIntoWindows } from './kernel-tcp-window.js';
import type { TimeoutName } from '../timeouts.js';
import { contradictory, type TrackedSegment } from './tcp-peer.js';
import type { Update } from './update.js';

export interface KernelTcpProgress {
  readonly kind: 'kernel-tcp';
  state: KernelState;
  answered: boolean;
  /** Answered, and then acknowledged. */
  assured: boolean;
  readonly windows: KernelWindows;
  /** Whether one end has begun to close it. */
  closing: boolean;
  /** Whether both ends have opened it. */
  simultaneous: boolean;
  /** Whether the other end may challenge a SYN: one came in LAST_ACK (RFC 5961, section 4.2). */
  expectsChallenge: boolean;
}

/** A segment and the direction that it comes in. */
interface Seen {
  readonly segment: TrackedSegment;
  readonly event: TcpEvent;
  readonly isReply: boolean;
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
  const event = eventOf(segment.flags) ?? 'ack';
  const state = event === 'syn' ? 'SYN_SENT' : 'ESTABLISHED';
  const windows = beginWindows(segment);
  takeIntoWindows(windows, segment, false, state);
  Object.assign(windows.last, { event, isReply: false });
  const progress: KernelTcpProgress = {
    kind: 'kernel-tcp',
    state,
    answered: false,
    assured: false,
    windows,
    closing: false,
    simultaneous: false,
    expectsChallenge: false,
  };
  return { progress, timeout: timeoutOf(progress, event) };
}

export function updateKernelTcp(
  progress: KernelTcpProgress,
  segment: TrackedSegment,
  isReply: boolean,
): Update {
  const update = updated(progress, segment, isReply);
  if (update.kind !== 'valid' && update.kind !== 'new') return update;
  progress.answered ||= isReply;
  // Open vSwitch asks for it whenever a packet of it has come (net/openvswitch/conntrack.c,
  // __ovs_ct_lookup).
  if (isEstablished(progress))
    progress.windows.original.liberal = progress.windows.reply.liberal = true;
  return { ...update, kind: progress.answered ? 'valid' : 'new' };
}

function updated(progress: KernelTcpProgress, segment: TrackedSegment, isReply: boolean): Update {
  const { state, windows } = progress;
  const event = contradictory(segment.flags) ? undefined : eventOf(segment.flags);
  if (event === undefined) return { kind: 'invalid', why: `TCP without flags in state ${state}` };
  const seen = { segment, event, isReply };
  const next = nextOf(progress, seen);
  switch (next) {
    case 'restart':
      return { kind: 'restart' };
    case 'invalid':
      return { kind: 'invalid', why: `TCP ${event} in state ${state}` };
    case 'ignored':
      noteIgnored(windows, seen);
      if (event === 'syn' && !isReply)
        Object.assign(progress, {
          simultaneous: false,
          expectsChallenge: state === 'LAST_ACK',
        });
      return { kind: 'valid' };
    case 'challenge':
      progress.expectsChallenge = false;
      return { kind: 'valid' };
    default:
      return takeIn(progress, seen, next);
  }
}

/** The state that follows, or what is made of a segment that leads to none. */
function nextOf(progress: KernelTcpProgress, seen: Seen): Next | 'restart' | 'challenge' {
  const { state, windows, simultaneous, expectsChallenge } = progress;
  const { segment, event, isReply } = seen;
  const { last } = windows;
  const next = nextState(state, event, isReply);
  if (next === 'SYN_SENT' && isOver(state))
    return progress.closing || (last.isReply === isReply && last.event === 'rst')
      ? 'restart'
      : 'ignored';
  const isBehindSyn = last.event === 'syn' && last.isReply !== isReply;
  if (
    next === 'ignored' &&
    event === 'syn-ack' &&
    isBehindSyn &&
    segment.acknowledgement === last.end
  ) {
    // Both ends know each other better than the tracker does.
    synchronizeWindows(windows);
    progress.state = 'SYN_SENT';
    return 'SYN_RECV';
  }
  if (next === 'TIME_WAIT' && state === 'LAST_ACK' && isBehindSyn && expectsChallenge)
    return 'challenge';
  return next === 'SYN_RECV' && isReply && event === 'ack' && simultaneous ? 'ESTABLISHED' : next;
}

function takeIn(progress: KernelTcpProgress, seen: Seen, wanted: KernelState): Update {
  const { state, windows, answered } = progress;
  const { segment, event, isReply } = seen;
  progress.simultaneous ||= wanted === 'SYN_SENT2';
  const reset = event === 'rst' ? judgeReset(progress, seen) : 'as others';
  if (reset === 'invalid') return { kind: 'invalid', why: 'TCP RST before what is acknowledged' };
  if (reset !== 'in any window')
    switch (takeIntoWindows(windows, segment, isReply, state)) {
      case 'ignored':
        return { kind: 'valid' };
      case 'invalid':
        return { kind: 'invalid', why: `TCP out of window in state ${state}` };
      case 'within':
        break;
    }
  const next = reset === 'changes nothing' ? state : wanted;
  Object.assign(windows.last, { event, isReply });
  progress.state = next;
  progress.closing ||= next === 'FIN_WAIT' && state !== next;
  if (event === 'rst' && !answered) return { kind: 'last' };
  // Who only asks again keeps nothing alive by it, as long as nobody answers.
  if (event === 'syn' && state === 'SYN_SENT' && !answered) return { kind: 'new' };
  progress.assured ||=
    answered && next === 'ESTABLISHED' && (state === 'SYN_RECV' || state === 'ESTABLISHED');
  return { kind: 'valid', timeout: timeoutOf(progress, event) };
}

/** What a reset has to be held to, and whether it changes the state. */
function judgeReset(
  progress: KernelTcpProgress,
  { segment: { sequence, acknowledgement }, isReply }: Seen,
): 'invalid' | 'as others' | 'in any window' | 'changes nothing' {
  const { state, windows, answered, assured } = progress;
  const { last } = windows;
  if (isClosing(state)) return 'in any window';
  const { maxAck } = isReply ? windows.original : windows.reply;
  if (maxAck !== undefined && last.event !== 'syn') {
    if (sequence === 0 && !isEstablished(progress)) return 'as others';
    if (isBefore(sequence, maxAck)) return 'invalid';
    if (!isEstablished(progress) || sequence === maxAck) return 'as others';
    const isBehindLast = last.event === 'ack' && last.isReply === isReply && sequence === last.end;
    return isBehindLast ? 'as others' : 'changes nothing';
  }
  const isAboutIgnored =
    (answered && last.event === 'syn' && last.isReply !== isReply) ||
    (!assured && last.event === 'ack');
  if (isAboutIgnored && acknowledgement === last.end) return 'in any window';
  const isChallenged = state === 'SYN_SENT' && last.event === 'ack' && last.isReply;
  return isChallenged && sequence === last.ack ? 'in any window' : 'as others';
}

function isEstablished({ state, assured }: KernelTcpProgress): boolean {
  return state === 'ESTABLISHED' && assured;
}

/** Then its tuple may have been used again already (tcp_can_early_drop). */
function isClosing(state: KernelState): boolean {
  return state === 'FIN_WAIT' || state === 'CLOSE_WAIT' || state === 'LAST_ACK' || isOver(state);
}

/**
 * What waits for an acknowledgement is not kept for days, nor what nobody has answered
 * (nf_conntrack_tcp_timeout_unacknowledged). The first answer itself still counts as none.
 */
function timeoutOf({ state, answered, windows }: KernelTcpProgress, event: TcpEvent): TimeoutName {
  if (event === 'rst') return stateTimeouts.CLOSE;
  const isShort = isWaiting(windows) || !answered;
  return state === 'ESTABLISHED' && isShort ? 'tcp_unacknowledged' : stateTimeouts[state];
}

const printedStates: Partial<Readonly<Record<KernelState, string>>> = {
  FIN_WAIT: 'FIN_WAIT_1',
  CLOSE: 'CLOSING',
};

/**
 * As a dump of its datapath prints it, without what it knows of windows; Open vSwitch has names of
 * its own for states (lib/netlink-conntrack.c).
 */
export function printKernelTcp({ state }: KernelTcpProgress): string {
  return `state=${printedStates[state] ?? state}`;
}
