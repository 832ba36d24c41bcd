/** Trials in turn, and what they say: calibration, ratios, verdicts. */
import type { RealCluster } from './cluster/real-cluster.js';
import { measureOf, type MeasureName, type Need, type Trial } from './measures.js';
import type { TrafficPath } from './reference-paths.js';
import { predictRatio, type ReferenceSamples } from './statistics/fit-work.js';
import { judgeRatio, type RatioVerdict } from './statistics/judge-ratio.js';
import { pairedRatio, type Estimate, type Turn } from './statistics/paired-ratio.js';
import { runTrial, type TrialSettings } from './traffic/run-trial.js';
import { fittedKinds, type PathWork } from './work-of-path.js';

export function needOfTrial({ units, seconds, switchNs }: Trial, need: Need): number {
  return need === 'time' ? (seconds * 1e9) / units : switchNs / units;
}

/** A path of a cluster, with the work that the model has for a unit. */
export interface PlannedPath {
  readonly path: TrafficPath;
  readonly work: PathWork;
}

/** Trials of each reference path. */
export type Calibration = readonly (PlannedPath & { readonly trials: readonly Trial[] })[];

export async function calibrate(
  cluster: RealCluster,
  paths: readonly PlannedPath[],
  measure: MeasureName,
  rounds: number,
  settings: TrialSettings,
): Promise<Calibration> {
  const trials = new Map(paths.map(({ path }) => [path.name, [] as Trial[]]));
  for (let round = 0; round < rounds; round++)
    for (const { path } of paths)
      trials.get(path.name)?.push(await runTrial(cluster, path, measure, settings));
  return paths.map((one) => ({ ...one, trials: trials.get(one.path.name) ?? [] }));
}

export function referenceSamples(calibration: Calibration, need: Need): ReferenceSamples[] {
  return calibration.map(({ path, work, trials }) => ({
    path: path.name,
    work,
    samples: trials.map((trial) => needOfTrial(trial, need)),
  }));
}

/** A path beside the baseline. */
export interface MeasuredRatio {
  readonly need: Need;
  readonly measured: Estimate;
  readonly predicted: Estimate;
  readonly verdict: RatioVerdict;
}

export interface TurnTrials {
  readonly baseline: Trial;
  readonly path: Trial;
}

/** Baseline and path in turn; which of them comes first changes from turn to turn. */
export async function measureInTurn(
  baseline: () => Promise<Trial>,
  path: () => Promise<Trial>,
  turns: number,
): Promise<readonly TurnTrials[]> {
  const done: TurnTrials[] = [];
  for (let turn = 0; turn < turns; turn++) {
    if (turn % 2 === 0) {
      const first = await baseline();
      done.push({ baseline: first, path: await path() });
    } else {
      const first = await path();
      done.push({ baseline: await baseline(), path: first });
    }
  }
  return done;
}

export function judgeTurns(
  measure: MeasureName,
  turns: readonly TurnTrials[],
  calibration: Calibration,
  work: { readonly path: PathWork; readonly baseline: PathWork },
  random: () => number,
): readonly MeasuredRatio[] {
  return measureOf(measure).needs.map((need) => {
    const pairs: readonly Turn[] = turns.map(({ baseline, path }) => ({
      baseline: needOfTrial(baseline, need),
      path: needOfTrial(path, need),
    }));
    const measured = pairedRatio(pairs);
    const predicted = predictRatio(
      fittedKinds,
      referenceSamples(calibration, need),
      work.path,
      work.baseline,
      random,
    );
    return { need, measured, predicted, verdict: judgeRatio(measured, predicted) };
  });
}
