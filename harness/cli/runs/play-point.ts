/** One point of a run's matrix, on the run's pool of workers. */
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { LogFile } from '../../run/records/run-folder.js';
import type { ScenarioReport } from '../../run/records/run-report.js';
import { runScenario, type ScenarioRun, type ScenarioRunOptions } from '../../run/run-scenario.js';
import type { Context } from '../context.js';
import type { KeptSwitches } from './keep-switches.js';
import type { Point, RunSpec } from './run-spec.js';
import type { RunSwitches } from './run-switches.js';
import { switchOpenersFor, type SwitchOpeners } from './switch-opener.js';
import type { WorkerPool } from '../workers/worker-pool.js';

/** What all points of a run share. */
export interface MatrixRun {
  readonly context: Context;
  readonly spec: RunSpec;
  readonly switches: RunSwitches;
  /** Of Open vSwitch: the older one of both sides. */
  readonly version: string;
  readonly pool: WorkerPool;
  readonly judgeKnown: (report: ScenarioReport) => ScenarioReport;
  /** Whether switches stay up: then one point is played after the other. */
  readonly keep: boolean;
  /** What daemons wrote. */
  readonly logs: LogFile[];
  /** With `keep`, the switches of the last point. */
  kept: KeptSwitches | undefined;
}

export async function playPoint(
  run: MatrixRun,
  index: number,
  { scenario, axes }: Point,
): Promise<ScenarioRun> {
  const { context, spec, switches, version, pool, logs } = run;
  const points = spec.points.length;
  const label = [
    scenario.name,
    ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`),
  ].join(' ');
  context.say(`${label}: bringing up switches`);
  const openers = switchOpenersFor(index, switches, context.teardown, logs);
  const played = await runScenario(scenario, axes, {
    seed: spec.seed,
    depth: spec.depth,
    work: spec.work,
    version,
    maxShards: pool.maxShards(points),
    nowMs: () => performance.now(),
    onProgress: (done, total) => progress(context, label, done, total),
    ...openers,
    ...(run.keep
      ? {
          openReal: keepingOpener(
            run,
            openers,
            points === 1 ? label : `${label}, the last of ${points}`,
          ),
        }
      : {}),
    runShard: onPool(pool, index, logs),
  });
  if (run.kept !== undefined) run.kept = withoutRemovedNodes(run.kept, played);
  return { ...played, report: run.judgeKnown(played.report) };
}

/** Runs shards on a worker of the pool, whose logs come back with the outcome. */
function onPool(
  pool: WorkerPool,
  index: number,
  logs: LogFile[],
): NonNullable<ScenarioRunOptions['runShard']> {
  return async (shard, here, listener) => {
    const played = await pool.runShard(
      index,
      shard,
      async () => ({ outcome: await here(), logs: [] }),
      listener,
    );
    logs.push(...played.logs);
    return played.outcome;
  };
}

/** Keeps the switches where they would be closed, and closes those of the point before. */
function keepingOpener(
  run: MatrixRun,
  { openReal }: SwitchOpeners,
  label: string,
): ScenarioRunOptions['openReal'] {
  return async (plan: ClusterPlan, shard) => {
    await run.kept?.sim.close();
    run.kept = undefined;
    return await openReal(plan, shard, (sim) => {
      run.kept = { label, plan, sim };
      return Promise.resolve();
    });
  };
}

/** Nodes that have left during a timeline have no switches to inspect. */
function withoutRemovedNodes(
  kept: KeptSwitches,
  { record: { timeline = [] } }: ScenarioRun,
): KeptSwitches {
  return { ...kept, plan: timeline.at(-1)?.plan ?? kept.plan };
}

/** In the environment of a run that another process follows line by line. */
export const followedVariable = 'FLOWBED_FOLLOWED';

/**
 * Every vector on a terminal; elsewhere only the first and the last, so that a log stays readable.
 */
function progress(context: Context, label: string, done: number, total: number): void {
  const isFollowed = process.stderr.isTTY || process.env[followedVariable] !== undefined;
  if (isFollowed || done === 0 || done === total)
    context.say(`${label}: ${done} of ${total} vectors`);
}
