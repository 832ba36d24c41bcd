/** One end of a TCP connection: what it is, and how it sends and ends (RFC 9293). */
import { connectionKey, type Effect, type Host, type Timer } from '../host.js';
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import { lengthOf, sendSegment, sequenceAfter } from './tcp-segment.js';
import type { Ends, Relay, TcpConnection } from './connection-state.js';

/**
 * The first one second after the segment, each of the others after twice the time; then the host
 * gives up (Linux: TCP_TIMEOUT_INIT, tcp_syn_retries).
 */
export const retransmission = { firstUs: 1_000_000, transmissions: 7 } as const;

const nothing = new Uint8Array();

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

/** A proxy's connections leave no notes: they are no party of the vector. */
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
