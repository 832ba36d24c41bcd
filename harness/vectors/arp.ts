import type { Topology } from '../domain/topology.js';
import type { TestVector } from '../domain/test-vector.js';
import { firstPods, orderedPairs } from './targets.js';

/** ARP between the pods of a node, and from each pod for its gateway: `arp/p1/p2`, `arp/p1/n1`. */
export function arpNeighbours(topology: Topology): readonly TestVector[] {
  return topology.nodes.flatMap((node) => {
    const gateway = { name: node.name, ip: node.gateway.ip };
    return [...orderedPairs(node.pods), ...node.pods.map((pod) => [pod, gateway] as const)].map(
      ([from, to]) => arp(from.name, to.name, to.ip),
    );
  });
}

/**
 * ARP for the gateways of the other nodes, from each node and from its first pod: `arp/n1/n2`,
 * `arp/p1/n2`.
 */
export function arpPeerGateways(topology: Topology): readonly TestVector[] {
  const askers = [
    ...topology.nodes.map((node) => ({ name: node.name, node })),
    ...firstPods(topology).map(({ pod, node }) => ({ name: pod.name, node })),
  ];
  return askers.flatMap(({ name, node }) =>
    topology.nodes
      .filter((peer) => peer !== node)
      .map((peer) => arp(name, peer.name, peer.gateway.ip)),
  );
}

function arp(from: string, to: string, target: string): TestVector {
  return { id: `arp/${from}/${to}`, stimulus: { kind: 'arp', from, target } };
}
