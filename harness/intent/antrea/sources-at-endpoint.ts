import type { ClusterHost } from '../../domain/cluster-host.js';
import type { Topology } from '../../domain/topology.js';
import { subnetNode } from '../kubernetes/cluster-hosts.js';

/**
 * A pod is seen as itself by pods and by its own node. Outside of the pods' network it has its
 * node's address, which is what it leaves by (Antrea: "masquerade pod to external packets"). A node
 * is seen by the address that it sends from. A pod that gets itself must not see itself as the
 * sender: Antrea has an address for that, kube-proxy takes the node's.
 */
export function sourcesAtEndpoint(
  cluster: Topology,
  from: ClusterHost,
  ip: string,
): readonly string[] {
  const inPods = subnetNode(cluster, ip) !== undefined;
  if (from.kind === 'node') return [inPods ? from.node.gateway.ip : from.node.underlay.ip];
  if (ip === from.ip) return [from.node.gateway.ip, '169.254.169.252'];
  return [inPods || ip === from.node.underlay.ip ? from.ip : from.node.underlay.ip];
}
