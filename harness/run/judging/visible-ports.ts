import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';

/** Every port that frames can be seen at: all but tunnels, whose frames show at the uplink. */
export function visiblePorts(plan: ClusterPlan): ReadonlySet<string> {
  return new Set(
    plan.nodes.flatMap(({ node, bridges }) =>
      bridges.flatMap((bridge) =>
        [
          bridge.name,
          ...bridge.ports.filter(({ kind }) => kind !== 'tunnel').map(({ name }) => name),
        ].map((port) => `${node} ${port}`),
      ),
    ),
  );
}
