/**
 * The two connections of a proxy, client to proxy and proxy to endpoint: what one brings is sent by
 * the other, and where either ends, both are closed (kube-proxy in its userspace mode,
 * pkg/proxy/winuserspace of Kubernetes before 1.26: an endpoint that does not take the connection
 * in time, or refuses it, is followed by the next; when all tries are over, the client's is
 * closed).
 */
import { assert } from '../../base/errors/errors.js';
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';
import { tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { connectionKey, type Effect, type Host, type Timer } from '../stack/host.js';
import { defaultTtl } from '../stack/send-ip.js';
import { endpointsFor, portFor, rememberAffinity } from './proxy.js';
import { nextHop } from '../stack/next-hop.js';
import {
  acknowledge,
  keep,
  retransmission,
  send,
  type RelayEnd,
} from '../stack/tcp/tcp-connection.js';
import type { Relay, TcpConnection, Try } from '../stack/tcp/connection-state.js';
import { sendSegment } from '../stack/tcp/tcp-segment.js';
import { close, closeBoth, flush, relayEndAt } from './relay-end.js';

const { SYN, ACK, RST } = tcpFlags;

/** Joined to nothing yet. */
export function newRelay(proxy: ProxyPlan): Relay {
  return { proxy, other: '', waiting: [], closing: false, tries: [] };
}

type DialTimer = Extract<Timer, { kind: 'dial' }>;

/** What is next in turn of a connection. */
interface ReceivedData {
  readonly payload: Uint8Array;
  readonly finished: boolean;
}

/** A client's connection stands: one to an endpoint is opened for it. */
export function clientConnected(
  host: Host,
  client: RelayEnd,
  received: ReceivedData,
): readonly Effect[] {
  keep(host, client);
  const dialing = dial(host, connectionKey(client), {
    ...client.relay,
    tries: dialAttempts(host, client),
  });
  const joined = relayEndAt(host, connectionKey(client));
  assert(joined !== undefined, 'a client that has sent nothing yet is not reset');
  return [...dialing, ...relayed(host, joined, received)];
}

/** Endpoints in turn, as often as the proxy tries. */
function dialAttempts(host: Host, { relay: { proxy }, remote }: RelayEnd): readonly Try[] {
  const endpoints = endpointsFor(host, proxy, remote);
  return proxy.dialMs.flatMap((limitMs, index) => {
    const endpoint = endpoints[index % endpoints.length];
    return endpoint === undefined ? [] : [{ endpoint, limitMs }];
  });
}

/**
 * Tries who is next; `relay` has what waits for an endpoint. Where all tries are over, the client's
 * connection is closed, by a reset where it has sent what nobody will read.
 */
function dial(
  host: Host,
  clientKey: string,
  { tries: [now, ...later], ...relay }: Relay,
): readonly Effect[] {
  const client = relayEndAt(host, clientKey);
  if (client === undefined) return [];
  if (now === undefined)
    return relay.waiting.length > 0 ? resetUnreadClient(host, client) : close(host, clientKey);
  const hop = nextHop(host.plan, now.endpoint.ip);
  if (hop === undefined) return dial(host, clientKey, { ...relay, tries: later });
  const endsAt = (port: number) => ({ local: { ip: hop.via.ip, port }, remote: now.endpoint });
  const port = portFor(
    host,
    client.remote,
    (candidate) => !host.connections.has(connectionKey(endsAt(candidate))),
  );
  const opened: TcpConnection = {
    ...endsAt(port),
    ttl: defaultTtl,
    as: 'opener',
    purpose: 'relay',
    patience: retransmission.transmissions,
    state: 'syn-sent',
    sendNext: host.random.sequences.opener,
    receiveNext: 0,
    relay: { ...relay, other: clientKey, tries: later },
  };
  keep(host, { ...client, relay: { ...client.relay, other: connectionKey(opened) } });
  return [
    ...send(host, opened, SYN),
    {
      kind: 'wake',
      delayUs: now.limitMs * 1000,
      timer: { kind: 'dial', connection: connectionKey(opened) },
    },
  ];
}

function resetUnreadClient(host: Host, client: RelayEnd): readonly Effect[] {
  host.connections.delete(connectionKey(client));
  return sendSegment(host, client, {
    sequence: client.sendNext,
    acknowledgement: client.receiveNext,
    flags: RST | ACK,
    payload: new Uint8Array(),
    checksum: 'right',
  });
}

/** The endpoint has not answered in time. */
export function dialTimedOut(host: Host, { connection }: DialTimer): readonly Effect[] {
  const opened = relayEndAt(host, connection);
  return opened?.state === 'syn-sent' ? dialFailed(host, opened) : [];
}

export function stillDialing(host: Host, connection: string): boolean {
  return host.connections.get(connection)?.state === 'syn-sent';
}

/** The endpoint refuses, or does not answer: the next. */
export function dialFailed(host: Host, opened: RelayEnd): readonly Effect[] {
  host.connections.delete(connectionKey(opened));
  return dial(host, opened.relay.other, opened.relay);
}

/**
 * The endpoint has taken the connection: what waits is sent, and if the client has closed
 * meanwhile, or is gone, this is closed.
 */
export function dialSucceeded(host: Host, opened: RelayEnd): readonly Effect[] {
  keep(host, opened);
  const client = relayEndAt(host, opened.relay.other);
  if (client === undefined)
    return [...acknowledge(host, opened), ...close(host, connectionKey(opened))];
  rememberAffinity(host, opened.relay.proxy, client.remote, opened.remote);
  const note: Effect = {
    kind: 'note',
    note: { kind: 'relayed', client: client.remote.ip, to: opened.remote.ip },
  };
  return [
    note,
    ...acknowledge(host, opened),
    ...(client.state === 'close-wait'
      ? closeBoth(host, opened)
      : flush(host, connectionKey(opened))),
  ];
}

/**
 * The next of a connection that stands, or has stood, with everything that was sent acknowledged.
 */
export function relayed(
  host: Host,
  connection: RelayEnd,
  { payload, finished }: ReceivedData,
): readonly Effect[] {
  const key = connectionKey(connection);
  switch (connection.state) {
    case 'established':
      return [
        ...(finished
          ? receiveLast(host, connection)
          : payload.length > 0
            ? [...keep(host, connection), ...acknowledge(host, connection)]
            : [...keep(host, connection), ...flush(host, key)]),
        ...passOn(host, connection, payload),
        ...(finished ? closeUnlessDialing(host, connection) : []),
      ];
    case 'fin-wait-1':
    case 'fin-wait-2':
      keep(host, { ...connection, state: finished ? 'time-wait' : 'fin-wait-2' });
      return finished ? acknowledge(host, connection) : [];
    case 'last-ack':
      host.connections.delete(key);
      return [];
    default:
      return [...keep(host, connection), ...flush(host, key)];
  }
}

/** Whether nobody reads any more what comes by a connection of a proxy's. */
export function hasClosedReader({ relay, state }: TcpConnection): boolean {
  return relay !== undefined && (state === 'fin-wait-1' || state === 'fin-wait-2');
}

/** Data for what is closed (RFC 2525, section 2.17). `sequence` is what its sender waits for. */
export function resetClosedReader(
  host: Host,
  connection: TcpConnection,
  sequence: number,
): readonly Effect[] {
  host.connections.delete(connectionKey(connection));
  return sendSegment(host, connection, {
    sequence,
    acknowledgement: connection.receiveNext,
    flags: RST,
    payload: new Uint8Array(),
    checksum: 'right',
  });
}

/** The other end will send no more. */
function receiveLast(host: Host, connection: RelayEnd): readonly Effect[] {
  keep(host, { ...connection, state: 'close-wait' });
  return acknowledge(host, connection);
}

function passOn(host: Host, { relay }: RelayEnd, payload: Uint8Array): readonly Effect[] {
  const other = relayEndAt(host, relay.other);
  if (payload.length === 0 || other === undefined) return [];
  keep(host, { ...other, relay: { ...other.relay, waiting: [...other.relay.waiting, payload] } });
  return flush(host, relay.other);
}

/**
 * A client that has closed before anybody took its connection is closed when somebody has: until
 * then nobody reads.
 */
function closeUnlessDialing(host: Host, connection: RelayEnd): readonly Effect[] {
  return stillDialing(host, connection.relay.other) ? [] : closeBoth(host, connection);
}
