/** What agents do at each step of a timeline, as data. */
import {
  stepsBetween,
  stepsOfReplay,
  stepsOfStart,
  type AgentStep,
} from '../../control/agent-steps.js';
import { assert } from '../../base/errors/errors.js';
import {
  agentViewsAfter,
  viewOf,
  type AgentViews,
  type TimelineEvent,
} from '../../domain/timeline.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { Topology } from '../../domain/topology.js';

/** What a cluster is, and what its nodes hold. */
export interface AgentState {
  readonly agentViews: AgentViews;
  readonly plan: ClusterPlan;
}

/** What is held after the event, and the steps that lead there. */
export function applyEvent(
  controlPlane: ControlPlane<Topology>,
  state: AgentState,
  event: TimelineEvent,
): AgentState & { readonly steps: readonly AgentStep[] } {
  const agentViews = agentViewsAfter(state.agentViews, event);
  const before = state.plan;
  switch (event.kind) {
    case 'cluster':
    case 'agent hears': {
      const plan = planOf(controlPlane, agentViews, before);
      return { agentViews, plan, steps: stepsBetween(before, plan) };
    }
    case 'agent restarts': {
      const plan = planOf(
        controlPlane,
        agentViews,
        before,
        controlPlane.restarted?.(before, event.node),
      );
      return {
        agentViews,
        plan,
        steps: stepsOfStart(nodeOf(before, event.node), nodeOf(plan, event.node)),
      };
    }
    case 'agent stops':
      return { agentViews, plan: before, steps: [] };
    case 'switch restarts':
      return { agentViews, plan: before, steps: [{ kind: 'restart', node: event.node }] };
    case 'node restarts': {
      const restart = { kind: 'restart', node: event.node, whole: true } as const;
      return { agentViews, plan: before, steps: [restart] };
    }
    case 'switch is programmed':
      return { agentViews, plan: before, steps: stepsOfReplay(nodeOf(before, event.node)) };
    case 'agent sweeps':
      return {
        agentViews,
        plan: before,
        steps: controlPlane.sweep?.(nodeOf(before, event.node)) ?? [],
      };
  }
}

/**
 * Each node by the cluster that its agent has received. What is as before is the same object as
 * before: its flows are read once for all of a timeline (`parseBridgeFlows`).
 */
function planOf(
  controlPlane: ControlPlane<Topology>,
  agentViews: AgentViews,
  current: ClusterPlan,
  known = current,
): ClusterPlan {
  const { cluster } = agentViews;
  const plans = new Map(
    [...new Set(cluster.nodes.map(({ name }) => viewOf(agentViews, name)))].map((view) => [
      view,
      controlPlane.plan(view, known),
    ]),
  );
  const nodes = cluster.nodes.map(({ name }) => {
    const plan = plans.get(viewOf(agentViews, name));
    assert(plan !== undefined, `node ${name} has a plan`);
    return shareUnchanged(
      current.nodes.find(({ node }) => node === name),
      nodeOf(plan, name),
    );
  });
  const { externalHosts, leftWrong } = plans.get(cluster) ?? current;
  return {
    nodes,
    ...(externalHosts === undefined ? {} : { externalHosts }),
    ...(leftWrong === undefined ? {} : { leftWrong }),
  };
}

export function shareUnchanged(before: NodePlan | undefined, after: NodePlan): NodePlan {
  if (before === undefined) return after;
  if (JSON.stringify(before) === JSON.stringify(after)) return before;
  return {
    ...after,
    bridges: after.bridges.map(
      (bridge) =>
        before.bridges.find((known) => JSON.stringify(known) === JSON.stringify(bridge)) ?? bridge,
    ),
  };
}

function nodeOf({ nodes }: ClusterPlan, name: string): NodePlan {
  const node = nodes.find((candidate) => candidate.node === name);
  assert(node !== undefined, `there is a node ${name}`);
  return node;
}
