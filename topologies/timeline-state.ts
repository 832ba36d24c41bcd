/** A cluster while events are turned into the steps of a timeline. */
import type { AgentViews } from '../harness/domain/timeline.js';
import {
  agentViewsAfter,
  type TimelineEvent,
  type SequenceStep,
  runningCluster,
} from '../harness/domain/timeline.js';
import { podsOf } from '../harness/domain/topology.js';
import type { Cluster } from '../harness/kube/objects.js';
import type { ChangingCluster } from './changing-cluster.js';
import type { TrafficEvent } from './cluster-event.js';

export interface TimelineState {
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
   * Connections to Services whose opener's switch has restarted since: nothing is promised about
   * them.
   */
  readonly unpromisedConnections: Set<string>;
}

export function recordEvent(
  state: TimelineState,
  event: TimelineEvent<Cluster>,
): SequenceStep<Cluster> {
  state.agentViews = agentViewsAfter(state.agentViews, event);
  if (event.kind === 'switch restarts' || event.kind === 'node restarts')
    state.unprogrammedNodes.add(event.node);
  if (event.kind === 'switch is programmed' || event.kind === 'agent restarts')
    state.unprogrammedNodes.delete(event.node);
  return event;
}

export function nodeHolding(
  { agentViews: hearing }: TimelineState,
  host: string,
): string | undefined {
  const cluster = runningCluster(hearing);
  return (
    podsOf(cluster).find(({ pod }) => pod.name === host)?.node.name ??
    cluster.nodes.find(({ name }) => name === host)?.name
  );
}

export function isNode({ now: { cluster } }: TimelineState, name: string): boolean {
  return cluster.nodes.some((node) => node.name === name);
}

export function noteAddresses({ now: { cluster }, addresses }: TimelineState): void {
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
