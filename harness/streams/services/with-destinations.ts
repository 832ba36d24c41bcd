import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { DnatRule } from '../../domain/plan/nat-plan.js';

/** The plan with other rules for destinations, wherever a host forwards. */
export function withDestinations(
  plan: ClusterPlan,
  change: (rules: readonly DnatRule[]) => readonly DnatRule[],
): ClusterPlan {
  const nodes = plan.nodes.map((node) => ({
    ...node,
    hosts: node.hosts.map((host) => {
      const { forwarding } = host;
      return forwarding === undefined
        ? host
        : { ...host, forwarding: { ...forwarding, destinations: change(forwarding.destinations) } };
    }),
  }));
  return { ...plan, nodes };
}
