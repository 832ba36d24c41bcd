import { fileURLToPath } from 'node:url';
import { readCluster } from '../kubernetes.js';
import { readManifestFolder } from '../manifest-folder.js';
import { ovnKubernetesCluster, ovnMacOf } from './ovn-kubernetes-cluster.js';
import type { Cluster } from '../../harness/kube/objects.js';
import type { OvnKubernetesTopology, ZoneLayout } from './ovn-kubernetes-topology.js';
import { externalAddress, macOf } from '../addresses.js';
import { withWayOut } from './way-out.js';

/**
 * The cluster of the manifests in topologies/ovn-kubernetes/`folder`, where ovn-kubernetes is.
 * @param balancedTo the nodes that a load balancer sends hosts outside to: one host each.
 */
export function readOvnKubernetesCluster(
  folder: string,
  zones: ZoneLayout,
  balancedTo: readonly string[] = [],
): Cluster & OvnKubernetesTopology {
  // Compiled, this file stands in dist/topologies.
  const path = fileURLToPath(
    new URL(`../../../topologies/ovn-kubernetes/${folder}`, import.meta.url),
  );
  const externalHosts = balancedTo.map((node, index) => ({
    name: `x${index + 1}`,
    ip: externalAddress(index + 1),
    mac: macOf(externalAddress(index + 1)),
    balancedTo: node,
  }));
  return withWayOut(
    ovnKubernetesClusterOf(readManifestFolder(path), { name: folder, externalHosts }, zones),
  );
}

/** The same of manifests at hand. */
export function ovnKubernetesClusterOf(
  manifests: Parameters<typeof readCluster>[0],
  named: Parameters<typeof readCluster>[1],
  zones: ZoneLayout,
): Cluster & OvnKubernetesTopology {
  return asOvnKubernetesCluster(readCluster(manifests, named), zones);
}

/** The cluster with the addresses that ovn-kubernetes gives it. */
export function asOvnKubernetesCluster(
  cluster: Cluster,
  zones: ZoneLayout,
): Cluster & OvnKubernetesTopology {
  const options = ovnKubernetesCluster({ nodes: cluster.nodes.length, podsPerNode: 0 }, zones);
  return {
    ...options,
    ...cluster,
    gateways: Object.fromEntries(
      cluster.nodes.map(({ name }, index) => [name, Object.values(options.gateways)[index] ?? '']),
    ),
    nodes: cluster.nodes.map((node) => ({
      ...node,
      gateway: { ...node.gateway, mac: ovnMacOf(node.gateway.ip) },
      pods: node.pods.map((pod) => ({ ...pod, mac: ovnMacOf(pod.ip) })),
    })),
  };
}
