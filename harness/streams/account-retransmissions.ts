/**
 * Every segment of a TCP stream that was sent again, and why: what it carries had been lost, or it
 * had not. Each transmission is seen where it leaves its sender, and what of them comes through is
 * seen at the receiver.
 */
import type { DataPacket } from './captured.js';

export interface Retransmission {
  /** Since the first segment was sent. */
  readonly afterMs: number;
  readonly sequence: number;
  readonly payload: number;
  /** Of the bytes that it carries all had come, or were on their way, where it is spurious. */
  readonly why: 'lost before' | 'spurious';
}

export interface LostPacket extends DataPacket {
  /** How far its sender had come by then: its own sequence, unless it had been sent before. */
  readonly sentAt: number;
}

export interface LossAccount {
  readonly sent: number;
  readonly arrived: number;
  /** Transmissions that did not arrive. */
  readonly lost: readonly LostPacket[];
  readonly retransmissions: readonly Retransmission[];
  /** Lost bytes that nobody has sent again, in words: none in a stream that came to its end. */
  readonly unexplained: readonly string[];
}

/** @param sent, received in the order in which they were seen. */
export function accountForLosses(
  sent: readonly DataPacket[],
  received: readonly DataPacket[],
): LossAccount {
  const arrivals = new Map<string, number>();
  for (const packet of received) {
    const key = keyOf(packet);
    arrivals.set(key, (arrivals.get(key) ?? 0) + 1);
  }
  const lost: LostPacket[] = [];
  const delivered: Range[] = [];
  const retransmissions: Retransmission[] = [];
  /** Bytes sent so far that were lost, and whose loss nothing has repaired yet. */
  let missing: readonly Range[] = [];
  let highest: number | undefined;
  for (const packet of sent) {
    const range = { from: packet.sequence, to: packet.sequence + packet.span };
    const key = keyOf(packet);
    const left = arrivals.get(key) ?? 0;
    const arrives = left > 0;
    if (arrives) arrivals.set(key, left - 1);
    else lost.push({ ...packet, sentAt: Math.max(packet.sequence, highest ?? 0) });
    if (highest !== undefined && range.from < highest)
      retransmissions.push({
        afterMs: Number(packet.atNs - (sent[0]?.atNs ?? 0n)) / 1e6,
        sequence: packet.sequence,
        payload: packet.payload,
        why: missing.some((gap) => gap.from < range.to && range.from < gap.to)
          ? 'lost before'
          : 'spurious',
      });
    missing = without(missing, range);
    if (arrives) delivered.push(range);
    // What is sent again although it had come, and is lost then, is missed by nobody.
    else missing = [...missing, ...delivered.reduce(without, [range] as readonly Range[])];
    highest = Math.max(highest ?? 0, range.to);
  }
  return {
    sent: sent.length,
    arrived: received.length,
    lost,
    retransmissions,
    unexplained: [
      ...missing.map(({ from, to }) => `bytes ${from} to ${to} were lost and not sent again`),
      ...[...arrivals].flatMap(([key, count]) =>
        count === 0 ? [] : [`${count} of ${key} arrived that nobody is seen to have sent`],
      ),
    ],
  };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function without(ranges: readonly Range[], cut: Range): readonly Range[] {
  return ranges.flatMap(({ from, to }) =>
    [
      { from, to: Math.min(to, cut.from) },
      { from: Math.max(from, cut.to), to },
    ].filter((rest) => rest.from < rest.to),
  );
}

function keyOf({ sequence, span, id }: DataPacket): string {
  return `sequence ${sequence}, ${span} bytes, id ${id}`;
}
