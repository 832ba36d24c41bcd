/** Trials of several paths, in turn: what slows the machine for a while slows all of them. */
import type { RealCluster } from './cluster/real-cluster.js';
import { measureOf, type MeasureName, type Trial } from './measures.js';
import type { PlannedPath } from './planned-path.js';
import { runTrial, type TrialSettings } from './traffic/run-trial.js';
import { startSliced, takeTurns, type SlicedTraffic } from './traffic/sliced-traffic.js';

export interface PathOfCluster {
  readonly cluster: RealCluster;
  readonly planned: PlannedPath;
  /** What of its trials' settings is another one: faults. */
  readonly faults?: Partial<TrialSettings>;
}

/**
 * @param settings with how long each path has in a round.
 * @returns round by round, in the order of paths.
 */
export async function trialsInTurn(
  paths: readonly PathOfCluster[],
  measure: MeasureName,
  settings: TrialSettings,
  rounds: number,
): Promise<readonly (readonly Trial[])[]> {
  const inSlices = await Promise.all(paths.map(({ cluster }) => runsInSlices(cluster, measure)));
  return inSlices.every((can) => can)
    ? await slicesInTurn(paths, measure, settings, rounds)
    : await wholeTrials(paths, measure, settings, rounds);
}

/** What was carried between two moments is known where the datapaths count lookups. */
async function runsInSlices(cluster: RealCluster, measure: MeasureName): Promise<boolean> {
  return measureOf(measure).inSlices && (await cluster.countedWork()) !== undefined;
}

async function slicesInTurn(
  paths: readonly PathOfCluster[],
  measure: MeasureName,
  settings: TrialSettings,
  rounds: number,
): Promise<readonly (readonly Trial[])[]> {
  const all: SlicedTraffic[] = [];
  try {
    for (const { cluster, planned, faults } of paths)
      all.push(await startSliced(cluster, planned, measure, { ...settings, ...faults }));
    const done: (readonly Trial[])[] = [];
    for (let round = 0; round < rounds; round++) done.push(await takeTurns(all, settings.seconds));
    return done;
  } finally {
    for (const one of all) await one.close();
  }
}

/** Which of them comes first changes from round to round. */
async function wholeTrials(
  paths: readonly PathOfCluster[],
  measure: MeasureName,
  settings: TrialSettings,
  rounds: number,
): Promise<readonly (readonly Trial[])[]> {
  const done: (readonly Trial[])[] = [];
  for (let round = 0; round < rounds; round++) {
    const trials: Trial[] = [];
    for (const { cluster, planned, faults } of round % 2 === 0 ? paths : [...paths].reverse())
      trials.push(await runTrial(cluster, planned.path, measure, { ...settings, ...faults }));
    done.push(round % 2 === 0 ? trials : trials.reverse());
  }
  return done;
}
