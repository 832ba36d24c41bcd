import type { AntreaTopology } from '../../../topologies/antrea/antrea-topology.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import type { Node } from '../../domain/topology.js';
import { subnetNode } from '../kubernetes/cluster-hosts.js';
import { nodePathBetween } from './path.js';

/**
 * A pod is seen as itself by pods and by its own node. Outside of the pods' network it has its
 * node's address, which is what it leaves by (Antrea: "masquerade pod to external packets"). A node
 * is seen by the address of the interface that it sends from: its gateway for pods of its own and
 * for those behind a tunnel, its own for those that the network between nodes carries to; on
 * Windows its gateway for all pods, since Services are in the switch there (the Windows design,
 * "Service Traffic"). A pod that gets itself must not see itself as the sender: Antrea has an
 * address for that, kube-proxy takes the node's.
 */
export function sourcesAtEndpoint(
  cluster: AntreaTopology,
  from: ClusterHost,
  ip: string,
): readonly string[] {
  const { gateway, underlay } = from.node;
  const endpointNode = subnetNode(cluster, ip);
  if (from.kind === 'node')
    return [isByGateway(cluster, from.node, endpointNode) ? gateway.ip : underlay.ip];
  if (ip === from.ip) return [gateway.ip, '169.254.169.252'];
  return [endpointNode !== undefined || ip === underlay.ip ? from.ip : underlay.ip];
}

/** Whether a node gets by its gateway to pods of the other one; there is none outside. */
function isByGateway(cluster: AntreaTopology, node: Node, other: Node | undefined): boolean {
  if (other === undefined) return false;
  if (node.os === 'windows' || other.name === node.name) return true;
  return nodePathBetween(cluster, node, other) === 'tunnel';
}
