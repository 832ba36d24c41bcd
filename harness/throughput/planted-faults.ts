/** Faults in a measured cluster, which the model knows nothing of: each has to be found. */
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';

export const plantedFaults = {
  'flows-in-the-way': '500 flows of one priority that packets are looked up in and do not match',
  'tunnel-checksum': 'tunnels with options:csum=true, which the plan has not',
  'proxy-pause': 'a proxy that waits 100 ms before it connects',
  'small-mtu': 'a pod whose interface carries 600 bytes at most',
} as const;
export type PlantedFault = keyof typeof plantedFaults;

export function faultedPlan(plan: ClusterPlan, fault: PlantedFault | undefined): ClusterPlan {
  const change = fault === undefined ? undefined : changes[fault];
  if (change === undefined) return plan;
  return {
    ...plan,
    nodes: plan.nodes.map((node) => ({ ...node, bridges: node.bridges.map(change) })),
  };
}

const changes: Partial<Record<PlantedFault, (bridge: BridgePlan) => BridgePlan>> = {
  'flows-in-the-way': (bridge) =>
    bridge.name === 'br-int' ? { ...bridge, flows: [...bridge.flows, ...flowsInTheWay()] } : bridge,
  'tunnel-checksum': (bridge) => ({
    ...bridge,
    ports: bridge.ports.map((port) =>
      port.kind === 'tunnel'
        ? { ...port, options: { remote_ip: 'flow', key: 'flow', ...port.options, csum: 'true' } }
        : port,
    ),
  }),
};

/**
 * Their mask is no prefix, so that no trie of ports spares the lookup: what is cached of it is good
 * for one client's port alone, which none of them has.
 */
function flowsInTheWay(): readonly string[] {
  return Array.from(
    { length: 500 },
    (_, index) => `table=0,priority=250,tcp,tp_src=${index + 100}/0xbfff actions=drop`,
  );
}
