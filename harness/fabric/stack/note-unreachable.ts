import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { connectionKey, type Effect, type Host } from './host.js';
import type { Tuple } from '../nat/connection-tuple.js';

/**
 * A packet of the host's goes no further: its sender gets an ICMP error, and of a connection that
 * does not stand yet that is the end (RFC 1122, section 4.2.3.9; Linux, tcp_v4_err).
 */
export function noteUnreachable(
  host: Host,
  { protocol, src, dst }: Tuple,
  why: string,
): readonly Effect[] {
  const key = connectionKey({ local: src, remote: dst });
  if (protocol === ipProtocols.tcp && host.connections.get(key)?.state === 'syn-sent')
    host.connections.delete(key);
  return [{ kind: 'note', note: { kind: 'unreachable', peer: dst.ip, why } }];
}
