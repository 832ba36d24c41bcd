import { Unsupported } from '../base/errors/errors.js';
import type { Intent, InterjectionIntent } from '../domain/intent.js';
import type { Topology } from '../domain/topology.js';
import type { Interjection, PayloadSpec, Stimulus } from '../domain/test-vector.js';
import { answersOn, hostWithAddress, type ClusterHost } from './cluster-hosts.js';
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
): Intent {
  const { to, port } = stimulus;
  const protocol = stimulus.kind === 'sctp' ? 'SCTP' : 'TCP';
  const ttl = (stimulus.kind === 'tcp' ? stimulus.ttl : undefined) ?? defaultTtl;
  const reach = intentOfDatagram(topology, from, { to, ttl });
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
    : { ...reach, interjection: intentOfInterjection(from, target, interjection) };
}

/**
 * The seed, "ConntrackStateTable": "drop packets reported as invalid by conntrack". Its listing has
 * two exceptions for connections that came in by the gateway, which carry a mark: what the gateway
 * sends is let through by a flow of higher priority, and for what comes back a flow of the same
 * priority matches as well. A wrong checksum keeps a packet from being taken for part of any
 * connection, so that these exceptions are not for it.
 */
function intentOfInterjection(
  opener: ClusterHost,
  answerer: ClusterHost,
  { by, segment }: Interjection,
): InterjectionIntent {
  const sender = by === 'opener' ? opener : answerer;
  if (segment === 'bad-checksum') return { kind: 'dropped', why: 'its checksum is wrong' };
  if (opener.kind === 'pod')
    return {
      kind: 'dropped',
      why: `it is invalid, and nothing marks connections that ${opener.name} opened`,
    };
  if (opener.node !== answerer.node)
    return {
      kind: 'dropped',
      why: `it is invalid, and ${answerer.node.name} marks no connections that come in by a tunnel`,
    };
  if (sender === opener)
    return {
      kind: 'arrives',
      why:
        `what ${opener.name} sends in a connection that came in by its gateway is not asked ` +
        'whether it is valid',
    };
  return {
    kind: 'open',
    why:
      `of what comes back to ${opener.name}'s gateway, flows of the same priority drop the ` +
      'invalid and let everything through',
  };
}

/**
 * A segment of no connection: one that could belong to a connection from before is let through, the
 * others are invalid.
 */
export function intentOfSegment(
  topology: Topology,
  from: ClusterHost,
  { dst, ttl, flags, checksum }: TcpSpec,
): Intent {
  const named = [...flags].sort().join(' ');
  if (checksum === 'wrong') return { kind: 'blocked', why: 'a TCP segment with a wrong checksum' };
  if (named === 'ACK SYN' || named === 'FIN SYN')
    return {
      kind: 'blocked',
      why: `a segment with ${flags.join(' and ')} opens no connection and belongs to none`,
    };
  if (named !== 'ACK')
    throw new Unsupported(
      'nothing is promised about a TCP segment of no connection with the flags ' +
        (flags.join(', ') || 'none'),
    );
  const reach = intentOfDatagram(topology, from, { to: dst, ttl });
  return reach.kind === 'round-trip'
    ? {
        kind: 'refused',
        to: reach.to,
        source: reach.source,
        why: 'it belongs to no connection that the host knows',
      }
    : reach;
}
