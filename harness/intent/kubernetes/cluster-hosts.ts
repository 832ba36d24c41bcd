import { addressNumber, isIpv4Address } from '../../base/addresses/ip-address.js';
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { unknownName } from '../../base/errors/errors.js';
import { oncePer } from '../../base/once-per.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import { podsOf, type Listener, type Node, type Topology } from '../../domain/topology.js';

/** Every host of the cluster by its address on a pod subnet. */
export function clusterHosts({ nodes }: Topology): readonly ClusterHost[] {
  return clusterHostsOn(nodes);
}

const clusterHostsOn = oncePer((nodes: readonly Node[]): readonly ClusterHost[] => [
  ...podsOf({ nodes }).map(
    ({ pod, node }): ClusterHost => ({
      kind: 'pod',
      name: pod.name,
      ip: pod.ip,
      mac: pod.mac,
      node,
      listens: pod.listens ?? [],
      ...(pod.migratable === undefined ? {} : { migratable: true as const }),
    }),
  ),
  ...nodes.map(
    (node): ClusterHost => ({
      kind: 'node',
      name: node.name,
      ...node.gateway,
      node,
      listens: node.listens ?? [],
    }),
  ),
]);

/**
 * The first that has it, of addresses on pod subnets and then of those of nodes on the network
 * between nodes.
 */
const byAddress = oncePer((nodes: readonly Node[]): ReadonlyMap<string, ClusterHost> => {
  const all = clusterHostsOn(nodes);
  const held = new Map<string, ClusterHost>();
  for (const party of [
    ...all,
    ...all
      .filter(({ kind }) => kind === 'node')
      .map((party) => ({ ...party, ip: party.node.underlay.ip })),
  ])
    if (!held.has(party.ip)) held.set(party.ip, party);
  return held;
});

/** @throws InputError listing the hosts there are. */
export function senderNamed(topology: Topology, name: string): ClusterHost {
  const all = clusterHosts(topology);
  const found = all.find((party) => party.name === name);
  if (found === undefined)
    throw unknownName(
      'host',
      name,
      all.map((party) => party.name),
    );
  return found;
}

/** The UDP and TCP port that every host answers on, with the same payload (RFC 862). */
const echoPort = 7;

/** Whether somebody there answers on the port. */
export function answersOn(
  { listens }: Pick<ClusterHost, 'listens'>,
  protocol: Listener['protocol'],
  port: number,
): boolean {
  return (
    (port === echoPort && protocol !== 'SCTP') ||
    listens.some((listener) => listener.protocol === protocol && listener.port === port)
  );
}

/**
 * The host with the address, also a node's on the underlay; undefined when there is none.
 * @throws InputError when `ip` is no address.
 */
export function hostWithAddress(topology: Topology, ip: string): ClusterHost | undefined {
  addressNumber(ip);
  return byAddress(topology.nodes).get(ip);
}

/**
 * Whether no host of any network has the address. Those of Services are not asked about: somebody
 * may be behind each.
 */
export function isUnheld(topology: Topology, ip: string): boolean {
  const { serviceCidr, nodes, externalHosts = [], routers = [] } = topology;
  const others = [
    ...externalHosts,
    ...nodes.flatMap(({ adapters = [] }) => adapters),
    ...routers.flatMap(({ interfaces }) => interfaces),
  ];
  return (
    hostWithAddress(topology, ip) === undefined &&
    !others.some((other) => other.ip === ip) &&
    !(isIpv4Address(addressNumber(ip)) && cidrContains(parseCidr(serviceCidr), ipv4Number(ip)))
  );
}

const subnetOf = oncePer(({ podCidr }: Node) => parseCidr(podCidr));

/** The node whose pod subnet the address is in, whether somebody holds it or not. */
export function subnetNode(topology: Topology, ip: string): Node | undefined {
  if (!isIpv4Address(addressNumber(ip))) return undefined;
  const number = ipv4Number(ip);
  return topology.nodes.find((node) => cidrContains(subnetOf(node), number));
}
