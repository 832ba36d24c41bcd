/** One end of a TCP connection: what it is, and how it sends and ends (RFC 9293). */
import { connectionKey, type Effect, type Host, type Timer } from '../host.js';
import type { ProxyPlan } from '../../../domain/plan/proxy-plan.js';
import type { AddressAndPort } from '../../../domain/plan/nat-plan.js';
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import { lengthOf, sendSegment, sequenceAfter, type Ends, type Segment } from './tcp-segment.js';

/**
 * The first one second after the segment, each of the others after twice the time; then the host
 * gives up (Linux: TCP_TIMEOUT_INIT, tcp_syn_retries).
 */
export const retransmission = { firstUs: 1_000_000, transmissions: 7 } as const;

const nothing = new Uint8Array();

export interface TcpConnection extends Ends {
  readonly as: 'opener' | 'answerer';
  /**
   * What the opener is there for: to have its payload sent back, to see that somebody listens, to
   * talk later, and again, or to carry what another connection brings.
   */
  readonly purpose: 'echo' | 'nothing' | 'talk' | 'relay';
  /** What its opener calls it, where it is to talk. */
  readonly name?: string;
  /** How often a segment is sent before the host gives up. */
  readonly patience: number;
  readonly state:
    | 'syn-sent'
    | 'syn-received'
    | 'established'
    | 'close-wait'
    | 'fin-wait-1'
    | 'fin-wait-2'
    | 'last-ack'
    | 'time-wait';
  /** The sequence number of what is sent next, and of what is to come next. */
  readonly sendNext: number;
  readonly receiveNext: number;
  /** What was sent and is not acknowledged. */
  readonly unacknowledged?: { readonly segment: Segment; readonly transmissions: number };
  /** Of a proxy's, with purpose `relay`. */
  readonly relay?: Relay;
}

/** What joins the two connections of a proxy. */
export interface Relay {
  readonly proxy: ProxyPlan;
  /** The other one, in `connections`; none is called '', which stands for nobody yet. */
  readonly other: string;
  /** What is to be sent by this one, in order, and whether it is to be closed then. */
  readonly waiting: readonly Uint8Array[];
  readonly closing: boolean;
  /** Of the one to the endpoint: who is tried next, and for how long, until one takes it. */
  readonly tries: readonly Try[];
}

export interface Try {
  readonly endpoint: AddressAndPort;
  readonly limitMs: number;
}

/** One of the two connections of a proxy. */
export type RelayEnd = TcpConnection & { readonly relay: Relay };

export function isRelayEnd(connection: TcpConnection): connection is RelayEnd {
  return connection.relay !== undefined;
}

/** Sends what is next in turn and remembers it until it is acknowledged. */
export function send(
  host: Host,
  connection: TcpConnection,
  flags: number,
  payload: Uint8Array = nothing,
): readonly Effect[] {
  const unacknowledged = {
    segment: {
      sequence: connection.sendNext,
      acknowledgement: connection.receiveNext,
      flags,
      payload,
      checksum: 'right' as const,
    },
    transmissions: 1,
  };
  keep(host, {
    ...connection,
    sendNext: sequenceAfter(connection.sendNext, lengthOf({ flags, payload })),
    unacknowledged,
  });
  return [
    ...sendSegment(host, connection, unacknowledged.segment),
    timerFor(connection, unacknowledged),
  ];
}

export function acknowledge(host: Host, connection: TcpConnection): readonly Effect[] {
  return sendSegment(host, connection, {
    sequence: connection.sendNext,
    acknowledgement: connection.receiveNext,
    flags: tcpFlags.ACK,
    payload: nothing,
    checksum: 'right',
  });
}

export function acknowledged({ unacknowledged: _, ...rest }: TcpConnection): TcpConnection {
  return rest;
}

export function keep(host: Host, connection: TcpConnection): readonly Effect[] {
  host.connections.set(connectionKey(connection), connection);
  return [];
}

/** What becomes of a proxy's connections nobody notes: they are no party of the vector. */
export function end(
  host: Host,
  connection: TcpConnection,
  how: 'closed' | 'refused' | 'reset' | 'timed-out',
): readonly Effect[] {
  host.connections.delete(connectionKey(connection));
  return isRelayEnd(connection) ? [] : [note(how, connection)];
}

export function note(
  kind: 'closed' | 'refused' | 'reset' | 'timed-out',
  { remote }: Pick<Ends, 'remote'>,
): Effect {
  return { kind: 'note', note: { kind, peer: remote.ip } };
}

export function timerFor(
  connection: TcpConnection,
  { segment, transmissions }: NonNullable<TcpConnection['unacknowledged']>,
): Effect {
  const timer: Timer = {
    kind: 'retransmission',
    connection: connectionKey(connection),
    sequence: segment.sequence,
    transmissions,
  };
  return { kind: 'wake', delayUs: retransmission.firstUs * 2 ** (transmissions - 1), timer };
}
