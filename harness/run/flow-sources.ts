/** Findings name what OVN compiled a flow from, beside the flow. */
import { oncePer } from '../base/once-per.js';
import { flowKey } from '../compare/compare-counters.js';
import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { FlowId } from '../domain/switching.js';
import type { Difference } from '../domain/verdict.js';
import { parseBridgeFlows } from '../openflow/bridge-program.js';
import { flowId } from '../openflow/flows/flow.js';

/** What a flow of the plan was compiled from; undefined for one that is desired as it is. */
export function flowSource(plan: ClusterPlan, flow: FlowId): string | undefined {
  const node = plan.nodes.find((one) => one.node === flow.node);
  return node && sourcesOn(node).get(flowKey(flow));
}

/** The differences, each with the source of the flow that it is located at. */
export function withFlowSources(
  plan: ClusterPlan,
  differences: readonly Difference[],
): readonly Difference[] {
  return differences.map((difference) => {
    const { at } = difference;
    const source = at !== undefined && 'flow' in at ? flowSource(plan, at.flow) : undefined;
    return at === undefined || source === undefined
      ? difference
      : { ...difference, at: { ...at, because: `${at.because}; OVN compiled it from: ${source}` } };
  });
}

/** A node that an event does not change is the same object behind it. */
const sourcesOn = oncePer(
  ({ node, bridges }: NodePlan): ReadonlyMap<string, string> =>
    new Map(
      bridges.flatMap((bridge) => {
        const { sources } = bridge;
        if (sources === undefined) return [];
        return parseBridgeFlows(node, bridge).flatMap((flow) => {
          const source = sources[`0x${flow.cookie.toString(16)}`];
          return source === undefined
            ? []
            : [[flowKey(flowId(node, bridge.name, flow)), source] as const];
        });
      }),
    ),
);
