/**
 * Where each segment of a connection came to: those that left an end and arrived at the other, and
 * those that were lost, with the round that they carry and the part of the way on which it was.
 */
import { accountForLosses } from '../streams/account-retransmissions.js';
import type { Segment, Way } from './segments.js';

/** One connection, seen where its client is, between nodes, and where its server is. */
export interface SeenConnection {
  readonly atClient: readonly Segment[];
  readonly between: readonly Segment[];
  readonly atServer: readonly Segment[];
}

export interface LostSegment {
  readonly way: Way;
  /**
   * In which it was sent, from 1: whose bytes it carries, or, of one without data and of one that
   * is sent again, as far as its sender had come; between two, the next.
   */
  readonly round: number;
  /** From the first that its end sent. */
  readonly sequence: number;
  readonly payload: number;
  readonly where: 'at the node of its sender' | 'behind the network between nodes';
}

export interface WayAccount {
  readonly way: Way;
  readonly sent: number;
  readonly arrived: number;
  readonly sentAgain: number;
  readonly lost: readonly LostSegment[];
  /** In words; none where all is explained. */
  readonly unexplained: readonly string[];
}

const ways = ['from the client', 'to the client'] as const;

/** @param roundBytes of a round, each way. */
export function accountForConnection(
  seen: SeenConnection,
  roundBytes: number,
): readonly WayAccount[] {
  return ways.map((way) => {
    const of = (segments: readonly Segment[]) => segments.filter((one) => one.way === way);
    const [from, to] =
      way === 'from the client'
        ? [of(seen.atClient), of(seen.atServer)]
        : [of(seen.atServer), of(seen.atClient)];
    const first = from[0]?.sequence ?? 0;
    const [left, came, passed] = [from, to, of(seen.between)].map((all) =>
      all.map((one) => ({ ...one, sequence: (one.sequence - first) >>> 0 })),
    );
    const between = new Set(passed?.map(keyOf));
    const { retransmissions, unexplained, ...data } = accountForLosses(
      (left ?? []).filter(hasData),
      (came ?? []).filter(hasData),
    );
    const bare = accountForLosses(
      (left ?? []).filter((one) => !hasData(one)),
      (came ?? []).filter((one) => !hasData(one)),
    );
    return {
      way,
      sent: from.length,
      arrived: to.length,
      sentAgain: retransmissions.length,
      lost: [...data.lost, ...bare.lost].map((packet) => ({
        way,
        // Behind the SYN, which takes a number of the sequence (RFC 9293, section 3.4).
        round: Math.floor(Math.max(0, packet.sentAt - 1) / roundBytes) + 1,
        sequence: packet.sequence,
        payload: packet.payload,
        where: between.has(keyOf(packet))
          ? 'behind the network between nodes'
          : 'at the node of its sender',
      })),
      // Segments without data are not sent again.
      unexplained: [
        ...unexplained,
        ...bare.unexplained.filter((why) => why.includes('nobody is seen to have sent')),
      ],
    };
  });
}

function hasData({ span }: Pick<Segment, 'span'>): boolean {
  return span > 0;
}

function keyOf({ sequence, span, id }: Pick<Segment, 'sequence' | 'span' | 'id'>): string {
  return `${sequence} ${span} ${id}`;
}
