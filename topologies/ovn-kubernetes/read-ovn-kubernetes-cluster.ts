import { fileURLToPath } from 'node:url';
import { readCluster } from '../kubernetes.js';
import { readManifestFolder } from '../manifest-folder.js';
import { ovnKubernetesCluster, ovnMacOf } from './ovn-kubernetes-cluster.js';
import type { Cluster } from '../../harness/kube/objects.js';
import type { OvnKubernetesTopology, ZoneLayout } from './ovn-kubernetes-topology.js';

/** The cluster of the manifests in topologies/ovn-kubernetes/`folder`, where ovn-kubernetes is. */
export function readOvnKubernetesCluster(
  folder: string,
  zones: ZoneLayout,
): Cluster & OvnKubernetesTopology {
  // Compiled, this file stands in dist/topologies.
  const path = fileURLToPath(
    new URL(`../../../topologies/ovn-kubernetes/${folder}`, import.meta.url),
  );
  const cluster = readCluster(readManifestFolder(path), { name: folder });
  const options = ovnKubernetesCluster({ nodes: cluster.nodes.length, podsPerNode: 0 }, zones);
  return {
    ...options,
    ...cluster,
    nodes: cluster.nodes.map((node) => ({
      ...node,
      gateway: { ...node.gateway, mac: ovnMacOf(node.gateway.ip) },
      pods: node.pods.map((pod) => ({ ...pod, mac: ovnMacOf(pod.ip) })),
    })),
  };
}
