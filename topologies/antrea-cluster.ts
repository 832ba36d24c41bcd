import { formatIpv4, ipv4Number } from '../harness/base/addresses/mac-and-ipv4.js';
import { assert } from '../harness/base/errors/errors.js';
import type { ExternalHost, Node, Pod, Topology, TunnelType } from '../harness/domain/topology.js';

export interface AntreaClusterSize {
  readonly nodes: number;
  readonly podsPerNode: number;
  readonly tunnel: TunnelType;
  /** None unless told. */
  readonly externalHosts?: number;
}

/** What kubeadm takes for ClusterIPs unless told. */
export const defaultServiceCidr = '10.96.0.0/12';

/** The network between nodes has room for 65,534 of them. */
export const underlayPrefixLength = 16;

/**
 * A cluster of equal nodes: n1, n2, … with pods p1, p2, … numbered through. Node i has the underlay
 * address 172.30.0.i, the pod subnet 10.10.i.0/24, the gateway 10.10.i.1 and pods from 10.10.i.2
 * on; external hosts x1, x2, … have 172.30.255.1, ….
 */
export function antreaCluster({
  nodes,
  podsPerNode,
  tunnel,
  externalHosts = 0,
}: AntreaClusterSize): Topology {
  assert(nodes >= 1 && nodes <= 5000, `a cluster has 1 to 5000 nodes, not ${nodes}`);
  assert(podsPerNode >= 0 && podsPerNode <= 253, `a node has 0 to 253 pods, not ${podsPerNode}`);
  assert(
    externalHosts >= 0 && externalHosts <= 254,
    `there are 0 to 254 external hosts, not ${externalHosts}`,
  );
  return {
    name: `antrea-${nodes}x${podsPerNode}`,
    mode: 'encap',
    tunnel,
    serviceCidr: defaultServiceCidr,
    nodes: Array.from({ length: nodes }, (_, index) => clusterNode(index + 1, podsPerNode)),
    ...(externalHosts === 0
      ? {}
      : {
          externalHosts: Array.from({ length: externalHosts }, (_, index) =>
            externalHost(index + 1),
          ),
        }),
  };
}

function clusterNode(number: number, podsPerNode: number): Node {
  const subnet = podSubnet(number);
  const underlayIp = underlayAddress(number);
  const pods = Array.from({ length: podsPerNode }, (_, index): Pod => {
    const ip = addressIn(subnet, index + 2);
    return { name: `p${(number - 1) * podsPerNode + index + 1}`, ip, mac: macOf(ip) };
  });
  const gatewayIp = addressIn(subnet, 1);
  return {
    name: `n${number}`,
    underlay: { ip: underlayIp, prefixLength: underlayPrefixLength, mac: macOf(underlayIp) },
    podCidr: `${subnet}/24`,
    gateway: { ip: gatewayIp, mac: macOf(gatewayIp) },
    pods,
  };
}

function externalHost(number: number): ExternalHost {
  const ip = externalAddress(number);
  return { name: `x${number}`, ip, mac: macOf(ip) };
}

/** The first address of the pod subnet of node `number`, counted from 1. */
export function podSubnet(number: number): string {
  return addressIn('10.10.0.0', number * 256);
}

export function underlayAddress(number: number): string {
  return addressIn('172.30.0.0', number);
}

/** Far from those of nodes: for the external host at `number` of its cluster, counted from 1. */
export function externalAddress(number: number): string {
  return addressIn('172.30.255.0', number);
}

/** The address `offset` after `first`. */
export function addressIn(first: string, offset: number): string {
  return formatIpv4(ipv4Number(first) + offset);
}

/** A locally administered MAC that tells its address: 10.10.1.2 has 0a:00:0a:0a:01:02. */
export function macOf(ip: string): string {
  return `0a:00:${ip
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join(':')}`;
}
