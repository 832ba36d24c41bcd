/** A plan before OVN has compiled it, and after. */
import type { BridgePlan, ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { CompiledChassis } from './ovn.js';

/** The plan without what OVN has compiled: what switches come up with. */
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

/** The plan with what OVN has compiled. */
export function compiledPlan(plan: ClusterPlan, compiled: readonly CompiledChassis[]): ClusterPlan {
  return withDumpedBridges(uncompiledPlan(plan), ({ node }, bridge) => {
    const found = compiled.find((one) => one.node === node && one.bridge === bridge.name);
    return found === undefined
      ? bridge
      : { ...bridge, ports: [...bridge.ports, ...found.tunnels], ...found.program };
  });
}

function withDumpedBridges(
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
