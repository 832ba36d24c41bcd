/**
 * TCP as a host speaks it (RFC 9293), as far as a short exchange needs it: three-way handshake,
 * data both ways, one segment in flight, retransmission with exponential back-off (RFC 6298),
 * orderly close, reset where nobody listens. The one that opens sends its payload, reads it back
 * and closes; the one that answers sends back what it gets and closes after the other.
 * Acknowledgements ride on what is sent anyway. TIME-WAIT lasts past the end of a vector.
 */
import { assert } from '../../../base/errors/errors.js';
import { decodeTcp, tcpFlags } from '../../../packet/protocols/transport/tcp.js';
import {
  connectionKey,
  listensOn,
  type Effect,
  type Host,
  type Timer,
  type IpHeader,
} from '../host.js';
import { defaultTtl, dropped, unroutable } from '../send-ip.js';
import { proxyAt } from '../../proxy/proxy.js';
import { dialFailed, dialSucceeded, newRelay } from '../../proxy/relay.js';
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
import { lengthOf, maximumSegmentSize, sendSegment, sequenceAfter } from './tcp-segment.js';
import type { Arrived } from './receive-in-connection.js';
import { receiveInConnection } from './receive-in-connection.js';

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
  const local = { ip: hop.source, port: srcPort };
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
export function receiveTcp(host: Host, header: IpHeader, bytes: Uint8Array): readonly Effect[] {
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
