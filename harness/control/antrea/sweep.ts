import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { FlowChange } from '../../domain/plan/flow-change.js';

/**
 * What an agent that has restarted removes, once all that its plan wants is there: flows of an
 * earlier start (Antrea, pkg/agent/openflow/client.go, "DeleteStaleFlows"), and the groups that
 * they named.
 */
export function sweep({ node, bridges, allocation }: NodePlan): readonly FlowChange[] {
  const rounds = Array.from(
    { length: allocation?.round ?? 0 },
    (_, round) => `flow delete cookie=0x${(BigInt(round) << 48n).toString(16)}/0xffff000000000000`,
  );
  const groups = Array.from(
    { length: (allocation?.firstGroup ?? 1) - 1 },
    (_, index) => `group delete group_id=${index + 1}`,
  );
  const lines = [...rounds, ...groups];
  return lines.length === 0
    ? []
    : bridges.map(({ name }) => ({ kind: 'change', node, bridge: name, lines }));
}
