import type { AntreaCluster, AntreaTopology, TrafficMode } from './antrea-topology.js';
import type { KubeObjects } from '../../harness/kube/objects.js';
import type { Topology } from '../../harness/domain/topology.js';
import { generatedCluster } from '../generated/generated-policies.js';
import { onNetworks } from './mixed-cluster.js';

/**
 * Two Windows nodes and a Linux node between them under many policies. In hybrid mode the third
 * node is on a network of its own, behind a router.
 */
export function windowsPolicies(seed: number, mode: TrafficMode): AntreaCluster {
  const { objects, ...network }: AntreaCluster = generatedCluster(seed, {
    nodes: 3,
    pods: 9,
    networkPolicies: 16,
    clusterNetworkPolicies: 4,
  });
  const mixed: AntreaTopology = {
    ...network,
    name: `windows-${network.name}-${mode}`,
    mode,
    nodes: network.nodes.map((node, index) => ({ ...node, os: index === 1 ? 'linux' : 'windows' })),
  };
  const placed = mode === 'hybrid' ? onNetworks(mixed, [0, 0, 1]) : mixed;
  return {
    ...placed,
    objects: { ...objects, pods: objects.pods.map((pod) => onItsNode(placed, pod)) },
  };
}

/** A pod on the host's network has its node's address. */
function onItsNode(
  { nodes }: Topology,
  pod: KubeObjects['pods'][number],
): KubeObjects['pods'][number] {
  const node = pod.spec.hostNetwork
    ? nodes.find(({ name }) => name === pod.spec.nodeName)
    : undefined;
  return node === undefined ? pod : { ...pod, status: { ...pod.status, podIP: node.underlay.ip } };
}
