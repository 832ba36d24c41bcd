/**
 * A history that was recorded, on one testbed once more: the model, to predict it, or real
 * switches, to play it again.
 */
import { forgetHostsOutside, noMemories } from '../../fabric/stack/host.js';
import type { Observation } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Topology } from '../../domain/topology.js';
import type { Testbed } from '../../testbeds/testbed.js';
import { playAlone } from '../../lockstep/play-in-lockstep.js';
import type { ScenarioRecord, VectorRecord } from '../run-record.js';

export interface ReplayedVector {
  readonly recorded: VectorRecord;
  readonly observations: readonly Observation[];
  /** What there was when it was played. */
  readonly topology: Topology;
  readonly plan: ClusterPlan;
}

/**
 * What happened before a vector is done, then the vector is played, and its place in the history
 * told, up to the first that was not played to its end when it was recorded.
 */
export async function* replayVectors(
  { topology, plan, vectors, history = [] }: ScenarioRecord,
  seed: number,
  testbedFor: (recorded: VectorRecord) => Pick<Testbed, 'call' | 'reconfigure'>,
): AsyncGenerator<ReplayedVector> {
  const memories = noMemories();
  let now = { topology, plan };
  for (const [index, recorded] of vectors.entries()) {
    if (recorded.real === undefined) return;
    const testbed = testbedFor(recorded);
    for (const { steps, ...then } of history.filter(({ after }) => after === index)) {
      for (const step of steps)
        await (step.kind === 'change' ? testbed.call([step]) : testbed.reconfigure(step));
      now = { topology: then.topology, plan: then.plan };
      forgetHostsOutside(memories, now.plan);
    }
    const observations = await playAlone(
      testbed,
      now.plan,
      recorded.vector.id,
      recorded.real.passes.map(({ pass }) => pass),
      seed,
      () => memories,
    );
    yield { recorded, observations, ...now };
  }
}
