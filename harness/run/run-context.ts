import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Scenario } from '../domain/scenario.js';
import type { WorkUse } from '../lockstep/play-in-lockstep.js';
import type { Reference } from '../testbeds/reference.js';
import type { PassContext } from './passes.js';

/** What vectors are played on, beside real switches. */

export interface RunContext extends PassContext {
  readonly scenario: Scenario;
  readonly plan: ClusterPlan;
  readonly model: Reference;
  /** Of the programs that switch, once they run. */
  readonly versions?: Readonly<Record<string, string>>;
  /** What each vector needs is read, and compared. */
  readonly work?: WorkUse;
  /** Called after each vector. */
  readonly onJudged: () => void;
}
