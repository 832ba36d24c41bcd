/** One case: northbound content, what is sent through it, and what was found. */
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Stimulus } from '../../domain/test-vector.js';

export interface ContentCase {
  /** Its number in the seed. */
  readonly index: number;
  /** What is wanted of OVN, given what it has. */
  readonly plan: (before: ClusterPlan | undefined) => ClusterPlan;
  /** Kinds of content, to be counted: `ACL reject`, `Load_Balancer`. */
  readonly kinds: readonly string[];
  readonly stimuli: readonly Stimulus[];
}

/** Who says something else: compiled step by step against from scratch, or of a packet. */
export type ContentAspect = 'recompute' | 'frames' | 'counters' | 'ovn-trace';

export interface ContentDifference {
  readonly aspect: ContentAspect;
  /** Missing of what is compiled. */
  readonly stimulus?: Stimulus;
  readonly summary: string;
}

export interface ContentOutcome {
  readonly index: number;
  readonly kinds: readonly string[];
  readonly flows: number;
  readonly packets: number;
  /** Packets that ovn-trace was asked about, and those behind what it has to suppose. */
  readonly traced: { readonly made: number; readonly skipped: number };
  readonly differences: readonly ContentDifference[];
  /** What the model refuses by name: nothing is said of those packets. */
  readonly refused: readonly string[];
}
