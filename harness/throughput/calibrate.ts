/** Trials of reference paths, by which others are predicted. */
import type { RealCluster } from './cluster/real-cluster.js';
import type { MeasureName, Trial } from './measures.js';
import { countedOf, needOfTrial, type PlannedPath } from './planned-path.js';
import type { ReferenceSamples } from './statistics/fit-work.js';
import type { TrialSettings } from './traffic/run-trial.js';
import { trialsInTurn } from './trials-in-turn.js';

/** Trials of each reference path. */
export type Calibration = readonly (PlannedPath & { readonly trials: readonly Trial[] })[];

export async function calibrate(
  cluster: RealCluster,
  paths: readonly PlannedPath[],
  measure: MeasureName,
  rounds: number,
  settings: TrialSettings,
): Promise<Calibration> {
  const all = paths.map((planned) => ({ cluster, planned }));
  const trials = await trialsInTurn(all, measure, settings, rounds);
  return paths.map((one, at) => ({ ...one, trials: trials.flatMap((round) => round[at] ?? []) }));
}

export function referenceSamples(calibration: Calibration): ReferenceSamples[] {
  return calibration.map(({ path, work, trials }) => ({
    path: path.name,
    work,
    samples: trials.map((trial) => ({
      ns: needOfTrial(trial, work, 'processor'),
      counted: countedOf(trial, work),
    })),
  }));
}
