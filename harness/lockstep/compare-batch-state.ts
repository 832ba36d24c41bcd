/** Counters, connections and learned MACs of both sides, once all vectors of a batch have run. */
import {
  compareCounters,
  describeCounterDifference,
  sumAmbiguous,
} from '../compare/compare-counters.js';
import { compareState, withoutLostSeconds } from '../compare/compare-state.js';
import { describeUnmatched, unmatchedSince, type InitialCounts } from '../compare/unmatched.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { FinalState } from '../domain/switch-state.js';
import { noCounts, type Counts } from '../domain/verdict.js';
import type { Reference } from '../testbeds/reference.js';
import type { Switches } from '../testbeds/testbed.js';

export type BatchComparison =
  | {
      readonly kind: 'alike';
      /** Of the switches. */
      readonly state: FinalState;
      readonly counts: Counts;
    }
  | { readonly kind: 'diverged'; readonly where: string };

/**
 * @param initial counters after the reset: flows that one side alone had then are no difference.
 */
export async function compareBatchState(
  model: Reference,
  real: Switches,
  plan: ClusterPlan,
  initial: InitialCounts,
): Promise<BatchComparison> {
  const [counts, state, lateFrames] = [
    await real.counts(),
    await real.state(),
    await real.lateFrames(),
  ];
  const ambiguousSets = model.ambiguousSets();
  const counters = compareCounters(
    sumAmbiguous(await model.counts(), ambiguousSets),
    sumAmbiguous(counts, ambiguousSets),
  );
  const expected = await model.state();
  const states = compareState(expected, state, plan.nodes.length);
  const [lateFrame] = lateFrames;
  if (lateFrame !== undefined)
    return {
      kind: 'diverged',
      where: `a late frame out of ${lateFrame.port} on ${lateFrame.node}`,
    };
  const [counter] = counters.differences;
  if (counter !== undefined)
    return { kind: 'diverged', where: describeCounterDifference(counter).summary };
  const [unmatched] = unmatchedSince(initial, counters.unmatched);
  if (unmatched !== undefined)
    return { kind: 'diverged', where: describeUnmatched(unmatched).summary };
  const [entry] = states.differences;
  if (entry !== undefined) return { kind: 'diverged', where: `unequal state: ${entry.about}` };
  return {
    kind: 'alike',
    state: {
      counts: sumAmbiguous(counts, ambiguousSets),
      state: withoutLostSeconds(expected, state),
    },
    counts: {
      ...noCounts,
      counters: counters.count,
      connections: states.connections,
      macs: states.macs,
    },
  };
}
