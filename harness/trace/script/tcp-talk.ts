/**
 * How far a TCP connection has come: each end sends its next segment once it has what the other one
 * sent before.
 */
import type { PacketStimulus } from '../packet-stimulus.js';
import {
  answererPacket,
  answers,
  isSegment,
  segmentFrame,
  type TcpEnd,
  type TcpSegment,
} from './tcp-connection.js';

/** A port of a bridge. */
export type PortPlace = Pick<PacketStimulus, 'bridge' | 'ofport'>;

export interface TcpConnection {
  /** Its packet has the payload that both sides send. */
  readonly opener: PacketStimulus;
  readonly answerer: PortPlace;
}

/** A segment of a connection, sent where the one before it has come. */
export interface SegmentCommand {
  readonly kind: 'segment';
  readonly connection: TcpConnection;
  readonly segment: TcpSegment;
}

interface Talk {
  /** What the answerer sends, once it has the SYN. */
  answerer: Uint8Array | undefined;
  /** The last segment of each end, and why it is of no use to the other; undefined: it is. */
  readonly last: Partial<Record<TcpEnd, { readonly lost: string | undefined }>>;
}

/** The connections of one run of a script. */
export type Talks = Map<TcpConnection, Talk>;

function talkOf(talks: Talks, connection: TcpConnection): Talk {
  const talk = talks.get(connection) ?? { answerer: undefined, last: {} };
  talks.set(connection, talk);
  return talk;
}

/** The packet that is sent, or why none is. */
export function nextPacket(
  talks: Talks,
  { connection, segment }: SegmentCommand,
): PacketStimulus | { readonly unsent: string } {
  const { answerer, last } = talkOf(talks, connection);
  const { opener } = connection;
  const before = last[otherEnd(segment.from)];
  if (before?.lost !== undefined) return { unsent: before.lost };
  if (segment.from === 'opener') return { ...opener, frame: segmentFrame(opener.frame, segment) };
  return {
    ...connection.answerer,
    metadata: [],
    frame: segmentFrame(answerer ?? answererPacket(opener.frame, opener.frame), segment),
  };
}

/**
 * Notes where a segment that was sent has come out. @param portOf the name of the port of an end.
 */
export function noteArrival(
  talks: Talks,
  { connection, segment }: SegmentCommand,
  outputs: readonly { readonly port: string; readonly frame: Uint8Array }[],
  portOf: (end: PortPlace) => string,
): void {
  const talk = talkOf(talks, connection);
  const { opener, answerer } = connection;
  const port = portOf(segment.from === 'opener' ? answerer : opener);
  const arrived = outputs.find((one) => one.port === port && isSegment(one.frame, segment))?.frame;
  talk.last[segment.from] = { lost: whyLost(segment, port, opener.frame, arrived) };
  if (segment.from === 'opener' && arrived !== undefined)
    talk.answerer ??= answererPacket(arrived, opener.frame);
}

/** A segment that could not be sent is of no use to the other end. */
export function noteUnsent(
  talks: Talks,
  { connection, segment }: SegmentCommand,
  why: string,
): void {
  talkOf(talks, connection).last[segment.from] = { lost: why };
}

function whyLost(
  { name, from }: TcpSegment,
  port: string,
  opened: Uint8Array,
  arrived: Uint8Array | undefined,
): string | undefined {
  if (arrived === undefined) return `${name} has not come out of ${port}`;
  return from === 'opener' || answers(arrived, opened)
    ? undefined
    : `${name} has come out of ${port} with other addresses or ports than those that ${port} has ` +
        'sent to';
}

function otherEnd(end: TcpEnd): TcpEnd {
  return end === 'opener' ? 'answerer' : 'opener';
}
