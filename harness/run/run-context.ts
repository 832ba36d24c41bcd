import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Scenario } from '../domain/scenario.js';
import type { ModelTestbed } from '../testbeds/model/model-testbed.js';
import type { PassContext } from './passes.js';

/** What vectors are played on, beside real switches. */

export interface RunContext extends PassContext {
  readonly scenario: Scenario;
  readonly plan: ClusterPlan;
  readonly model: ModelTestbed;
  /** Told behind each vector. */
  readonly onJudged: () => void;
}
