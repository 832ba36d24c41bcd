/** The windows of a TCP connection: which segments are in them, and how they move. */
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import {
  type TrackedSegment,
  type Peer,
  largestScale,
  unknownLimit,
  reached,
  windowScale,
  shift,
  unscaled,
  plus,
  ahead,
} from './tcp-peer.js';

const { SYN, ACK, FIN, RST } = tcpFlags;

/** How far acknowledgements may be off: a window, and a packet. */
export const skewMax = 0xffff + 1500;

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
export function trackSegment(source: Peer, target: Peer, segment: TrackedSegment): SegmentRange {
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

export function isInWindow(
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
export function slide(
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
