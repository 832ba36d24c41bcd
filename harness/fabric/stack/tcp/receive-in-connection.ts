/** A segment of an established connection (RFC 9293, 3.10.7.4). */
import type { TcpHeader } from '../../../packet/protocols/transport/tcp.js';
import { tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import {
  sendSegment,
  interjected,
  sequenceAfter,
  receiveWindow,
  lengthOf,
  distance,
} from './tcp-segment.js';
import type { TcpConnection } from './connection-state.js';
import { type Host, type Effect, connectionKey, type IpHeader } from '../host.js';
import { clientConnected, hasClosedReader, relayed, resetClosedReader } from '../../proxy/relay.js';
import { isRelayEnd, send, keep, acknowledge, note, end, acknowledged } from './tcp-connection.js';
import { relayBroken } from '../../proxy/relay-end.js';
import { dropped } from '../send-ip.js';

const { SYN, ACK, FIN, RST, PSH } = tcpFlags;

export interface Arrived {
  readonly ip: IpHeader;
  readonly tcp: TcpHeader;
  readonly payload: Uint8Array;
}

/**
 * The segment that the vector wants this end to send where it does not belong; it is never sent
 * again.
 */
export function interject(host: Host, { local, remote }: TcpConnection): readonly Effect[] {
  const now = host.connections.get(connectionKey({ local, remote }));
  const { interjection } = host;
  if (now === undefined || interjection?.by !== now.as) return [];
  return sendSegment(host, now, interjected(interjection.segment, now.sendNext, now.receiveNext));
}

/** Everything sent is acknowledged, and the segment is next in turn: what the application does. */
export function proceed(
  host: Host,
  connection: TcpConnection,
  { ip, tcp, payload }: Arrived,
): readonly Effect[] {
  const finished = (tcp.flags & FIN) !== 0;
  if (isRelayEnd(connection))
    return connection.state === 'syn-received'
      ? clientConnected(host, { ...connection, state: 'established' }, { payload, finished })
      : relayed(host, connection, { payload, finished });
  const read: readonly Effect[] =
    payload.length === 0
      ? []
      : [
          {
            kind: 'note',
            note: { kind: 'received', what: 'tcp', src: ip.src, dst: ip.dst, ttl: ip.ttl },
          },
        ];
  switch (connection.state) {
    case 'syn-received':
      return [
        { kind: 'note', note: { kind: 'connected', as: 'answerer', peer: ip.src } },
        ...proceed(host, { ...connection, state: 'established' }, { ip, tcp, payload }),
      ];
    case 'established':
      if (finished)
        return [...read, ...send(host, { ...connection, state: 'last-ack' }, FIN | ACK)];
      if (payload.length === 0) return keep(host, connection);
      if (connection.as === 'answerer')
        return [
          ...read,
          ...send(host, connection, PSH | ACK, payload),
          ...interject(host, connection),
        ];
      if (connection.purpose === 'talk')
        return [...read, ...keep(host, connection), ...acknowledge(host, connection)];
      return [
        ...read,
        ...keep(host, connection),
        ...interject(host, connection),
        ...send(host, { ...connection, state: 'fin-wait-1' }, FIN | ACK),
      ];
    case 'fin-wait-1':
    case 'fin-wait-2': {
      const next: TcpConnection = { ...connection, state: finished ? 'time-wait' : 'fin-wait-2' };
      return [
        ...read,
        ...keep(host, next),
        ...(finished ? [...acknowledge(host, next), note('closed', connection)] : []),
      ];
    }
    case 'last-ack':
      return end(host, connection, 'closed');
    case 'time-wait':
    case 'close-wait':
    case 'syn-sent':
      return keep(host, connection);
  }
}

/** RFC 9293, 3.10.7.4, in its order: sequence number, RST, SYN, ACK, data, FIN. */
export function receiveInConnection(
  host: Host,
  before: TcpConnection,
  arrived: Arrived,
): readonly Effect[] {
  const { ip, tcp, payload } = arrived;
  const ahead = distance(before.receiveNext, tcp.sequence);
  if (ahead < 0 || ahead >= receiveWindow)
    return [
      ...dropped('a segment outside the window', ip),
      ...((tcp.flags & RST) === 0 ? acknowledge(host, before) : []),
    ];
  if ((tcp.flags & RST) !== 0)
    return ahead === 0
      ? [...end(host, before, 'reset'), ...relayBroken(host, before)]
      : [...dropped('a reset ahead of its turn', ip), ...acknowledge(host, before)];
  if ((tcp.flags & SYN) !== 0)
    return [...dropped('a SYN in an established connection', ip), ...acknowledge(host, before)];
  if ((tcp.flags & ACK) === 0) return dropped('a segment that acknowledges nothing', ip);
  if (ahead > 0)
    return [...dropped('a segment ahead of its turn', ip), ...acknowledge(host, before)];
  if (distance(before.sendNext, tcp.acknowledgement) > 0)
    return [
      ...dropped('an acknowledgement of what was not sent', ip),
      ...acknowledge(host, before),
    ];
  if (hasClosedReader(before) && payload.length > 0)
    return resetClosedReader(host, before, tcp.acknowledgement);
  if (before.unacknowledged !== undefined && tcp.acknowledgement !== before.sendNext)
    return payload.length === 0 ? [] : dropped('a segment that acknowledges too little', ip);
  const connection: TcpConnection = {
    ...acknowledged(before),
    receiveNext: sequenceAfter(before.receiveNext, lengthOf({ flags: tcp.flags, payload })),
  };
  return proceed(host, connection, arrived);
}
