import { cidrContains, ipv4Number, parseCidr } from '../base/addresses/mac-and-ipv4.js';
import { clusterIpsOf } from '../kube/services/service-endpoints.js';
import type { Network } from '../kube/objects.js';
import type { HostPlan, RoutePlan } from '../domain/plan/host-plan.js';
import type { ExternalHost } from '../domain/topology.js';

/**
 * The network stacks of external hosts, which no control plane programs: they know the network
 * between nodes, and no way into the cluster but to addresses of Services that are from outside of
 * it, by the node that they are balanced to.
 */
export function externalHosts(network: Network): readonly HostPlan[] {
  const { nodes, externalHosts = [] } = network;
  const networks = nodes.flatMap(({ underlay, adapters = [] }) => [underlay, ...adapters]);
  const lengthOf = (ip: string) =>
    networks.find((known) =>
      cidrContains(parseCidr(`${known.ip}/${known.prefixLength}`), ipv4Number(ip)),
    )?.prefixLength ?? 32;
  return externalHosts.map((host) => ({
    name: host.name,
    kind: 'external',
    interfaces: [{ name: 'eth0', mac: host.mac, ip: host.ip, prefixLength: lengthOf(host.ip) }],
    routes: routesOf(host, network),
    ...(host.listens === undefined ? {} : { listens: host.listens }),
  }));
}

function routesOf({ balancedTo }: ExternalHost, network: Network): readonly RoutePlan[] {
  const node = network.nodes.find(({ name }) => name === balancedTo);
  if (node === undefined) return [];
  const addresses = new Set(
    clusterIpsOf(network).flatMap(({ loadBalancerIps, externalIps }) => [
      ...loadBalancerIps,
      ...externalIps,
    ]),
  );
  return [...addresses].map((ip) => ({
    destination: `${ip}/32`,
    via: node.underlay.ip,
    interface: 'eth0',
    onlink: false,
  }));
}
