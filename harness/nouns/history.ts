import type { Topology } from './topology.js';
import type { TestVector } from './vector.js';

/** A cluster in the course of time: what it is at first, and what happens then, one after the other. Nothing is forgotten in between. */
export interface History<Cluster extends Topology = Topology> {
  readonly cluster: Cluster;
  readonly steps: readonly HistoryStep<Cluster>[];
}

export type HistoryStep<Cluster extends Topology = Topology> =
  | { readonly kind: 'vector'; readonly vector: TestVector }
  /** The cluster becomes another, and all agents do what that asks of them. */
  | { readonly kind: 'cluster'; readonly what: string; readonly cluster: Cluster }
  /** The node's ovs-vswitchd is killed and started again: until its agent has programmed it anew, it forwards nothing. */
  | { readonly kind: 'switch restarts'; readonly node: string }
  | { readonly kind: 'switch is programmed'; readonly node: string }
  /** The node's agent starts anew, and programs beside what its switch holds already; what is of earlier starts stays until it sweeps. */
  | { readonly kind: 'agent restarts'; readonly node: string }
  | { readonly kind: 'agent sweeps'; readonly node: string };

/** `pod p4 comes to n2`, `tcp-80/p1/p2`. */
export function describeStep(step: HistoryStep): string {
  switch (step.kind) {
    case 'vector':
      return step.vector.id;
    case 'cluster':
      return step.what;
    case 'switch restarts':
      return `the switch of ${step.node} restarts`;
    case 'switch is programmed':
      return `the switch of ${step.node} is programmed`;
    case 'agent restarts':
      return `the agent of ${step.node} restarts`;
    case 'agent sweeps':
      return `the agent of ${step.node} sweeps`;
  }
}
