/**
 * The windows that Linux's tracker keeps of a connection (tcp_in_window): where Open vSwitch has it
 * let through what is outside of them, they still say whether data waits for its acknowledgement,
 * and so how long the connection lasts.
 */
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import { readTcpOptions } from './kernel-tcp-options.js';
import type { TrackedSegment } from './tcp-peer.js';

/** What is known of one end. */
interface WindowEnd {
  /** Behind the last byte that it has sent, and the last that it may send. */
  end: number;
  maxEnd: number;
  /** The largest that it has offered; zero as long as nothing came from it. */
  maxWindow: number;
  scale: number;
  scales: boolean;
  /** Some of what it has sent waits for its acknowledgement. */
  isUnacknowledged: boolean;
  maxAck?: number;
}

export interface KernelWindows {
  readonly original: WindowEnd;
  readonly reply: WindowEnd;
  /** The last segment that was nothing but an acknowledgement, with data or without. */
  last: string;
  lastWindow: number | undefined;
  /** How often it came again. */
  repeats: number;
}

const { SYN, ACK, FIN, RST } = tcpFlags;
/** The least that an acknowledgement may stay behind (MAXACKWINCONST). */
const ackWindowMin = 66_000;

function fresh(): WindowEnd {
  return { end: 0, maxEnd: 0, maxWindow: 0, scale: 0, scales: false, isUnacknowledged: false };
}

/** At the first segment; one in the middle of a connection speaks for what came before. */
export function beginWindows(segment: TrackedSegment): KernelWindows {
  const original = fresh();
  original.end = endOf(segment);
  original.maxWindow = segment.window || 1;
  if ((segment.flags & SYN) === 0) original.maxEnd = add(original.end, original.maxWindow);
  else {
    original.maxEnd = original.end;
    Object.assign(original, readTcpOptions(segment));
  }
  return { original, reply: fresh(), last: '', lastWindow: undefined, repeats: 0 };
}

/** Takes a segment in. @returns whether it is within the windows; else nothing is noted of it. */
export function takeIntoWindows(
  windows: KernelWindows,
  segment: TrackedSegment,
  isReply: boolean,
  mayBeginAgain: boolean,
): boolean {
  const [sender, receiver] = isReply
    ? [windows.reply, windows.original]
    : [windows.original, windows.reply];
  const { flags } = segment;
  const isSyn = (flags & SYN) !== 0;
  let [sequence, end] = [segment.sequence, endOf(segment)];
  if (sender.maxWindow === 0) {
    beginEnd(sender, receiver, segment);
    if (isSyn && (flags & ACK) === 0) return true;
  } else if (isSyn && mayBeginAgain && isAfter(end, sender.end)) {
    Object.assign(sender, { end, maxEnd: end, maxWindow: segment.window || 1 });
    Object.assign(sender, readTcpOptions(segment));
  }
  const isBroken = (flags & RST) !== 0 && segment.acknowledgement === 0;
  const ack = (flags & ACK) === 0 || isBroken ? receiver.end : segment.acknowledgement;
  if (sequence === end && (flags & RST) === 0) sequence = end = sender.end;
  const isWithin =
    isBefore(sequence, add(sender.maxEnd, 1)) &&
    isBefore(ack, add(receiver.end, 1)) &&
    (receiver.maxWindow === 0 || isAfter(end, add(sender.end, -receiver.maxWindow - 1))) &&
    isAfter(ack, add(receiver.end, -Math.max(sender.maxWindow, ackWindowMin) - 1));
  if (!isWithin) return false;
  const window = isSyn ? segment.window : segment.window * 2 ** sender.scale;
  sender.maxWindow = Math.max(sender.maxWindow, window);
  const sentBefore = sender.maxEnd;
  if (isAfter(end, sender.end)) {
    sender.end = end;
    sender.isUnacknowledged = true;
  }
  if ((flags & ACK) !== 0 && (sender.maxAck === undefined || isAfter(ack, sender.maxAck)))
    sender.maxAck = ack;
  if (receiver.maxWindow !== 0 && isAfter(end, sentBefore))
    receiver.maxWindow += (end - sentBefore) >>> 0;
  if (isAfter(add(ack, window), add(receiver.maxEnd, -1)))
    receiver.maxEnd = add(ack, window === 0 ? 1 : window);
  if (ack === receiver.end) receiver.isUnacknowledged = false;
  if ((flags & (SYN | FIN | RST | ACK)) === ACK)
    noteRepeats(windows, [isReply, sequence, ack, end, window].join(' '), window);
  return true;
}

function noteRepeats(windows: KernelWindows, key: string, window: number): void {
  windows.repeats = windows.last === key ? windows.repeats + 1 : 0;
  Object.assign(windows, { last: key, lastWindow: window });
}

/** Nothing came from this end before. */
function beginEnd(sender: WindowEnd, receiver: WindowEnd, segment: TrackedSegment): void {
  sender.end = endOf(segment);
  if ((segment.flags & SYN) !== 0) {
    sender.maxEnd = sender.end;
    sender.maxWindow = segment.window || 1;
    Object.assign(sender, readTcpOptions(segment));
    // Both have to scale (RFC 7323, section 2.2).
    if (!sender.scales || !receiver.scales) sender.scale = receiver.scale = 0;
    return;
  }
  sender.maxWindow = segment.window * 2 ** sender.scale || 1;
  sender.maxEnd = add(sender.end, sender.maxWindow);
  if (receiver.maxWindow === 0) receiver.end = receiver.maxEnd = segment.acknowledgement;
}

/** Whether it waits for what may never come: then it is not kept as long. */
export function isWaiting({ original, reply, repeats, lastWindow }: KernelWindows): boolean {
  return (
    repeats >= repeatsMax || original.isUnacknowledged || reply.isUnacknowledged || lastWindow === 0
  );
}

/** nf_conntrack_tcp_max_retrans */
const repeatsMax = 3;

/** Behind its data; SYN and FIN count (RFC 9293, section 3.4). */
function endOf({ sequence, payloadLength, flags }: TrackedSegment): number {
  return add(
    sequence,
    payloadLength + ((flags & SYN) === 0 ? 0 : 1) + ((flags & FIN) === 0 ? 0 : 1),
  );
}

function add(sequence: number, more: number): number {
  return (sequence + more) >>> 0;
}

export function isBefore(one: number, other: number): boolean {
  return ((one - other) | 0) < 0;
}

function isAfter(one: number, other: number): boolean {
  return isBefore(other, one);
}
