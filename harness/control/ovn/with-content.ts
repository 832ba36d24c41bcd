/** Northbound content beside that of a network. */
import type { OvnContent } from '../../domain/plan/ovn-content.js';
import { assert } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { NorthboundValue } from '../../domain/plan/northbound-plan.js';

/** The plan with rows of its own in each zone, and other columns in those that are there. */
export function withContent(plan: ClusterPlan, content: OvnContent): ClusterPlan {
  const { northbound } = plan;
  assert(northbound !== undefined, 'OVN programs the plan');
  return {
    ...plan,
    northbound: {
      zones: northbound.zones.map((zone) => ({
        ...zone,
        rows: [
          ...zone.rows.map((row) => {
            const more = Object.entries(content.columns[row.id] ?? {}).map(
              ([column, value]) => [column, joined(row.columns[column], value)] as const,
            );
            return { ...row, columns: { ...row.columns, ...Object.fromEntries(more) } };
          }),
          ...content.rows,
        ],
      })),
    },
  };
}

/** Maps are joined; anything else takes the place of what was there. */
function joined(before: NorthboundValue | undefined, value: NorthboundValue): NorthboundValue {
  return typeof before === 'object' &&
    'map' in before &&
    typeof value === 'object' &&
    'map' in value
    ? { map: { ...before.map, ...value.map } }
    : value;
}
