/**
 * TCP as a host speaks it (RFC 9293), as far as a short exchange needs it: three-way handshake,
 * data both ways, one segment in flight, retransmission with exponential back-off (RFC 6298),
 * orderly close, reset where nobody listens. The one that opens sends its payload, reads it back
 * and closes; the one that answers sends back what it gets and closes after the other.
 * Acknowledgements ride on what is sent anyway. TIME-WAIT lasts past the end of a vector.
 */
import { assert } from '../../../base/errors/errors.js';
import type { Ipv4Header } from '../../../packet/protocols/ip/ipv4.js';
import { decodeTcp, tcpFlags, type TcpHeader } from '../../../packet/protocols/transport/tcp.js';
import { connectionKey, listensOn, type Effect, type Host, type Timer } from '../host.js';
import { defaultTtl, dropped, unroutable } from '../send-ip.js';
import { proxyAt } from '../../proxy/proxy.js';
import {
  clientConnected,
  hasClosedReader,
  dialFailed,
  relayed,
  resetClosedReader,
  dialSucceeded,
  newRelay,
} from '../../proxy/relay.js';
import { relayBroken } from '../../proxy/relay-end.js';
import { nextHop } from '../next-hop.js';
import {
  acknowledge,
  acknowledged,
  end,
  isRelayEnd,
  keep,
  note,
  retransmission,
  send,
  timerFor,
} from './tcp-connection.js';
import type { TcpConnection, Ends, Segment } from './connection-state.js';
import {
  distance,
  interjected,
  lengthOf,
  maximumSegmentSize,
  receiveWindow,
  sendSegment,
  sequenceAfter,
} from './tcp-segment.js';

const { SYN, ACK, FIN, RST, PSH } = tcpFlags;
const nothing = new Uint8Array();

type RetransmissionTimer = Extract<Timer, { kind: 'retransmission' }>;

interface Opening {
  readonly to: string;
  readonly port: number;
  readonly ttl?: number;
  readonly transmissions?: number;
  readonly connection?: string;
}

/** Opens a connection to `to`, from a port. */
export function connect(
  host: Host,
  purpose: TcpConnection['purpose'],
  srcPort: number,
  { to, port, ttl, transmissions, connection: name }: Opening,
): readonly Effect[] {
  const { sequences, payload } = host.random;
  assert(
    payload.length <= maximumSegmentSize,
    `a payload of ${payload.length} bytes, more than one segment`,
  );
  const hop = nextHop(host.plan, to);
  if (hop === undefined) return unroutable(host, to);
  const local = { ip: hop.via.ip, port: srcPort };
  return send(
    host,
    {
      ...(name === undefined ? {} : { name }),
      as: 'opener',
      purpose,
      patience: transmissions ?? retransmission.transmissions,
      state: 'syn-sent',
      local,
      remote: { ip: to, port },
      ttl: ttl ?? defaultTtl,
      sendNext: sequences.opener,
      receiveNext: 0,
    },
    SYN,
  );
}

/** Sends the host's payload by the connection of this name, if it stands. */
export function talk(host: Host, name: string): readonly Effect[] {
  const connection = [...host.connections.values()].find(
    (candidate) => candidate.name === name && candidate.state === 'established',
  );
  if (connection === undefined) return dropped(`no connection ${name} stands`, undefined);
  return send(host, connection, PSH | ACK, host.random.payload);
}

/** A segment arrived. */
export function receiveTcp(host: Host, header: Ipv4Header, bytes: Uint8Array): readonly Effect[] {
  const tcp = decodeTcp(bytes, header);
  if (tcp?.checksum !== 'valid') return dropped('a broken TCP segment', header);
  const ends: Ends = {
    local: { ip: header.dst, port: tcp.header.dstPort },
    remote: { ip: header.src, port: tcp.header.srcPort },
    ttl: defaultTtl,
  };
  const arrived: Arrived = { ip: header, tcp: tcp.header, payload: tcp.payload };
  const connection = host.connections.get(connectionKey(ends));
  if (connection === undefined) return receiveUnconnected(host, ends, arrived);
  if (connection.state === 'syn-sent') return receiveAnswer(host, connection, arrived);
  return receiveInConnection(host, connection, arrived);
}

/** Time is up for a segment: send it again, or give up. */
export function retransmit(host: Host, timer: RetransmissionTimer): readonly Effect[] {
  const connection = host.connections.get(timer.connection);
  if (connection?.unacknowledged === undefined || !stillUnacknowledged(host, timer)) return [];
  const { segment, transmissions } = connection.unacknowledged;
  if (transmissions >= connection.patience)
    return [...end(host, connection, 'timed-out'), ...relayBroken(host, connection)];
  const again = {
    segment: { ...segment, acknowledgement: connection.receiveNext },
    transmissions: transmissions + 1,
  };
  host.connections.set(timer.connection, { ...connection, unacknowledged: again });
  return [...sendSegment(host, connection, again.segment), timerFor(connection, again)];
}

export function stillUnacknowledged(
  host: Host,
  { connection, sequence, transmissions }: RetransmissionTimer,
): boolean {
  const waiting = host.connections.get(connection)?.unacknowledged;
  return waiting?.segment.sequence === sequence && waiting.transmissions === transmissions;
}

interface Arrived {
  readonly ip: Ipv4Header;
  readonly tcp: TcpHeader;
  readonly payload: Uint8Array;
}

/**
 * RFC 9293, 3.10.7.1 and 3.10.7.2: a SYN to the port that is listened on opens a connection, most
 * else is answered with a reset.
 */
function receiveUnconnected(
  host: Host,
  ends: Ends,
  { ip, tcp, payload }: Arrived,
): readonly Effect[] {
  if ((tcp.flags & RST) !== 0) return [note('reset', ends)];
  const proxy = proxyAt(host, 'TCP', ends.local);
  const listening = proxy !== undefined || listensOn(host, 'TCP', ends.local.port);
  if (listening && (tcp.flags & (SYN | ACK | FIN)) === SYN) {
    const { answerer } = host.random.sequences;
    return send(
      host,
      {
        ...ends,
        as: 'answerer',
        ...(proxy === undefined
          ? { purpose: 'echo' }
          : { purpose: 'relay', relay: newRelay(proxy) }),
        patience: retransmission.transmissions,
        state: 'syn-received',
        sendNext: answerer,
        receiveNext: sequenceAfter(tcp.sequence, 1),
      },
      SYN | ACK,
    );
  }
  const why = listening
    ? 'a segment of no connection'
    : `nobody listens on TCP port ${ends.local.port}`;
  const acknowledges = (tcp.flags & ACK) !== 0;
  const reset: Segment = {
    sequence: acknowledges ? tcp.acknowledgement : 0,
    flags: acknowledges ? RST : RST | ACK,
    acknowledgement: sequenceAfter(tcp.sequence, lengthOf({ flags: tcp.flags, payload })),
    payload: nothing,
    checksum: 'right',
  };
  return [...dropped(why, ip), ...sendSegment(host, ends, reset)];
}

/** RFC 9293, 3.10.7.3: what comes back for a SYN. */
function receiveAnswer(
  host: Host,
  connection: TcpConnection,
  { ip, tcp }: Arrived,
): readonly Effect[] {
  if ((tcp.flags & ACK) === 0 || tcp.acknowledgement !== connection.sendNext)
    return dropped('no answer to the SYN', ip);
  if ((tcp.flags & RST) !== 0)
    return isRelayEnd(connection) ? dialFailed(host, connection) : end(host, connection, 'refused');
  if ((tcp.flags & SYN) === 0) return dropped('no answer to the SYN', ip);
  const established: TcpConnection = {
    ...acknowledged(connection),
    state: 'established',
    receiveNext: sequenceAfter(tcp.sequence, 1),
  };
  if (isRelayEnd(established)) return dialSucceeded(host, established);
  const connected: Effect = {
    kind: 'note',
    note: { kind: 'connected', as: 'opener', peer: connection.remote.ip },
  };
  if (connection.purpose === 'nothing')
    return [
      connected,
      ...acknowledge(host, established),
      ...send(host, { ...established, state: 'fin-wait-1' }, FIN | ACK),
    ];
  if (connection.purpose === 'talk')
    return [connected, ...keep(host, established), ...acknowledge(host, established)];
  return [
    connected,
    ...acknowledge(host, established),
    ...send(host, established, PSH | ACK, host.random.payload),
  ];
}

/** RFC 9293, 3.10.7.4, in its order: sequence number, RST, SYN, ACK, data, FIN. */
function receiveInConnection(
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

/** Everything sent is acknowledged, and the segment is next in turn: what the application does. */
function proceed(
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

/**
 * The segment that the vector wants this end to send where it does not belong; it is never sent
 * again.
 */
function interject(host: Host, { local, remote }: TcpConnection): readonly Effect[] {
  const now = host.connections.get(connectionKey({ local, remote }));
  const { interjection } = host;
  if (now === undefined || interjection?.by !== now.as) return [];
  return sendSegment(host, now, interjected(interjection.segment, now.sendNext, now.receiveNext));
}
