/** What agents do at each step of a history, as data. */
import { stepsBetween, stepsOfReplay, stepsOfStart, stepsOfSweep, type AgentStep } from '../../control/changes.js';
import { assert } from '../../base/errors.js';
import type { HistoryStep } from '../../nouns/history.js';
import type { ClusterPlan, ControlPlane, NodePlan } from '../../nouns/plan.js';
import type { Topology } from '../../nouns/topology.js';

export type Event = Exclude<HistoryStep, { readonly kind: 'vector' }>;

/** What a cluster is, and what its nodes are to hold. */
export interface Held {
  readonly cluster: Topology;
  readonly plan: ClusterPlan;
}

/** What is held after the event, and the steps that lead there. */
export function eventOf(controlPlane: ControlPlane<Topology>, { cluster, plan }: Held, event: Event): Held & { readonly steps: readonly AgentStep[] } {
  switch (event.kind) {
    case 'cluster': {
      const after = controlPlane.plan(event.cluster, plan);
      return { cluster: event.cluster, plan: after, steps: stepsBetween(plan, after) };
    }
    case 'switch restarts':
      return { cluster, plan, steps: [{ kind: 'restart', node: event.node }] };
    case 'switch is programmed':
      return { cluster, plan, steps: stepsOfReplay(nodeOf(plan, event.node)) };
    case 'agent restarts': {
      const after = controlPlane.plan(cluster, controlPlane.restarted?.(plan, event.node) ?? plan);
      return { cluster, plan: after, steps: stepsOfStart(nodeOf(plan, event.node), nodeOf(after, event.node)) };
    }
    case 'agent sweeps':
      return { cluster, plan, steps: stepsOfSweep(nodeOf(plan, event.node)) };
  }
}

function nodeOf({ nodes }: ClusterPlan, name: string): NodePlan {
  const node = nodes.find((candidate) => candidate.node === name);
  assert(node !== undefined, `there is a node ${name}`);
  return node;
}
