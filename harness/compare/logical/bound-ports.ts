/** Which ports of switches are logical ports. */
import { oncePer } from '../../base/once-per.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';

/** Logical ports by `node port`. */
export const boundPorts = oncePer(
  ({ northbound }: ClusterPlan): ReadonlyMap<string, string> =>
    new Map(
      (northbound?.zones ?? []).flatMap(({ chassis }) =>
        chassis.flatMap(({ node, bindings }) =>
          bindings.map(({ port, logicalPort }) => [`${node} ${port}`, logicalPort] as const),
        ),
      ),
    ),
);

/** The nodes of the zone that a node is in. */
export function zoneNodes({ northbound }: ClusterPlan, node: string): ReadonlySet<string> {
  const zone = northbound?.zones.find(({ chassis }) => chassis.some((one) => one.node === node));
  return new Set((zone?.chassis ?? []).map((one) => one.node));
}
