/** What hosts around the switches needed for a pass. */
import type { Observation } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';

/**
 * `hostPasses`: frames that came out of a switch to a host, whose stack takes them; what leaves
 * by an uplink, wires carry on. `relays`: connections that a proxy copies between.
 */
export function hostWork(
  { nodes }: ClusterPlan,
  { frames, notes }: Observation,
): { readonly hostPasses: number; readonly relays: number } {
  const uplinks = new Set(
    nodes.flatMap(({ node, bridges }) =>
      bridges.flatMap(({ ports }) =>
        ports.flatMap(({ kind, name }) => (kind === 'uplink' ? [`${node} ${name}`] : [])),
      ),
    ),
  );
  return {
    hostPasses: frames.filter(
      ({ direction, node, port }) => direction === 'out' && !uplinks.has(`${node} ${port}`),
    ).length,
    relays: notes.filter(({ kind }) => kind === 'relayed').length,
  };
}
