import { Unsupported } from '../../base/errors/errors.js';
import type { Intent } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { Topology } from '../../domain/topology.js';
import type { PayloadSpec, Stimulus } from '../../domain/test-vector.js';
import { answersOn, hostWithAddress } from './cluster-hosts.js';
import { type ClusterHost } from '../../domain/cluster-host.js';
import { defaultTtl, intentOfDatagram } from './datagram.js';

type ConnectionStimulus = Extract<Stimulus, { readonly kind: 'tcp' | 'probe' | 'sctp' | 'open' }>;
type TcpSpec = Extract<PayloadSpec, { readonly kind: 'tcp' }>;

/**
 * Connections go where datagrams go; a port that nobody listens on answers with a reset (RFC 9293,
 * 3.10.7.1; RFC 9260, 8.4).
 */
export function intentOfConnection(
  topology: Topology,
  from: ClusterHost,
  stimulus: ConnectionStimulus,
  promises: ControlPlanePromises,
): Intent {
  const { to, port } = stimulus;
  const protocol = stimulus.kind === 'sctp' ? 'SCTP' : 'TCP';
  const ttl = (stimulus.kind === 'tcp' ? stimulus.ttl : undefined) ?? defaultTtl;
  const reach = intentOfDatagram(topology, from, { to, ttl }, promises);
  if (reach.kind !== 'round-trip') return reach;
  const target = hostWithAddress(topology, to);
  if (target !== undefined && !answersOn(target, protocol, port))
    return {
      kind: 'refused',
      to: reach.to,
      source: reach.source,
      why: `nobody listens on ${protocol} port ${port} of ${target.name}`,
    };
  const interjection = stimulus.kind === 'tcp' ? stimulus.interjection : undefined;
  return interjection === undefined || target === undefined
    ? reach
    : { ...reach, interjection: promises.interjection(from, target, interjection) };
}

/** A segment of no connection, as one from before would be. */
export function intentOfSegment(
  topology: Topology,
  from: ClusterHost,
  { dst, ttl, flags }: TcpSpec,
  promises: ControlPlanePromises,
): Intent {
  if (flags.join() !== 'ACK')
    throw new Unsupported(
      'nothing is promised about a TCP segment of no connection with the flags ' +
        (flags.join(', ') || 'none'),
    );
  const reach = intentOfDatagram(topology, from, { to: dst, ttl }, promises);
  return reach.kind === 'round-trip'
    ? {
        kind: 'refused',
        to: reach.to,
        source: reach.source,
        why: 'it belongs to no connection that the host knows',
      }
    : reach;
}
