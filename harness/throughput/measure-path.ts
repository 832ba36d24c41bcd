/** One path beside the baseline: trials in turn, and what they say. */
import { randomFor } from '../base/random.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Calibration } from './calibrate.js';
import type { RealCluster } from './cluster/real-cluster.js';
import { inspectDisciplines } from './cluster/shaping-devices.js';
import { inspectPath } from './inspect-trial.js';
import { judgeTurns, turnsOf } from './measure.js';
import type { MeasuredPath } from './measured-paths.js';
import type { MeasureName } from './measures.js';
import { judgePathWaiting, type PathWaiting } from './path-waiting.js';
import { plannedPath } from './planned-path.js';
import { plantSlowness, type Slowness } from './planted-slowness.js';
import { ratesOf } from './rates-of.js';
import { referencePaths, referencePlan } from './reference-paths.js';
import type { ThroughputResult } from './throughput-report.js';
import type { TrialSettings } from './traffic/run-trial.js';
import { trialsInTurn } from './trials-in-turn.js';

export interface PathAsked {
  readonly path: MeasuredPath;
  readonly measure: MeasureName;
  readonly calibration: Calibration;
  readonly policies: number;
  readonly settings: TrialSettings;
}

export interface PathClusters {
  readonly references: RealCluster;
  readonly cluster: RealCluster;
  /** What the cluster is to be, without faults. */
  readonly plan: ClusterPlan;
}

export interface PathOptions {
  readonly turns: number;
  readonly processors: number;
  readonly slowness?: Slowness;
}

/** @throws Unavailable where nothing arrives. */
export async function measurePath(
  { path, measure, calibration, policies, settings }: PathAsked,
  { references, cluster, plan }: PathClusters,
  { turns: turnCount, processors, slowness }: PathOptions,
): Promise<ThroughputResult> {
  const { checks, probesALookup } = await inspectPath(
    ...([cluster, plan, path, measure, settings] as const),
  );
  const own = await plannedPath(plan, path, measure);
  const baseline = await plannedPath(referencePlan, referencePaths[0], measure);
  const beside = { cluster: references, planned: baseline };
  const ground = { cluster, planned: own, measure, settings, beside, processors };
  const planted = slowness === undefined ? undefined : await plantSlowness(slowness, ground);
  const pair = [beside, { cluster, planned: own, faults: planted?.settings ?? {} }];
  const turns = turnsOf(await trialsInTurn(pair, measure, settings, turnCount));
  const disciplines = await inspectDisciplines(cluster);
  await planted?.remove();
  const random = randomFor(1, `${path.name} ${measure}`);
  const drawn = () => random.integer(0, 2 ** 24 - 1) / 2 ** 24;
  const compared = { path: own, baseline, probesALookup, processors };
  const ratios = judgeTurns(measure, turns, calibration, compared, drawn);
  return {
    path: path.name,
    policies,
    measure,
    turns: turns.length,
    work: own.work,
    rate: ratesOf(turns, measure, ratios),
    ...(slowness === undefined || planted === undefined
      ? {}
      : { planted: { fault: slowness.kind, percent: planted.percent } }),
    exact: [...checks, disciplines],
    ratios: ratios.map(({ need, measured, predicted, verdict }) => ({
      need,
      measured: finite(measured),
      predicted: finite(predicted),
      verdict: verdict.kind,
      ...('why' in verdict ? { why: verdict.why } : {}),
    })),
    waiting: reportedWaiting(judgePathWaiting(measure, turns, calibration, compared)),
  };
}

function reportedWaiting({ measured, clean, busy, verdict }: PathWaiting) {
  return {
    ...{ measured: finite(measured), clean, busy: { ...busy } },
    verdict: verdict.kind,
    ...('why' in verdict ? { why: verdict.why } : {}),
  };
}

function finite<T extends { readonly low: number; readonly high: number }>(estimate: T) {
  const [low, high] = [Math.max(estimate.low, 0), estimate.high];
  return { ...estimate, low, high: Number.isFinite(high) ? high : null };
}
