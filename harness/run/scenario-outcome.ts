/** The outcome of a scenario at one point of its matrix. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Count, Difference } from '../domain/verdict.js';
import type { Inconclusive } from './judging/vector-report.js';
import type { JudgedVector } from './judging/vector-judgement.js';

export interface ScenarioOutcome {
  readonly program: readonly Difference[];
  readonly programCount: Count;
  /** In the order of the vectors. */
  readonly judged: readonly JudgedVector[];
  /** Why there were no switches to run the vectors on. */
  readonly switchesLost?: Inconclusive;
  readonly versions: Readonly<Record<string, string>>;
  /** What was played on, where OVN has compiled it from the plan; missing elsewhere. */
  readonly compiled?: ClusterPlan;
}
