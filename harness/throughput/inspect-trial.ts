/** A second of traffic on a path with counters and captures. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { countedSince } from '../domain/work.js';
import type { RealCluster } from './cluster/real-cluster.js';
import { inspect, type ExactCheck } from './inspect-path.js';
import type { MeasuredPath } from './measured-paths.js';
import { measureOf, type MeasureName } from './measures.js';
import { runTrial, type TrialSettings } from './traffic/run-trial.js';
import { workOfPath } from './work-of-path.js';

const unitPackets = {
  segments: 'unknown',
  requests: 'both',
  datagrams: 'one',
  connections: 'both',
} as const;

export interface InspectedPath {
  readonly checks: readonly ExactCheck[];
  /** Groups of cached flows that a lookup has gone through; 0 where none are counted. */
  readonly probesALookup: number;
}

/** What of a measure's traffic needs no statistics. */
export async function inspectPath(
  cluster: RealCluster,
  plan: ClusterPlan,
  path: MeasuredPath,
  measure: MeasureName,
  settings: TrialSettings,
): Promise<InspectedPath> {
  const { counts } = measureOf(measure);
  const paced = counts === 'datagrams' ? 'paced' : measure;
  const first = await cluster.countedWork();
  await runTrial(cluster, path, paced, settings); // neighbours are found, flows are cached
  const before = await cluster.countedWork();
  const segmentsBefore = await cluster.segmentsAt(path.client);
  const { result: trial, frames } = await cluster.captureBetween(() =>
    runTrial(cluster, path, paced, settings),
  );
  const now = await cluster.countedWork();
  const segments = (await cluster.segmentsAt(path.client)) - segmentsBefore;
  const work = await workOfPath(plan, path, paced);
  const checks = inspect(plan, work, unitPackets[counts], {
    trial,
    between: frames,
    ...(unitPackets[counts] === 'both' ? { segments } : {}),
    ...(first === undefined || now === undefined
      ? {}
      : { upcalls: countedSince(first, now).upcalls }),
    // How two connections of a proxy are acknowledged depends on each other's pace.
    ...(before === undefined || now === undefined || path.proxy !== undefined
      ? {}
      : { counted: countedSince(before, now) }),
  });
  return { checks, probesALookup: trial.probes / (trial.lookups ?? 1) };
}
