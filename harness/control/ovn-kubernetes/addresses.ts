/** Addresses that are given out by the place of a node in the cluster. */
import { formatIpv4, ipv4Number } from '../../base/addresses/mac-and-ipv4.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';

/** From 0 on. */
export function placeOf({ nodes }: OvnKubernetesTopology, { name }: Node): number {
  return nodes.findIndex((node) => node.name === name);
}

/** The addresses of the cluster's router and of a node's gateway router on the network of both. */
export const joinAddressOfCluster = ({ join }: OvnKubernetesTopology) => join.first;
export function joinAddressOf(network: OvnKubernetesTopology, node: Node): string {
  return addressAfter(network.join.first, 1 + placeOf(network, node));
}

/** The address of a node's zone between zones. */
export function transitAddressOf(network: OvnKubernetesTopology, node: Node): string {
  return addressAfter(network.transit.first, placeOf(network, node));
}

function addressAfter(first: string, offset: number): string {
  return formatIpv4(ipv4Number(first) + offset);
}
