import { assert } from '../base/errors/errors.js';
import type { NodePlan, ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { parseBridgeFlows } from '../openflow/bridge-program.js';
import type { Flow } from '../openflow/flows/flow.js';

export function pick(node: NodePlan, bridge: BridgePlan, wanted: (flow: Flow) => boolean): Flow {
  const flow = parseBridgeFlows(node.node, bridge).find(wanted);
  assert(flow !== undefined, `${bridge.name} has no flow to plant the fault in`);
  return flow;
}

/** The first node's first bridge. */
export function faultyBridge(plan: ClusterPlan): {
  readonly node: NodePlan;
  readonly bridge: BridgePlan;
} {
  const [node] = plan.nodes;
  const [bridge] = node?.bridges ?? [];
  assert(node !== undefined && bridge !== undefined, 'a plan without a bridge');
  return { node, bridge };
}
