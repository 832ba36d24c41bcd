import type { ClusterHost } from '../../domain/cluster-host.js';
import type { InterjectionIntent } from '../../domain/intent.js';
import type { Interjection } from '../../domain/test-vector.js';

/**
 * The seed, "ConntrackStateTable": "drop packets reported as invalid by conntrack". Its listing has
 * two exceptions for connections that came in by the gateway, which carry a mark: what the gateway
 * sends is let through by a flow of higher priority, and for what comes back a flow of the same
 * priority matches as well. A wrong checksum keeps a packet from being taken for part of any
 * connection, so that these exceptions are not for it.
 */
export function intentOfInterjection(
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
