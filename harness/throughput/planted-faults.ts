/** Faults in a measured cluster, which the model knows nothing of: each has to be found. */
import { InputError } from '../base/errors/errors.js';
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
  if (plan.northbound !== undefined)
    throw new InputError(
      `${fault} is planted where Antrea has programmed the switches: not by OVN`,
    );
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
 * They match flags that nobody sends, at ports all over the range that clients take theirs from
 * (ip_local_port_range): a switch that caches what it found has to know the port up to the bit in
 * which it differs from all of them, and asks again for each such part of the range.
 */
function flowsInTheWay(): readonly string[] {
  return Array.from(
    { length: 500 },
    (_, index) =>
      `table=0,priority=250,tcp,tp_src=${32_768 + 56 * index},tcp_flags=+urg actions=drop`,
  );
}
