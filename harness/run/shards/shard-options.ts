import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { TestVector } from '../../domain/test-vector.js';
import type { Reference } from '../../testbeds/reference.js';
import type { Switches } from '../../testbeds/testbed.js';
import type { WorkUse } from '../../lockstep/play-in-lockstep.js';
export type { WorkUse } from '../../lockstep/play-in-lockstep.js';
import type { Depth } from '../passes.js';

export interface ShardOptions {
  readonly seed: number;
  /** Which passes each vector runs in; by default all of them. */
  readonly depth?: Depth;
  /** `counted`: what each vector needs is read and compared; they run one by one then. */
  readonly work?: WorkUse;
  /**
   * Brings real switches up and programs them; once a shard. Where the point of the matrix comes
   * after another, they are changed then.
   */
  readonly openReal: (plan: ClusterPlan, shard: Shard) => Promise<Switches>;
  /**
   * Of Open vSwitch, as those switches will report it: what it cannot have is left away from the
   * plan (`adaptPlan`); nothing is where it is not known.
   */
  readonly version?: string;
  /**
   * Brings up what the switches are compared with, once a shard; the model unless given.
   * @param versions of those switches.
   */
  readonly openReference?: (
    plan: ClusterPlan,
    versions: Switches['versions'],
    shard: Shard,
  ) => Promise<Reference>;
  /** Called once the switches are programmed and checked: the self-test plants its faults here. */
  readonly afterProgramming?: (real: Switches) => Promise<void>;
  /** Runs only the vectors for which this holds; a timeline is played whole. */
  readonly only?: (vector: TestVector) => boolean;
}

/** Which of them, counted from 0. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}
