/** What leaves the cluster by a gateway router, and whom it reaches there as whose. */
import { addressNumber, isIpv4Address } from '../../base/addresses/ip-address.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import type { Intent } from '../../domain/intent.js';
import { isBehindRouter, nextHopOf } from '../../domain/next-hops.js';
import type { Stimulus } from '../../domain/test-vector.js';
import type { Topology } from '../../domain/topology.js';
import { asOvnKubernetes, isIn, onlyPods, silent } from './network.js';

const routersOut = 2;

/**
 * By the gateway router of the node where it is, "ensuring traffic goes over the node where the VM
 * is running" (the seed, "Point to point routing"), which translates its address.
 */
export function egressIntent(
  network: Topology,
  from: ClusterHost,
  stimulus: Stimulus,
): Intent | undefined {
  if (!('to' in stimulus)) return undefined;
  const hop = nextHopOf(network, from.node.underlay);
  const host = [...(network.externalHosts ?? []), ...addressesOfRouters(network)].find(
    ({ ip }) => ip === stimulus.to,
  );
  if (host === undefined) return hop && outOfKnownNetworks(network, from, stimulus.to, hop.router);
  onlyPods(from);
  const isFurther =
    hop !== undefined && host.name !== hop.router && isBehindRouter(network, host.ip);
  if (isFurther && asOvnKubernetes(network).isAskedOverIpv6 === true)
    silent('IPv6 behind a router, which passes on IPv4 alone here,')();
  const ttl = 'ttl' in stimulus ? (stimulus.ttl ?? 64) : 64;
  const { egressIps = [], gateways, zones, gatewayMode, knownOutside } = asOvnKubernetes(network);
  const egressIp = egressIps.find(({ pods }) => pods.includes(from.name));
  const crosses = zones === 'a-node' && (egressIp?.node ?? from.node.name) !== from.node.name;
  const routers = routersOut + (crosses ? 1 : 0) + (isFurther ? 1 : 0);
  if (isFurther && ttl === routers) refuseMasqueradedErrors(network, from, hop.router);
  if (ttl <= routers)
    return { kind: 'rejected', why: `TTL ${ttl} does not last for ${routers} routers` };
  const own = gatewayMode === 'local' ? from.node.underlay.ip : gateways[from.node.name];
  const gateway = egressIp?.node ?? from.node.name;
  const asked = isFurther ? { name: hop.router, ip: hop.ip } : host;
  if (knownOutside !== undefined && knownOutside[gateway]?.includes(asked.ip) !== true)
    return { kind: 'denied', why: `the gateway router of ${gateway} asks for ${asked.name} first` };
  const source = egressIp?.ip ?? own;
  if (source === undefined) return silent(`a node without a gateway, ${from.node.name}`)();
  switch (stimulus.kind) {
    case 'ping':
    case 'tcp':
    case 'probe':
    case 'udp':
      if (stimulus.kind !== 'ping' && stimulus.port !== 7) return silent('closed ports outside')();
      return { kind: 'round-trip', to: host.name, source };
    default:
      return silent(`${stimulus.kind} out of the cluster`)();
  }
}

/** @throws Unsupported where the node's stack would have to translate an error of the router. */
function refuseMasqueradedErrors(network: Topology, { name, node }: ClusterHost, router: string) {
  const { gatewayMode, egressIps = [] } = asOvnKubernetes(network);
  if (gatewayMode === 'local' && !egressIps.some(({ pods }) => pods.includes(name)))
    silent(`errors of ${router} about what ${node.name} has masqueraded for ${name}`)();
}

function addressesOfRouters({
  routers = [],
}: Topology): readonly { readonly name: string; readonly ip: string }[] {
  return routers.flatMap(({ name, interfaces }) => interfaces.map(({ ip }) => ({ name, ip })));
}

/**
 * By the default route it goes to a router that knows no way there, and says so; undefined for what
 * is in a network of the cluster, or of the router.
 */
function outOfKnownNetworks(
  network: Topology,
  from: ClusterHost,
  to: string,
  router: string,
): Intent | undefined {
  const { clusterCidr } = asOvnKubernetes(network);
  const networks = [
    clusterCidr,
    ...network.nodes.map(({ underlay: { ip, prefixLength } }) => `${ip}/${prefixLength}`),
    ...(network.routers ?? []).flatMap(({ interfaces }) =>
      interfaces.map(({ ip, prefixLength }) => `${ip}/${prefixLength}`),
    ),
  ];
  if (!isIpv4Address(addressNumber(to)) || networks.some((block) => isIn(block, to)))
    return undefined;
  onlyPods(from);
  refuseMasqueradedErrors(network, from, router);
  return {
    kind: 'rejected',
    why: `${to} is in no network of the cluster, and ${router} knows no way there`,
    unheld: to,
  };
}

/**
 * What is for a ClusterIP and meets no load balancer, as its port or protocol is no Service's: OVN
 * routes it as everything else, by the default route where there is one.
 */
export function notBalanced(
  network: Topology,
  from: ClusterHost,
  promise: Extract<Intent, { readonly kind: 'denied' }>,
): Intent {
  const hop = nextHopOf(network, from.node.underlay);
  if (hop === undefined) return promise;
  refuseMasqueradedErrors(network, from, hop.router);
  return { ...promise, kind: 'rejected', why: `${promise.why}, and ${hop.router} no way there` };
}
