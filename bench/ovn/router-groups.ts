import { assert } from '../../harness/base/errors/errors.js';
import type { ClusterPlan } from '../../harness/domain/plan/cluster-plan.js';
import type { NorthboundAtom, NorthboundRow } from '../../harness/domain/plan/northbound-plan.js';

/** Keys of the datapaths of routers that are put in the place of one. */
const firstRouterKey = 100_001;

/**
 * The plan with a logical router for each `size` nodes in place of the one for all: a chassis has
 * the datapaths alone that can be reached from its own (ovn-architecture(7), "Architectural Life
 * Cycle of a VIF"). Nodes of different groups do not reach each other then; chassis have tunnels to
 * all others all the same.
 */
export function inRouterGroups(plan: ClusterPlan, size: number): ClusterPlan {
  const { northbound } = plan;
  assert(northbound !== undefined, 'OVN compiles the plan');
  const zones = northbound.zones.map((zone) => ({
    ...zone,
    rows: zone.rows.flatMap((row) =>
      row.table === 'Logical_Router' ? splitRouter(row, size) : row,
    ),
  }));
  return { ...plan, northbound: { zones } };
}

function splitRouter(row: NorthboundRow, size: number): readonly NorthboundRow[] {
  const ports = portsOf(row);
  const { name, options } = row.columns;
  assert(typeof name === 'string', 'a router has a name');
  const held = typeof options === 'object' && 'map' in options ? options.map : {};
  return Array.from({ length: Math.ceil(ports.length / size) }, (_, group) => ({
    ...row,
    id: `${row.id} ${group + 1}`,
    columns: {
      ...row.columns,
      name: `${name}-${group + 1}`,
      ports: { set: ports.slice(group * size, (group + 1) * size) },
      options: { map: { ...held, 'requested-tnl-key': String(firstRouterKey + group) } },
    },
  }));
}

function portsOf({ columns: { ports } }: NorthboundRow): readonly NorthboundAtom[] {
  return typeof ports === 'object' && 'set' in ports ? ports.set : [];
}
