/** One of the two connections of a relay: what waits to be sent by it, and its close. */
import { assert } from '../../base/errors/errors.js';
import { connectionKey, type Effect, type Host } from '../stack/host.js';
import type { TcpConnection } from '../stack/tcp/connection-state.js';
import { type RelayEnd, isRelayEnd, keep, send } from '../stack/tcp/tcp-connection.js';
import { tcpFlags } from '../../packet/protocols/transport/tcp.js';

const { ACK, FIN, PSH } = tcpFlags;

/** A connection of a proxy, while it is there. */
export function relayEndAt(host: Host, key: string): RelayEnd | undefined {
  const found = host.connections.get(key);
  return found !== undefined && isRelayEnd(found) ? found : undefined;
}

/** Sends what waits, once what was sent before is acknowledged. */
export function flush(host: Host, key: string): readonly Effect[] {
  const connection = relayEndAt(host, key);
  assert(connection !== undefined, 'what is to be sent by a connection was given to it');
  if (
    connection.unacknowledged !== undefined ||
    (connection.state !== 'established' && connection.state !== 'close-wait')
  )
    return [];
  const { relay } = connection;
  const [now, ...later] = relay.waiting;
  if (now !== undefined)
    return send(host, { ...connection, relay: { ...relay, waiting: later } }, PSH | ACK, now);
  return relay.closing
    ? send(
        host,
        { ...connection, state: connection.state === 'established' ? 'fin-wait-1' : 'last-ack' },
        FIN | ACK,
      )
    : [];
}

export function close(host: Host, key: string): readonly Effect[] {
  const connection = relayEndAt(host, key);
  if (connection === undefined) return [];
  keep(host, { ...connection, relay: { ...connection.relay, closing: true } });
  return flush(host, key);
}

export function closeBoth(host: Host, connection: RelayEnd): readonly Effect[] {
  return [...close(host, connection.relay.other), ...close(host, connectionKey(connection))];
}

/**
 * One of the two was reset, or is given up: the other is closed. One that is only being asked for
 * is when somebody has taken it.
 */
export function relayBroken(host: Host, { relay }: TcpConnection): readonly Effect[] {
  return relay === undefined ? [] : close(host, relay.other);
}
