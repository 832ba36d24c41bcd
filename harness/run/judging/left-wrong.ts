import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Difference } from '../../domain/verdict.js';

/** What programs that were run for a plan have left differently from what they promise. */
export function leftWrongIn({ leftWrong = [] }: ClusterPlan): readonly Difference[] {
  return leftWrong.map((problem) => ({
    aspect: 'intent',
    between: 'intent and switch',
    summary: problem,
    expected: 'what was asked for is there, and nothing else',
    actual: problem,
    afterDivergence: false,
  }));
}
