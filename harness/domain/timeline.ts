import { assert } from '../base/errors/errors.js';
import type { Topology } from './topology.js';
import type { TestVector } from './test-vector.js';

/**
 * A cluster in the course of time: what it is at first, and what happens then, one after the other.
 * Nothing is forgotten in between but at a reset.
 */
export interface Timeline<Cluster extends Topology = Topology> {
  readonly cluster: Cluster;
  readonly steps: readonly TimelineStep<Cluster>[];
}

export type TimelineStep<Cluster extends Topology = Topology> =
  | { readonly kind: 'vector'; readonly vector: TestVector }
  /**
   * Connections, learned MACs, cached flows and counters go, and what hosts know; the program of
   * the switches stays.
   */
  | { readonly kind: 'reset' }
  /**
   * The cluster becomes another, and agents do what that asks of them: all that are there and hear
   * of it.
   */
  | {
      readonly kind: 'cluster';
      readonly what: string;
      readonly cluster: Cluster;
      /** The point of the scenario's matrix whose cluster it was until then, if it is one. */
      readonly from?: Readonly<Record<string, string>>;
      readonly unheardBy?: readonly string[];
    }
  /**
   * The node's ovs-vswitchd is killed and started again: until its agent has programmed it anew, it
   * forwards nothing.
   */
  | { readonly kind: 'switch restarts'; readonly node: string }
  | { readonly kind: 'switch is programmed'; readonly node: string }
  /**
   * The node's agent is gone until it restarts: what it has programmed stays, and it hears of
   * nothing.
   */
  | { readonly kind: 'agent stops'; readonly node: string }
  /**
   * It starts anew, hears of all there is, and programs beside what its switch holds already; what
   * is of earlier starts stays until it sweeps.
   */
  | { readonly kind: 'agent restarts'; readonly node: string }
  | { readonly kind: 'agent sweeps'; readonly node: string }
  /** The agent hears of all that it has not heard of yet. */
  | { readonly kind: 'agent hears'; readonly node: string };

/** What happens to the cluster: everything that is no packet and no reset. */
export type TimelineEvent<Cluster extends Topology = Topology> = Exclude<
  TimelineStep<Cluster>,
  { readonly kind: 'vector' | 'reset' }
>;

/** A step of a timeline in which nothing is reset. */
export type SequenceStep<Cluster extends Topology = Topology> = Exclude<
  TimelineStep<Cluster>,
  { readonly kind: 'reset' }
>;

/** A timeline without resets: each vector meets what those before it have left. */
export interface Sequence<Cluster extends Topology = Topology> extends Timeline<Cluster> {
  readonly steps: readonly SequenceStep<Cluster>[];
}

/** The vectors, each after a reset. */
export function eachAfterReset(vectors: readonly TestVector[]): readonly TimelineStep[] {
  return vectors.flatMap((vector) => [
    { kind: 'reset' as const },
    { kind: 'vector' as const, vector },
  ]);
}

/** `pod p4 comes to n2`, `tcp-80/p1/p2`. */
export function describeStep(step: TimelineStep): string {
  switch (step.kind) {
    case 'vector':
      return step.vector.id;
    case 'reset':
      return 'a reset';
    case 'cluster':
      return (step.unheardBy ?? []).length === 0
        ? step.what
        : `${step.what}, and ${step.unheardBy?.join(' and ')} do not hear of it`;
    case 'switch restarts':
      return `the switch of ${step.node} restarts`;
    case 'switch is programmed':
      return `the switch of ${step.node} is programmed`;
    case 'agent stops':
      return `the agent of ${step.node} stops`;
    case 'agent restarts':
      return `the agent of ${step.node} restarts`;
    case 'agent sweeps':
      return `the agent of ${step.node} sweeps`;
    case 'agent hears':
      return `the agent of ${step.node} hears of all that`;
  }
}

/** What a cluster is, and what each of its nodes takes it for. */
export interface AgentViews<Cluster extends Topology = Topology> {
  readonly cluster: Cluster;
  /**
   * The cluster as the agents have heard of it, of those alone that have not heard of all. A node
   * that has left has heard of nothing.
   */
  readonly stale: ReadonlyMap<string, Cluster>;
}

/**
 * What is heard once that has happened. Who has missed one thing misses what comes after it, too.
 */
export function agentViewsAfter<Cluster extends Topology>(
  { cluster, stale }: AgentViews<Cluster>,
  event: TimelineEvent<Cluster>,
): AgentViews<Cluster> {
  switch (event.kind) {
    case 'cluster': {
      const stays = ({ name }: Cluster['nodes'][number]) =>
        event.cluster.nodes.some((node) => node.name === name);
      const staleNodes = cluster.nodes.filter(
        (node) =>
          stays(node) && (stale.has(node.name) || event.unheardBy?.includes(node.name) === true),
      );
      return {
        cluster: event.cluster,
        stale: new Map(staleNodes.map(({ name }) => [name, stale.get(name) ?? cluster])),
      };
    }
    case 'agent stops':
      return { cluster, stale: new Map([[event.node, cluster], ...stale]) };
    case 'agent restarts':
    case 'agent hears':
      return { cluster, stale: new Map([...stale].filter(([node]) => node !== event.node)) };
    case 'switch restarts':
    case 'switch is programmed':
    case 'agent sweeps':
      return { cluster, stale };
  }
}

/** The cluster as a node has heard of it. */
export function viewOf<Cluster extends Topology>(
  { cluster, stale }: AgentViews<Cluster>,
  node: string,
): Cluster {
  return stale.get(node) ?? cluster;
}

/**
 * What runs: the nodes there are, each with the pods that it has heard of. Nothing comes to a node
 * or leaves it before the node hears of it.
 */
export function runningCluster<Cluster extends Topology>(views: AgentViews<Cluster>): Cluster {
  const { cluster, stale } = views;
  if (stale.size === 0) return cluster;
  const nodes = cluster.nodes.map(({ name }) => {
    const node = viewOf(views, name).nodes.find((heard) => heard.name === name);
    assert(node !== undefined, `node ${name} has heard of itself`);
    return node;
  });
  return { ...cluster, nodes };
}
