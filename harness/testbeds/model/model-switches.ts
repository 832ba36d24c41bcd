import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import type { Switches } from '../testbed.js';
import { openModel } from './model-testbed.js';

/**
 * A second model in the place of real switches: among flows of equal priority it takes the first,
 * and its caches answer every lookup.
 */
export function openModelSwitches(plan: ClusterPlan, versions?: Switches['versions']): Switches {
  const model = openModel(plan, versions);
  return {
    ...model,
    versions: versions ?? model.versions,
    call: (calls) => model.call(calls, firstCandidateOracle),
    lookups: () => ({ hit: model.traces().length, missed: 0 }),
  };
}
