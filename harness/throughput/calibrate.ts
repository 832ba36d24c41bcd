/** Trials of reference paths, by which others are predicted. */
import type { RealCluster } from './cluster/real-cluster.js';
import type { MeasureName, Need, Trial } from './measures.js';
import { countedOf, needOfTrial, type PlannedPath } from './planned-path.js';
import { middle, type ReferenceSamples } from './statistics/fit-work.js';
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

/**
 * The trials as they were if no round had been slower than another: what slows the machine for a
 * round slows all of its paths. How slow one was is how much of `need` the paths had for a unit,
 * each in times its usual one, in their middle.
 */
export function asInOneRound(calibration: Calibration, need: Need): Calibration {
  const slowed = calibration.map(({ work, trials }) => {
    const needs = trials.map((trial) => needOfTrial(trial, work, need));
    return needs.map((ns) => ns / middle(needs));
  });
  const slowness = (round: number) => middle(slowed.flatMap((of) => of[round] ?? []));
  return calibration.map((one) => ({
    ...one,
    trials: one.trials.map((trial, round) => fasterBy(slowness(round), trial)),
  }));
}

function fasterBy(factor: number, trial: Trial): Trial {
  return {
    ...trial,
    seconds: trial.seconds / factor,
    switchNs: trial.switchNs / factor,
    clientNs: trial.clientNs / factor,
    serverNs: trial.serverNs / factor,
    proxyNs: trial.proxyNs / factor,
  };
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
