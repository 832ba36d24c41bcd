import { cidrContains, ipv4Number, parseCidr } from '../base/addresses/mac-and-ipv4.js';
import { clusterIpsOf } from '../kube/services/service-endpoints.js';
import type { Network } from '../kube/objects.js';
import type { HostPlan, RoutePlan } from '../domain/plan/host-plan.js';
import { isBehindRouter, nextHopOf } from '../domain/next-hops.js';
import type { ExternalHost } from '../domain/topology.js';

/**
 * The network stacks of external hosts, which no control plane programs: they know the network
 * between nodes, or a router to it, and no way into the cluster but to addresses of Services that
 * are from outside of it, by the node that they are balanced to.
 */
export function externalHosts(network: Network): readonly HostPlan[] {
  const { nodes, externalHosts = [] } = network;
  const networks = nodes.flatMap(({ underlay, adapters = [] }) => [underlay, ...adapters]);
  const ways = [...networks, ...(network.routers ?? []).flatMap(({ interfaces }) => interfaces)];
  const lengthOf = (ip: string) =>
    ways.find((known) =>
      cidrContains(parseCidr(`${known.ip}/${known.prefixLength}`), ipv4Number(ip)),
    )?.prefixLength ?? 32;
  return externalHosts.map((host) => ({
    name: host.name,
    kind: 'external',
    interfaces: [{ name: 'eth0', mac: host.mac, ip: host.ip, prefixLength: lengthOf(host.ip) }],
    routes: [...wayBack(host, lengthOf(host.ip), network), ...routesOf(host, network)],
    ...(host.listens === undefined ? {} : { listens: host.listens }),
  }));
}

/** By the router, from where there is no node. */
function wayBack(
  { ip }: ExternalHost,
  prefixLength: number,
  network: Network,
): readonly RoutePlan[] {
  const hop = isBehindRouter(network, ip) ? nextHopOf(network, { ip, prefixLength }) : undefined;
  return hop === undefined
    ? []
    : [{ destination: '0.0.0.0/0', via: hop.ip, interface: 'eth0', onlink: false }];
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
