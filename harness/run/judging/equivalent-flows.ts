/**
 * Flows that OVN has compiled of one priority and with the same actions, from one logical flow with
 * an "or" in its match, or from several ACLs: their matches may overlap. Which of them a packet
 * takes depends on the order in which they were installed, which ovn-controller leaves to chance:
 * they count as one.
 */
import { oncePer } from '../../base/once-per.js';
import { sumAmbiguous } from '../../compare/compare-counters.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import { formatFlowId, type FlowCount, type FlowId } from '../../domain/switching.js';
import { parseBridgeFlows } from '../../openflow/bridge-program.js';
import { canonicalActions, flowId, type Flow } from '../../openflow/flows/flow.js';

/** The counts, with those of equivalent flows at the first of them. */
export function withoutChance(
  plan: ClusterPlan,
  counts: readonly FlowCount[],
): readonly FlowCount[] {
  const sets = equivalentFlows(plan);
  return sets.length === 0 ? counts : sumAmbiguous(counts, sets);
}

/** Each set in the order in which its flows are printed. */
export const equivalentFlows = oncePer(({ nodes }: ClusterPlan) => nodes.flatMap(equivalentOn));

/** A node that an event does not change is the same object behind it. */
const equivalentOn = oncePer(({ node, bridges }: NodePlan): readonly (readonly FlowId[])[] =>
  bridges
    .filter(({ origin }) => origin === 'dumped')
    .flatMap((bridge) =>
      overlapping(parseBridgeFlows(node, bridge)).map((flows) =>
        flows
          .map((flow) => flowId(node, bridge.name, flow))
          .toSorted((a, b) => (formatFlowId(a) < formatFlowId(b) ? -1 : 1)),
      ),
    ),
);

/** Flows that are alike but for match and cookie, where a packet can have both. */
function overlapping(flows: readonly Flow[]): readonly (readonly Flow[])[] {
  const alike = new Map<string, Flow[][]>();
  for (const flow of flows) {
    const { table, priority, actions } = flow;
    const key = [table, priority, canonicalActions(actions)].join(' ');
    const sets = alike.get(key) ?? [];
    const met = sets.filter((set) => set.some((other) => canShareAPacket(flow, other)));
    alike.set(key, [...sets.filter((set) => !met.includes(set)), [...met.flat(), flow]]);
  }
  return [...alike.values()].flat().filter(({ length }) => length > 1);
}

function canShareAPacket(one: Flow, other: Flow): boolean {
  return one.match.every(({ field, value, mask }) =>
    other.match.every(
      (term) => term.field !== field || ((term.value ^ value) & term.mask & mask) === 0n,
    ),
  );
}
