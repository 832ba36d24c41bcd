import { assert } from '../base/errors/errors.js';
import type { Topology } from './topology.js';
import type { TestVector } from './test-vector.js';

/**
 * A cluster over time: its first state, and the steps that follow, one after the other. Nothing is
 * forgotten in between but at a reset.
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
  /** The cluster changes, and the agents that are there and receive the change apply it. */
  | {
      readonly kind: 'cluster';
      readonly what: string;
      readonly cluster: Cluster;
      /** The point of the scenario's matrix whose cluster it was until then, if it is one. */
      readonly from?: Readonly<Record<string, string>>;
      readonly staleAgents?: readonly string[];
    }
  /**
   * The node's ovs-vswitchd is killed and started again: until its agent has programmed it again,
   * it forwards nothing.
   */
  | { readonly kind: 'switch restarts'; readonly node: string }
  /**
   * The same, with its ovsdb-server and what both run in: the node's network, or its container.
   * They come again with the database that they had; pods, and the node's own stack, run on.
   */
  | { readonly kind: 'node restarts'; readonly node: string }
  | { readonly kind: 'switch is programmed'; readonly node: string }
  /**
   * The node's agent is gone until it restarts: what it has programmed stays, and it receives no
   * change.
   */
  | { readonly kind: 'agent stops'; readonly node: string }
  /**
   * It restarts, receives the whole state, and programs beside what its switch holds already; flows
   * of earlier starts stay until it sweeps.
   */
  | { readonly kind: 'agent restarts'; readonly node: string }
  | { readonly kind: 'agent sweeps'; readonly node: string }
  /** The agent receives all changes that it has missed. */
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
      return (step.staleAgents ?? []).length === 0
        ? step.what
        : `${step.what}, and ${step.staleAgents?.join(' and ')} do not receive it`;
    case 'switch restarts':
      return `the switch of ${step.node} restarts`;
    case 'node restarts':
      return `node ${step.node} restarts`;
    case 'switch is programmed':
      return `the switch of ${step.node} is programmed`;
    case 'agent stops':
      return `the agent of ${step.node} stops`;
    case 'agent restarts':
      return `the agent of ${step.node} restarts`;
    case 'agent sweeps':
      return `the agent of ${step.node} sweeps`;
    case 'agent hears':
      return `the agent of ${step.node} receives all changes`;
  }
}

/** What a cluster is, and what each of its nodes takes it for. */
export interface AgentViews<Cluster extends Topology = Topology> {
  readonly cluster: Cluster;
  /** The cluster as stale agents have received it. A node that has left has received nothing. */
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
          stays(node) && (stale.has(node.name) || event.staleAgents?.includes(node.name) === true),
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
    case 'node restarts':
    case 'switch is programmed':
    case 'agent sweeps':
      return { cluster, stale };
  }
}

/** The cluster as a node's agent has received it. */
export function viewOf<Cluster extends Topology>(
  { cluster, stale }: AgentViews<Cluster>,
  node: string,
): Cluster {
  return stale.get(node) ?? cluster;
}

/**
 * What runs: the nodes there are, each with the pods that its agent knows of. Nothing comes to a
 * node or leaves it before its agent has received that.
 */
export function runningCluster<Cluster extends Topology>(views: AgentViews<Cluster>): Cluster {
  const { cluster, stale } = views;
  if (stale.size === 0) return cluster;
  const nodes = cluster.nodes.map(({ name }) => {
    const node = viewOf(views, name).nodes.find((heard) => heard.name === name);
    assert(node !== undefined, `node ${name} knows itself`);
    return node;
  });
  return { ...cluster, nodes };
}
