/** The port of a Service that an external client, or a node, sends to. */
import type { ClusterHost } from '../../../domain/cluster-host.js';
import type { PortOfService } from './backends.js';
import type { Service } from '../../../kube/schemas/services.js';
import type { Node } from '../../../domain/topology.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import type { Cluster } from '../../../kube/objects.js';
import { clusterHosts } from '../cluster-hosts.js';
import { oncePer } from '../../../base/once-per.js';
import { Unsupported } from '../../../base/errors/errors.js';
import { protocolOf } from './service-reach.js';

/** Who asks: an external host, or with its place in the cluster a pod or a node. */
export interface ServiceClient {
  readonly name: string;
  readonly ip: string;
  readonly party?: ClusterHost;
}

/** A port of a Service as it is asked for, and the node that its packets come to. */
export interface ExternalPort {
  readonly service: Service;
  readonly port: PortOfService;
  readonly name: string;
  readonly node: Node;
  readonly by: "a node's port" | 'an address';
}

export type Sent = Extract<Stimulus, { readonly to: string; readonly port: number }>;

export function clientNamed(cluster: Cluster, name: string): ServiceClient | undefined {
  const host = (cluster.externalHosts ?? []).find((candidate) => candidate.name === name);
  if (host !== undefined) return { name, ip: host.ip };
  const party = clusterHosts(cluster).find((candidate) => candidate.name === name);
  return party === undefined ? undefined : { name, ip: party.ip, party };
}

export function nameOf({ metadata }: Service, { protocol, port }: PortOfService): string {
  return `Service ${metadata.namespace}/${metadata.name}, ${protocol} port ${port}`;
}

/** By which it is asked for from outside, beside ports of nodes. */
export const addressesOf = oncePer(({ spec: { type, externalIPs }, status }: Service) => [
  ...externalIPs,
  ...(type === 'LoadBalancer' ? (status.loadBalancer?.ingress ?? []).map(({ ip }) => ip) : []),
]);

/** Whether a pod's gateway is its node, or a router that is none. */
export type Gateways = 'of nodes' | 'of routers';

/**
 * The node that has the address. Its ports are open on all of its addresses (kube-proxy,
 * `--nodeport-addresses`: by default "all available IPs"), so pods reach them by their gateway's as
 * well.
 * @throws Unsupported where a node asks itself, and for the gateway's address of another node:
 *   whether the packet counts as one from outside there depends on how kube-proxy recognises pods.
 */
export function nodeWithAddress(
  { nodes }: Cluster,
  { name, party }: ServiceClient,
  ip: string,
  gateways: Gateways,
): Node | undefined {
  const node = nodes.find(
    ({ underlay, gateway }) =>
      underlay.ip === ip || (gateways === 'of nodes' && party !== undefined && gateway.ip === ip),
  );
  if (node === undefined || node.os === 'windows') return undefined;
  if (party?.kind === 'node' && party.node === node)
    throw new Unsupported(`nothing is promised about what ${name} sends to itself`);
  if (ip === node.gateway.ip && party?.node !== node)
    throw new Unsupported(
      `nothing is promised about ports of ${node.name} that ${name} asks for by ${ip}, the ` +
        'address of its gateway',
    );
  return node;
}

export function externalPortAt(
  cluster: Cluster,
  asker: ServiceClient,
  stimulus: Sent,
  gateways: Gateways = 'of nodes',
): ExternalPort | undefined {
  const protocol = protocolOf(stimulus);
  for (const service of cluster.objects.services) {
    for (const port of service.spec.ports) {
      if (port.protocol !== protocol) continue;
      const node =
        port.nodePort === stimulus.port
          ? nodeWithAddress(cluster, asker, stimulus.to, gateways)
          : undefined;
      if (node !== undefined)
        return {
          service,
          port,
          node,
          name: `${nameOf(service, port)}, by port ${stimulus.port} of ${node.name}`,
          by: "a node's port",
        };
      const nearest =
        asker.party?.node ??
        cluster.nodes.find(
          (candidate) =>
            candidate.name ===
            cluster.externalHosts?.find((host) => host.name === asker.name)?.balancedTo,
        );
      if (
        port.port === stimulus.port &&
        addressesOf(service).includes(stimulus.to) &&
        nearest !== undefined
      )
        return {
          service,
          port,
          node: nearest,
          name: `${nameOf(service, port)}, by ${stimulus.to}`,
          by: 'an address',
        };
    }
  }
  return undefined;
}

export function isLocal({ spec }: Service): boolean {
  return spec.externalTrafficPolicy === 'Local';
}
