/**
 * L0 on what a proxy of a Windows node finds behind a port of a Service: who of the endpoints
 * answers it, from where they see it, and whom policies keep from it.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type { AntreaCluster } from '../../../../topologies/antrea/antrea-topology.js';
import type { Answerer } from '../../../domain/intent.js';
import type { Node } from '../../../domain/topology.js';
import { answersOn, hostWithAddress, clusterHosts } from '../../kubernetes/cluster-hosts.js';
import { type ClusterHost } from '../../../domain/cluster-host.js';
import { end } from '../../kubernetes/policy/intent-under-policies.js';
import { ingressVerdict } from '../../kubernetes/policy/policy-verdict.js';
import { sourceSeen } from '../path.js';
import { backends, type Backend, type PortOfService } from '../../kubernetes/service/backends.js';
import type { Service } from '../../../kube/schemas/services.js';

/** An endpoint that answers. */
export interface Reached extends Answerer {
  readonly source: string;
  readonly ip: string;
  readonly port: number;
  readonly party: ClusterHost | undefined;
}

export type Endpoint =
  | { readonly kind: 'answers'; readonly reached: Reached }
  /** Whatever is sent there, nothing comes back. */
  | { readonly kind: 'silent'; readonly why: string }
  /** Somebody is there who does not listen. */
  | { readonly kind: 'refuses'; readonly by: string; readonly why: string };

/**
 * @throws Unsupported where the node itself is an endpoint: nothing is promised about what it sends
 *   to itself.
 */
export function endpointsBehind(
  cluster: AntreaCluster,
  node: Node,
  service: Service,
  port: PortOfService,
): readonly Endpoint[] {
  if (service.spec.internalTrafficPolicy === 'Local')
    throw new Unsupported(
      `nothing is promised about what ${node.name}, a Windows node, makes of the ` +
        `internalTrafficPolicy Local of ${service.metadata.name}`,
    );
  return backends(cluster.objects, service, port).map((backend) =>
    endpointAt(cluster, node, port, backend),
  );
}

function endpointAt(
  cluster: AntreaCluster,
  node: Node,
  asked: PortOfService,
  { ip, port }: Backend,
): Endpoint {
  const { protocol } = asked;
  const self = clusterHosts(cluster).find((party) => party.kind === 'node' && party.node === node);
  const party = hostWithAddress(cluster, ip);
  const outside = (cluster.externalHosts ?? []).find((host) => host.ip === ip);
  const target =
    party ??
    (outside === undefined ? undefined : { name: outside.name, listens: outside.listens ?? [] });
  if (target === undefined || self === undefined)
    return { kind: 'silent', why: `nobody holds ${ip}` };
  if (party?.kind === 'node' && party.node === node)
    throw new Unsupported(`nothing is promised about what ${node.name} sends to itself`);
  const source = party?.kind === 'pod' ? sourceSeen(cluster, self, party) : node.underlay.ip;
  const refusal = keptBack(cluster, node, source, { party, ip, port, protocol });
  if (refusal !== undefined) return { kind: 'silent', why: refusal };
  if (!answersOn(target, protocol, port))
    return {
      kind: 'refuses',
      by: target.name,
      why: `nobody listens on ${protocol} port ${port} of ${target.name}`,
    };
  return {
    kind: 'answers',
    reached: { to: target.name, source, sources: [source], ip, port, party },
  };
}

/**
 * The proxy's connection is the node's own, so that policies of the endpoint take the node for its
 * sender, and the client's are not asked about it: none of its packets goes there. "Traffic from
 * the local gateway cannot be dropped because of Network Policies" (the seed of the pipeline,
 * "IngressRuleTable").
 */
function keptBack(
  { objects }: AntreaCluster,
  node: Node,
  source: string,
  {
    party,
    ip,
    port,
    protocol,
  }: {
    readonly party: ClusterHost | undefined;
    readonly ip: string;
    readonly port: number;
    readonly protocol: PortOfService['protocol'];
  },
): string | undefined {
  if (party?.kind !== 'pod' || party.node === node) return undefined;
  const verdict = ingressVerdict(objects, {
    protocol,
    port,
    from: end(objects, source),
    to: end(objects, ip),
  });
  if (verdict.kind === 'open')
    throw new Unsupported(
      `nothing is promised about what ${node.name} gets by a proxy: ${verdict.why}`,
    );
  return verdict.kind === 'denied' ? verdict.why : undefined;
}
