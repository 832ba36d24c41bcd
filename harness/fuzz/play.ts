/** The steps of a case through a model and a switch that have its flows and groups. */
import { witness } from '../run/drive.js';
import type { Sim } from '../testbeds/sim/sim.js';
import { planOf, type FuzzCase } from './case.js';
import { compareAftermath, compareSteps, type Played } from './differences.js';
import type { Judgement, Sides } from './judge.js';
import { foresee, isCachedWrongly, whyUnknown } from './runs.js';

/** @param sim programmed, and reset. */
export async function play(sim: Sim, openModel: Sides['openModel'], fuzzCase: FuzzCase, how: 'in runs' | 'one by one'): Promise<Omit<Judgement, 'refused'>> {
  const plan = planOf(fuzzCase);
  const { runs, leftOut } = await foresee(openModel({ nodes: [plan] }), fuzzCase, how);
  const model = openModel({ nodes: [plan] });
  let ties = 0;
  const seen = witness({
    ...sim,
    counts: () => {
      ties++;
      return sim.counts();
    },
  });
  const isUncached = isCachedWrongly(fuzzCase);
  const [steps, played, surprises]: [Played[], number[], string[]] = [[], [], []];
  for (const { indices, call } of runs) {
    const [actual] = await sim.call([call]);
    const [expected] = await model.call([call], seen).catch((error: unknown) => {
      surprises.push(whyUnknown(error));
      return [];
    });
    if (actual === undefined || expected === undefined) break;
    steps.push({ index: indices[0] ?? 0, expected, actual });
    played.push(...indices);
    // With each count the cache is emptied.
    if (isUncached) await sim.counts();
  }
  const [atFrames, counts] = [compareSteps(steps, plan), await sim.counts()];
  // What both counted and remember is comparable where both have seen the same.
  const after = surprises.length === 0 ? await compareAftermath(model, sim, counts) : { differences: [], counters: 0 };
  return {
    differences: [...atFrames.differences, ...after.differences],
    compared: { sent: played.filter((index) => fuzzCase.steps[index]?.kind === 'packet').length, frames: atFrames.frames, counters: after.counters },
    leftOut: [...leftOut.values(), ...surprises], played, counts, ties,
  };
}
