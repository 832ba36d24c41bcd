/**
 * What Linux's tracker knows of both ends of a connection of TCP, and of its last segments (struct
 * ip_ct_tcp).
 */
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import { readTcpOptions } from './kernel-tcp-options.js';
import type { TcpEvent } from './kernel-tcp-table.js';
import type { TrackedSegment } from './tcp-peer.js';

const { SYN, FIN } = tcpFlags;

/** What is known of one end. */
export interface WindowEnd {
  /** Behind the last byte that it has sent, and the last that it may send. */
  end: number;
  maxEnd: number;
  /** The largest that it has offered; zero as long as nothing came from it. */
  maxWindow: number;
  scale: number;
  scales: boolean;
  /** Some of what it has sent waits for its acknowledgement. */
  isUnacknowledged: boolean;
  maxAck: number | undefined;
  /** What it sends out of window is let through. */
  liberal: boolean;
}

/**
 * What was noted of segments last: of the last one its kind and direction, of the last that was
 * nothing but an acknowledgement, with data or without, or that was ignored, the rest.
 */
interface LastSegment {
  event: TcpEvent | undefined;
  isReply: boolean;
  sequence: number;
  ack: number;
  end: number;
  window: number;
  scaling: Pick<WindowEnd, 'scale' | 'scales'>;
  /** How often it came again. */
  repeats: number;
}

export interface KernelWindows {
  readonly original: WindowEnd;
  readonly reply: WindowEnd;
  readonly last: LastSegment;
}

const unscaled = { scale: 0, scales: false } as const;

function fresh(): WindowEnd {
  return {
    end: 0,
    maxEnd: 0,
    maxWindow: 0,
    ...unscaled,
    isUnacknowledged: false,
    maxAck: undefined,
    liberal: false,
  };
}

/** At the first segment; one in the middle of a connection speaks for what came before. */
export function beginWindows(segment: TrackedSegment): KernelWindows {
  const [original, reply] = [fresh(), fresh()];
  original.end = endOf(segment);
  original.maxWindow = segment.window || 1;
  if ((segment.flags & SYN) === 0) {
    original.maxEnd = add(original.end, original.maxWindow);
    original.liberal = reply.liberal = true;
  } else {
    original.maxEnd = original.end;
    Object.assign(original, readTcpOptions(segment));
  }
  const last = {
    event: undefined,
    isReply: false,
    sequence: 0,
    ack: 0,
    end: 0,
    window: 0,
    scaling: unscaled,
    repeats: 0,
  };
  return { original, reply, last };
}

/** Nothing came from this end before. */
export function beginEnd(
  sender: WindowEnd,
  receiver: WindowEnd,
  segment: TrackedSegment,
  isReply: boolean,
): void {
  if ((segment.flags & SYN) !== 0) return initialize(sender, receiver, segment, isReply);
  sender.end = endOf(segment);
  sender.maxWindow = segment.window * 2 ** sender.scale || 1;
  sender.maxEnd = add(sender.end, sender.maxWindow);
  if (receiver.maxWindow === 0) receiver.end = receiver.maxEnd = segment.acknowledgement;
  else if (segment.acknowledgement === add(receiver.end, 1)) receiver.end = add(receiver.end, 1);
}

/** By its SYN (tcp_init_sender). */
export function initialize(
  sender: WindowEnd,
  receiver: WindowEnd,
  segment: TrackedSegment,
  isReply: boolean,
): void {
  sender.end = sender.maxEnd = endOf(segment);
  sender.maxWindow = segment.window || 1;
  if (segment.options.length > 0)
    Object.assign(sender, readTcpOptions(segment), { isUnacknowledged: false, maxAck: undefined });
  // Both have to scale (RFC 7323, section 2.2).
  if (isReply && (!sender.scales || !receiver.scales)) sender.scale = receiver.scale = 0;
}

/** Of a segment that changes nothing it is noted what an answer to it would be. */
export function noteIgnored(
  { last }: KernelWindows,
  {
    segment,
    event,
    isReply,
  }: {
    readonly segment: TrackedSegment;
    readonly event: TcpEvent;
    readonly isReply: boolean;
  },
): void {
  const { sequence, window, acknowledgement } = segment;
  Object.assign(last, { event, isReply, sequence, window, end: endOf(segment) });
  if (event === 'syn' && !isReply) last.scaling = readTcpOptions(segment);
  // It may be a challenge, which is answered by a reset.
  if (event === 'ack' && isReply) last.ack = acknowledgement;
}

/** By the SYN that was ignored last, which the other end has answered. */
export function synchronizeWindows({ original, reply, last }: KernelWindows): void {
  const [asking, answering] = last.isReply ? [reply, original] : [original, reply];
  const { end, window, scaling } = last;
  Object.assign(asking, fresh(), { end, maxEnd: end, maxWindow: window || 1, ...scaling });
  Object.assign(answering, fresh(), { liberal: answering.liberal });
}

/** Whether it waits for what may never come: then it is not kept as long. */
export function isWaiting({ original, reply, last }: KernelWindows): boolean {
  return (
    last.repeats >= repeatsMax ||
    original.isUnacknowledged ||
    reply.isUnacknowledged ||
    last.window === 0
  );
}

/** nf_conntrack_tcp_max_retrans */
const repeatsMax = 3;

/** Behind its data; SYN and FIN count (RFC 9293, section 3.4). */
export function endOf({ sequence, payloadLength, flags }: TrackedSegment): number {
  return add(
    sequence,
    payloadLength + ((flags & SYN) === 0 ? 0 : 1) + ((flags & FIN) === 0 ? 0 : 1),
  );
}

export function add(sequence: number, more: number): number {
  return (sequence + more) >>> 0;
}

export function isBefore(one: number, other: number): boolean {
  return ((one - other) | 0) < 0;
}

export function isAfter(one: number, other: number): boolean {
  return isBefore(other, one);
}
