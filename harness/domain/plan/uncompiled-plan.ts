/** A plan before others have programmed bridges of it: what switches come up with. */
import type { BridgePlan } from './bridge-plan.js';
import type { ClusterPlan, NodePlan } from './cluster-plan.js';
import type { PortPlan } from './port-plan.js';

/** The plan without what OVN has compiled. */
export function uncompiledPlan(plan: ClusterPlan): ClusterPlan {
  return withDumpedBridges(plan, (_, bridge) => ({
    name: bridge.name,
    origin: 'dumped',
    mac: bridge.mac,
    ports: bridge.ports.filter(({ kind }) => kind !== 'tunnel'),
    flows: [],
    ...(bridge.failMode === undefined ? {} : { failMode: bridge.failMode }),
  }));
}

/** The plan with another bridge in the place of each one that OVN programs. */
export function withDumpedBridges(
  plan: ClusterPlan,
  change: (node: NodePlan, bridge: BridgePlan) => BridgePlan,
): ClusterPlan {
  if (plan.northbound === undefined) return plan;
  return {
    ...plan,
    nodes: plan.nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) =>
        bridge.origin === 'dumped' ? change(node, bridge) : bridge,
      ),
    })),
  };
}

/** A port that a program has plugged is there by now, as any other. */
export function asPlugged(port: PortPlan): PortPlan {
  if (port.kind !== 'endpoint' || port.plugged === undefined) return port;
  const { plugged: _, ...there } = port;
  return there;
}
