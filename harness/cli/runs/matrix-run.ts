/** A run's switches and workers, opened for a request; and its record, once points were played. */
import { describeIsolation, isolation } from '../../ovs/process/isolation.js';
import { versionOf } from '../../ovs/process/version.js';
import { assembleRun } from '../../run/shards/assemble-run.js';
import type { RunRecord } from '../../run/records/run-record.js';
import type { RunReport, ScenarioReport } from '../../run/records/run-report.js';
import type { ScenarioRun } from '../../run/run-scenario.js';
import type { Context } from '../context.js';
import type { MatrixRun } from './play-point.js';
import type { RunRequest, RunSpec } from './run-spec.js';
import {
  oldestVersion,
  runSwitchesOf,
  type RunSwitches,
  type SwitchSource,
} from './run-switches.js';
import { inProcessPool, openWorkerPool } from '../workers/worker-pool.js';

/** @throws InputError for unknown switches, Unavailable for an image that cannot be had. */
export async function openMatrixRun(
  context: Context,
  request: RunRequest,
  spec: RunSpec,
  judgeKnown: (report: ScenarioReport) => ScenarioReport = (report) => report,
): Promise<MatrixRun> {
  const switches = await runSwitchesOf(request.options, context.say);
  const version = await oldestVersion(switches);
  const keep = request.options.keep === true;
  const pool = keep
    ? inProcessPool
    : await openWorkerPool({ root: context.root, ...request, version }, context.teardown);
  return { context, spec, switches, version, pool, judgeKnown, keep, logs: [], kept: undefined };
}

/** @param again the command that runs this again. */
export async function recordOf(
  { spec, switches }: MatrixRun,
  runs: readonly ScenarioRun[],
  again: string,
  shard?: RunReport['shard'],
): Promise<RunRecord> {
  return assembleRun(runs, {
    again,
    seed: spec.seed,
    ...(shard === undefined ? {} : { shard }),
    ...(await sidesOf(switches)),
    isolation: describeIsolation(await isolation()),
  });
}

/** The switches that were run, and those that they were compared with. */
async function sidesOf({
  real,
  reference,
}: RunSwitches): Promise<Pick<RunReport, 'backend' | 'image' | 'imageDigest' | 'reference'>> {
  const named = ({ backend, image }: SwitchSource) => ({
    backend: backend.name,
    image: image.name,
    imageDigest: image.digest,
  });
  if (reference === undefined) return named(real);
  return {
    ...named(real),
    reference: { ...named(reference), version: await versionOf(reference.image) },
  };
}
