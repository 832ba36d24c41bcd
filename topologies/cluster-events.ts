/**
 * Events of a cluster, one after the other, as a timeline: an event that cannot happen in its place
 * is left out, so that every sublist of events is a timeline.
 */
import { assertNever } from '../harness/base/errors/errors.js';
import type { Cluster } from '../harness/kube/objects.js';
import { type Sequence, type SequenceStep } from '../harness/domain/timeline.js';
import { apply, has, nameOf, remove, type ChangingCluster } from './changing-cluster.js';
import type { ClusterEvent, ManifestChange, TrafficEvent } from './cluster-event.js';
import type { TimelineState } from './timeline-state.js';
import { isNode, nodeHolding, noteAddresses, recordEvent } from './timeline-state.js';
import { vectorsFor } from './timeline-vectors.js';

export function sequenceOf(
  first: ChangingCluster,
  events: readonly ClusterEvent[],
): Sequence<Cluster> {
  const state: TimelineState = {
    now: first,
    agentViews: { cluster: first.cluster, stale: new Map() },
    stoppedAgents: new Set(),
    unprogrammedNodes: new Set(),
    addresses: new Map(),
    connections: new Map(),
    unpromisedConnections: new Set(),
  };
  noteAddresses(state);
  return {
    cluster: first.cluster,
    steps: events.flatMap((event) => stepsOf(state, event)),
  };
}

function stepsOf(state: TimelineState, event: ClusterEvent): readonly SequenceStep<Cluster>[] {
  switch (event.kind) {
    case 'apply':
    case 'delete':
      return manifestSteps(state, event, []);
    case 'switch restarts':
    case 'node restarts':
      return isNode(state, event.node)
        ? switchRestarts(state, event.kind, event.node, event.meanwhile)
        : [];
    case 'agent restarts':
      return isNode(state, event.node) ? agentRestarts(state, event.node, event.meanwhile) : [];
    case 'agent is gone':
      return isNode(state, event.node) ? agentIsGone(state, event) : [];
    case 'not all hear': {
      const late = event.late.filter(
        ({ node }) => isNode(state, node) && !state.agentViews.stale.has(node),
      );
      const change = manifestSteps(
        state,
        event.change,
        late.map(({ node }) => node),
      );
      return change.length === 0
        ? []
        : [
            ...change,
            ...late.flatMap(({ node, before }) => [
              ...stepsOfAll(state, before),
              ...(state.agentViews.stale.has(node)
                ? [recordEvent(state, { kind: 'agent hears', node })]
                : []),
            ]),
          ];
    }
    case 'send':
    case 'open':
    case 'talk':
      return vectorsFor(state, event);
    default:
      return assertNever(event);
  }
}

function stepsOfAll(
  state: TimelineState,
  events: readonly ClusterEvent[],
): readonly SequenceStep<Cluster>[] {
  return events.flatMap((event) => stepsOf(state, event));
}

/** Nobody programs a switch whose agent is gone. */
function switchRestarts(
  state: TimelineState,
  kind: 'switch restarts' | 'node restarts',
  node: string,
  meanwhile: readonly TrafficEvent[],
): readonly SequenceStep<Cluster>[] {
  const restart = recordEvent(state, { kind, node });
  for (const { id, from, to } of state.connections.values())
    if (to.startsWith('Service ') && nodeHolding(state, from) === node)
      state.unpromisedConnections.add(id);
  return [
    restart,
    ...stepsOfAll(state, meanwhile),
    ...(state.stoppedAgents.has(node)
      ? []
      : [recordEvent(state, { kind: 'switch is programmed', node })]),
  ];
}

function agentRestarts(
  state: TimelineState,
  node: string,
  meanwhile: readonly TrafficEvent[],
): readonly SequenceStep<Cluster>[] {
  const restart = recordEvent(state, { kind: 'agent restarts', node });
  return [
    restart,
    ...stepsOfAll(state, meanwhile),
    recordEvent(state, { kind: 'agent sweeps', node }),
  ];
}

/** One whose node leaves meanwhile does not come back. */
function agentIsGone(
  state: TimelineState,
  { node, meanwhile }: Extract<ClusterEvent, { readonly kind: 'agent is gone' }>,
): readonly SequenceStep<Cluster>[] {
  if (state.stoppedAgents.has(node)) return [];
  state.stoppedAgents.add(node);
  const steps = [
    recordEvent(state, { kind: 'agent stops', node }),
    ...stepsOfAll(state, meanwhile),
  ];
  return state.stoppedAgents.delete(node) ? [...steps, ...agentRestarts(state, node, [])] : steps;
}

function manifestSteps(
  state: TimelineState,
  change: ManifestChange,
  staleAgents: readonly string[],
): readonly SequenceStep<Cluster>[] {
  const before = state.now;
  const isNew = change.kind === 'apply' && !has(before, change.manifest);
  const isLastNode =
    change.kind === 'delete' && change.object.kind === 'Node' && before.cluster.nodes.length === 1;
  if (isLastNode || (change.kind === 'delete' && !has(before, change.object))) return [];
  const now =
    change.kind === 'apply' ? apply(before, [change.manifest]) : remove(before, change.object);
  if (JSON.stringify(now.manifests) === JSON.stringify(before.manifests)) return [];
  const what =
    change.kind === 'apply'
      ? `${nameOf(change.manifest)} ${isNew ? 'comes' : 'changes'}`
      : `${nameOf(change.object)} goes`;
  state.now = now;
  const step = recordEvent(state, {
    kind: 'cluster',
    what,
    cluster: now.cluster,
    ...(staleAgents.length === 0 ? {} : { staleAgents }),
  });
  for (const nodes of [state.stoppedAgents, state.unprogrammedNodes])
    for (const node of nodes) if (!isNode(state, node)) nodes.delete(node);
  noteAddresses(state);
  return [step];
}
