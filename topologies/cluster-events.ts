/**
 * What happens to a cluster, one thing after the other, as a timeline: what cannot be where it
 * stands is left out, so that of a list of happenings every part is one.
 */
import { assertNever } from '../harness/base/errors/errors.js';
import type { Cluster } from '../harness/kube/objects.js';
import {
  agentViewsAfter,
  runningCluster,
  type AgentViews,
  type Sequence,
  type TimelineEvent,
  type SequenceStep,
} from '../harness/domain/timeline.js';
import { podsOf } from '../harness/domain/topology.js';
import type { Stimulus } from '../harness/domain/test-vector.js';
import {
  apply,
  has,
  nameOf,
  remove,
  type ChangingCluster,
  type Manifest,
} from './changing-cluster.js';

export type ClusterEvent =
  | { readonly kind: 'apply'; readonly manifest: Manifest }
  | { readonly kind: 'delete'; readonly object: Pick<Manifest, 'kind' | 'metadata'> }
  /** Until its agent has programmed it anew, or has swept behind itself, this happens. */
  | {
      readonly kind: 'switch restarts' | 'agent restarts';
      readonly node: string;
      readonly meanwhile: readonly TrafficEvent[];
    }
  /**
   * The node's agent is gone while this happens; then it restarts and sweeps, and nothing is sent
   * in between: until then rules that it missed the end of stand beside new ones.
   */
  | {
      readonly kind: 'agent is gone';
      readonly node: string;
      readonly meanwhile: readonly ClusterEvent[];
    }
  /**
   * These agents hear of the change one after the other, each when what stands before it has been
   * sent.
   */
  | {
      readonly kind: 'not all hear';
      readonly change: ManifestChange;
      readonly late: readonly { readonly node: string; readonly before: readonly TrafficEvent[] }[];
    }
  | TrafficEvent;

export type ManifestChange = Extract<ClusterEvent, { readonly kind: 'apply' | 'delete' }>;

/**
 * `id` is unique in a list. Hosts by name, nodes on the network between nodes as `Node n1`, and
 * Services as `Service web`: what has left is sent to all the same.
 */
export type TrafficEvent =
  | {
      readonly kind: 'send';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly service:
        | { readonly protocol: 'TCP' | 'UDP'; readonly port: number; readonly calls?: number }
        | { readonly protocol: 'ICMP' };
    }
  | {
      readonly kind: 'open';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly port: number;
    }
  /** By the connection that was opened under this id. */
  | { readonly kind: 'talk'; readonly id: string; readonly connection: string };

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

interface TimelineState {
  now: ChangingCluster;
  agentViews: AgentViews<Cluster>;
  /** Nodes whose agents are gone. */
  readonly stoppedAgents: Set<string>;
  /** Nodes whose switches have no flows. */
  readonly unprogrammedNodes: Set<string>;
  /** Those that hosts have, or had last. */
  readonly addresses: Map<string, string>;
  readonly connections: Map<string, Extract<TrafficEvent, { readonly kind: 'open' }>>;
  /**
   * Connections to Services whose opener's switch has started anew since: nothing is promised about
   * them.
   */
  readonly unpromisedConnections: Set<string>;
}

const betweenCallsMs = 10;

function stepsOf(state: TimelineState, event: ClusterEvent): readonly SequenceStep<Cluster>[] {
  switch (event.kind) {
    case 'apply':
    case 'delete':
      return manifestSteps(state, event, []);
    case 'switch restarts':
      return isNode(state, event.node) ? switchRestarts(state, event) : [];
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
  {
    node,
    meanwhile,
  }: Extract<ClusterEvent, { readonly kind: 'switch restarts' | 'agent restarts' }>,
): readonly SequenceStep<Cluster>[] {
  const restart = recordEvent(state, { kind: 'switch restarts', node });
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
    ...(staleAgents.length === 0 ? {} : { unheardBy: staleAgents }),
  });
  for (const nodes of [state.stoppedAgents, state.unprogrammedNodes])
    for (const node of nodes) if (!isNode(state, node)) nodes.delete(node);
  noteAddresses(state);
  return [step];
}

function recordEvent(state: TimelineState, event: TimelineEvent<Cluster>): SequenceStep<Cluster> {
  state.agentViews = agentViewsAfter(state.agentViews, event);
  if (event.kind === 'switch restarts') state.unprogrammedNodes.add(event.node);
  if (event.kind === 'switch is programmed' || event.kind === 'agent restarts')
    state.unprogrammedNodes.delete(event.node);
  return event;
}

function nodeHolding({ agentViews: hearing }: TimelineState, host: string): string | undefined {
  const cluster = runningCluster(hearing);
  return (
    podsOf(cluster).find(({ pod }) => pod.name === host)?.node.name ??
    cluster.nodes.find(({ name }) => name === host)?.name
  );
}

function isNode({ now: { cluster } }: TimelineState, name: string): boolean {
  return cluster.nodes.some((node) => node.name === name);
}

function noteAddresses({ now: { cluster }, addresses }: TimelineState): void {
  for (const { pod } of podsOf(cluster)) addresses.set(pod.name, pod.ip);
  for (const { name, gateway, underlay } of cluster.nodes)
    addresses.set(name, gateway.ip).set(`Node ${name}`, underlay.ip);
  for (const { name, ip } of cluster.externalHosts ?? []) addresses.set(name, ip);
  for (const {
    metadata: { name, namespace },
    spec,
  } of cluster.objects.services)
    if (spec.clusterIP !== undefined)
      addresses.set(
        `Service ${namespace === 'default' ? '' : `${namespace}/`}${name}`,
        spec.clusterIP,
      );
}

function vectorsFor(state: TimelineState, traffic: TrafficEvent): readonly SequenceStep<Cluster>[] {
  const { connections, addresses } = state;
  const opening = traffic.kind === 'talk' ? connections.get(traffic.connection) : traffic;
  if (opening === undefined || !isRunning(state, opening.from)) return [];
  // What is promised then of ports of nodes and of who is outside hangs on more than whom nodes
  // have heard of.
  if (
    isExternalAccess(state, opening) &&
    (state.agentViews.stale.size > 0 || state.unprogrammedNodes.size > 0)
  )
    return [];
  const to = addresses.get(opening.to);
  if (to === addresses.get(opening.from)) return [];
  const isTaken =
    !isRunning(state, opening.to) &&
    [...addresses].some(([name, ip]) => ip === to && isRunning(state, name));
  // Of who has somebody else's address nothing is promised to those who mean the other.
  if (to === undefined || (isTaken && traffic.kind === 'talk')) return [];
  if (traffic.kind === 'talk' && state.unpromisedConnections.has(traffic.connection)) return [];
  if (traffic.kind === 'open') connections.set(traffic.id, traffic);
  return [
    { kind: 'vector', vector: { id: traffic.id, stimulus: stimulusOf(traffic, opening, to) } },
  ];
}

function stimulusOf(
  traffic: TrafficEvent,
  { from }: { readonly from: string },
  to: string,
): Stimulus {
  switch (traffic.kind) {
    case 'open':
      return { kind: 'open', from, to, port: traffic.port, connection: traffic.id };
    case 'talk':
      return { kind: 'talk', from, to, port: 0, connection: traffic.connection };
    case 'send':
      if (traffic.service.protocol !== 'ICMP' && traffic.service.calls !== undefined)
        return {
          kind: 'calls',
          from,
          to,
          protocol: traffic.service.protocol,
          port: traffic.service.port,
          count: traffic.service.calls,
          everyMs: betweenCallsMs,
        };
      return traffic.service.protocol === 'TCP'
        ? { kind: 'probe', from, to, port: traffic.service.port, transmissions: 1 }
        : traffic.service.protocol === 'UDP'
          ? { kind: 'udp', from, to, port: traffic.service.port }
          : { kind: 'ping', from, to };
  }
}

/** Whether it runs: its node has heard of it. */
function isRunning({ agentViews: hearing }: TimelineState, name: string): boolean {
  const cluster = runningCluster(hearing);
  return [
    ...podsOf(cluster).map(({ pod }) => pod),
    ...cluster.nodes,
    ...(cluster.externalHosts ?? []),
  ].some((host) => host.name === name);
}

function isExternalAccess(
  { now: { cluster } }: TimelineState,
  { from, to: target }: { readonly from: string; readonly to: string },
): boolean {
  return (
    target.startsWith('Node ') ||
    (cluster.externalHosts ?? []).some(({ name }) => name === from || name === target)
  );
}
