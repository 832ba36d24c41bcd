/** Trials in turn, and what they say: calibration, ratios, verdicts. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { RealCluster } from './cluster/real-cluster.js';
import { measureOf, type MeasureName, type Need, type Trial } from './measures.js';
import type { TrafficPath } from './reference-paths.js';
import {
  middle,
  needOf,
  predictRatio,
  type ReferenceSamples,
  middleCounted,
  type CountedKinds,
  type UnitWork,
} from './statistics/fit-work.js';
import { judgeRatio, type RatioVerdict } from './statistics/judge-ratio.js';
import { pairedRatio, type Estimate, type Turn } from './statistics/paired-ratio.js';
import { timeOfUnit, type Stages } from './statistics/time-of-unit.js';
import { runTrial, type TrialSettings } from './traffic/run-trial.js';
import { fittedKinds, workOfPath, type PathWork } from './work-of-path.js';

/** Units that the switches have carried, by their own lookups where they say. */
export function carriedIn({ units, lookups }: Trial, work: PathWork): number {
  return lookups === undefined || work.lookups === 0 ? units : lookups / work.lookups;
}

export function needOfTrial(trial: Trial, work: PathWork, need: Need): number {
  return (need === 'time' ? trial.seconds * 1e9 : trial.switchNs) / carriedIn(trial, work);
}

/** Of a unit. */
function countedOf(trial: Trial, work: PathWork): CountedKinds {
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

/** What the programs at both ends need for a unit, and a proxy between them. */
export function hostNeeds(calibration: Calibration): Pick<Stages, 'client' | 'server' | 'proxy'> {
  const [baseline] = calibration;
  const relayed = calibration.find(({ path }) => path.proxy !== undefined);
  const needOf = (of: 'clientNs' | 'serverNs' | 'proxyNs', at: Calibration[number] | undefined) =>
    at === undefined ? 0 : middle(at.trials.map((trial) => trial[of] / carriedIn(trial, at.work)));
  return {
    client: needOf('clientNs', baseline),
    server: needOf('serverNs', baseline),
    proxy: needOf('proxyNs', relayed),
  };
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

export interface Compared {
  readonly baseline: PlannedPath;
  readonly path: PlannedPath;
  /** That work at once. */
  readonly processors: number;
}

export function judgeTurns(
  measure: MeasureName,
  turns: readonly TurnTrials[],
  calibration: Calibration,
  compared: Compared,
  random: () => number,
): readonly MeasuredRatio[] {
  const references = referenceSamples(calibration);
  return measureOf(measure).needs.map((need) => {
    const pairs: readonly Turn[] = turns.map(({ baseline, path }) => ({
      baseline: needOfTrial(baseline, compared.baseline.work, need),
      path: needOfTrial(path, compared.path.work, need),
    }));
    const measured = pairedRatio(pairs);
    const ratioBy = ratioOf(measure, need, turns, hostNeeds(calibration), compared);
    const predicted = predictRatio(fittedKinds, references, ratioBy, random);
    return { need, measured, predicted, verdict: judgeRatio(measured, predicted) };
  });
}

/** What a ratio is by the coefficients of a fit. */
function ratioOf(
  measure: MeasureName,
  need: Need,
  turns: readonly TurnTrials[],
  hosts: ReturnType<typeof hostNeeds>,
  { baseline, path, processors }: Compared,
): (coefficients: UnitWork) => number {
  const needOfOne = (at: 'baseline' | 'path', { work, switches, path: { proxy } }: PlannedPath) => {
    const counted = middleCounted(turns.map((turn) => countedOf(turn[at], work)));
    return (coefficients: UnitWork) => {
      const ns = needOf(coefficients, { ...work, ...counted });
      if (need === 'processor') return ns;
      const stages = {
        ...hosts,
        clients: measureOf(measure).clients ?? 1,
        proxy: proxy === undefined ? 0 : hosts.proxy,
      };
      return timeOfUnit({ ...stages, switches: ns, switchCount: switches }, processors);
    };
  };
  const [ofPath, ofBaseline] = [needOfOne('path', path), needOfOne('baseline', baseline)];
  return (coefficients) => ofPath(coefficients) / ofBaseline(coefficients);
}
