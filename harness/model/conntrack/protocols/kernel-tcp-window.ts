/**
 * The windows that Linux's tracker keeps of a connection (tcp_in_window): where Open vSwitch has it
 * let through what is outside of them, they still say whether data waits for its acknowledgement,
 * and so how long the connection lasts.
 */
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import {
  add,
  beginEnd,
  endOf,
  initialize,
  isAfter,
  isBefore,
  type KernelWindows,
  type WindowEnd,
} from './kernel-tcp-ends.js';
import type { KernelState } from './kernel-tcp-table.js';
import type { TrackedSegment } from './tcp-peer.js';

const { SYN, ACK, FIN, RST } = tcpFlags;
/** The least that an acknowledgement may stay behind (MAXACKWINCONST). */
const ackWindowMin = 66_000;

/** A segment in its direction, with what it must be held to. */
interface Taken {
  readonly windows: KernelWindows;
  readonly segment: TrackedSegment;
  readonly isReply: boolean;
  readonly sender: WindowEnd;
  readonly receiver: WindowEnd;
  readonly sequence: number;
  readonly end: number;
  readonly ack: number;
}

/**
 * Takes a segment in. Of one that is not within the windows next to nothing is noted: what is too
 * old is ignored, what is too new is invalid. @param state before it.
 */
export function takeIntoWindows(
  windows: KernelWindows,
  segment: TrackedSegment,
  isReply: boolean,
  state: KernelState,
): 'within' | 'ignored' | 'invalid' {
  const [sender, receiver] = isReply
    ? [windows.reply, windows.original]
    : [windows.original, windows.reply];
  const { flags } = segment;
  const isOpening = (flags & SYN) !== 0;
  const mayBeginAgain = state === 'SYN_SENT' || state === 'SYN_RECV';
  if (sender.maxWindow === 0) {
    beginEnd(sender, receiver, segment, isReply);
    if (isOpening && (flags & ACK) === 0) return 'within';
  } else if (isOpening && mayBeginAgain && isAfter(endOf(segment), sender.end)) {
    initialize(sender, receiver, segment, isReply);
    if (isReply && (flags & ACK) === 0) return 'within';
  }
  const isBroken = (flags & RST) !== 0 && segment.acknowledgement === 0;
  const answersSyn = (flags & RST) !== 0 && segment.sequence === 0 && state === 'SYN_SENT';
  const taken = {
    windows,
    segment,
    isReply,
    sender,
    receiver,
    ack: (flags & ACK) === 0 || isBroken ? receiver.end : segment.acknowledgement,
    sequence: answersSyn ? sender.end : segment.sequence,
    end: answersSyn ? sender.end : endOf(segment),
  };
  const place = placeOf(taken);
  if (place !== 'within') return sender.liberal ? 'within' : place;
  noteWithin(taken);
  return 'within';
}

function placeOf({
  sender,
  receiver,
  sequence,
  end,
  ack,
}: Taken): 'within' | 'ignored' | 'invalid' {
  const isNewEnough =
    receiver.maxWindow === 0 || isAfter(end, add(sender.end, -receiver.maxWindow - 1));
  const acknowledgesEnough = isAfter(
    ack,
    add(receiver.end, -Math.max(sender.maxWindow, ackWindowMin) - 1),
  );
  const acknowledgesSent = isBefore(ack, add(receiver.end, 1));
  if (!isBefore(sequence, add(sender.maxEnd, 1))) {
    const overshot = (end - sender.maxEnd + 1) >>> 0;
    const isTooMuch = receiver.maxWindow === 0 || overshot > receiver.maxWindow;
    if (isTooMuch || !isNewEnough || !acknowledgesEnough || !acknowledgesSent) return 'invalid';
    // More than it may send, but the other end may have taken it.
    Object.assign(sender, { end, isUnacknowledged: true });
    return 'ignored';
  }
  if (!acknowledgesSent) return 'invalid';
  return isNewEnough && acknowledgesEnough ? 'within' : 'ignored';
}

function noteWithin({ windows, segment, isReply, sender, receiver, sequence, end, ack }: Taken) {
  const { flags } = segment;
  const window = (flags & SYN) === 0 ? segment.window * 2 ** sender.scale : segment.window;
  sender.maxWindow = Math.max(sender.maxWindow, window);
  const sentBefore = sender.maxEnd;
  if (isAfter(end, sender.end)) Object.assign(sender, { end, isUnacknowledged: true });
  if ((flags & ACK) !== 0 && (sender.maxAck === undefined || isAfter(ack, sender.maxAck)))
    sender.maxAck = ack;
  if (receiver.maxWindow !== 0 && isAfter(end, sentBefore))
    receiver.maxWindow += (end - sentBefore) >>> 0;
  if (isAfter(add(ack, window), add(receiver.maxEnd, -1)))
    receiver.maxEnd = add(ack, window === 0 ? 1 : window);
  if (ack === receiver.end) receiver.isUnacknowledged = false;
  if ((flags & (SYN | FIN | RST | ACK)) !== ACK) return;
  const { last } = windows;
  const isRepeated =
    last.isReply === isReply &&
    last.sequence === sequence &&
    last.ack === ack &&
    last.end === end &&
    last.window === segment.window;
  if (isRepeated) last.repeats++;
  else Object.assign(last, { isReply, sequence, ack, end, window: segment.window, repeats: 0 });
}
