/** Trials of reference paths, by which others are predicted. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { RealCluster } from './cluster/real-cluster.js';
import type { MeasureName, Need, Trial } from './measures.js';
import type { TrafficPath } from './reference-paths.js';
import type { CountedKinds, ReferenceSamples } from './statistics/fit-work.js';
import { runTrial, type TrialSettings } from './traffic/run-trial.js';
import { workOfPath, type PathWork } from './work-of-path.js';

/** Units that the switches have carried, by their own lookups where they say. */
export function carriedIn({ units, lookups }: Trial, work: PathWork): number {
  return lookups === undefined || work.lookups === 0 ? units : lookups / work.lookups;
}

export function needOfTrial(trial: Trial, work: PathWork, need: Need): number {
  return (need === 'time' ? trial.seconds * 1e9 : trial.switchNs) / carriedIn(trial, work);
}

/** Of a unit. */
export function countedOf(trial: Trial, work: PathWork): CountedKinds {
  const units = carriedIn(trial, work);
  return { polls: trial.polls / units, probes: trial.probes / units };
}

/** A path of a cluster. */
export interface PlannedPath {
  readonly path: TrafficPath;
  /** That the model has for a unit. */
  readonly work: PathWork;
  /** How many switches are on its way. */
  readonly switches: number;
}

export async function plannedPath(
  plan: ClusterPlan,
  path: TrafficPath,
  measure: MeasureName,
): Promise<PlannedPath> {
  const ends = [path.client, path.server, path.proxy];
  return {
    path,
    work: await workOfPath(plan, path, measure),
    switches: plan.nodes.filter(({ hosts }) => hosts.some(({ name }) => ends.includes(name)))
      .length,
  };
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
