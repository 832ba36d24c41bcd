/**
 * A timeline that was recorded, on one testbed once more: the model, to predict it, or real
 * switches, to play it again.
 */
import type { Observation } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Topology } from '../../domain/topology.js';
import type { ScenarioRecord, VectorRecord } from '../records/run-record.js';
import type { ClusterTestbed } from '../../testbeds/cluster-testbed.js';

export interface ReplayedVector {
  readonly recorded: VectorRecord;
  readonly observations: readonly Observation[];
  /** What there was when it was played. */
  readonly topology: Topology;
  readonly plan: ClusterPlan;
}

/**
 * What happened before a vector is applied, then the vector is played, and its place in the
 * timeline returned, up to the first that was not played to its end when it was recorded.
 * @param cluster opened from the plan of the record, with hosts that keep what they know.
 */
export async function* replayVectors(
  { topology, plan, vectors, timeline = [] }: ScenarioRecord,
  cluster: ClusterTestbed,
  beforeVector: (recorded: VectorRecord) => void = () => undefined,
): AsyncGenerator<ReplayedVector> {
  let now = { topology, plan };
  for (const [index, recorded] of vectors.entries()) {
    if (recorded.real === undefined) return;
    beforeVector(recorded);
    for (const { steps, ...then } of timeline.filter(({ after }) => after === index)) {
      await cluster.apply(steps, then.plan);
      now = { topology: then.topology, plan: then.plan };
    }
    const observations: Observation[] = [];
    for (const { pass } of recorded.real.passes)
      observations.push(await cluster.play(recorded.vector.id, pass.stimulus));
    yield { recorded, observations, ...now };
  }
}
