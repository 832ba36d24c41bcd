/**
 * One scenario at one point of its matrix: the model and real switches in step, vector by vector.
 */
import { sha256 } from '../base/files/digest.js';
import { attempt } from '../base/errors/outcome.js';
import { streamsIn } from './streams.js';
import { notCompared } from '../compare/not-compared.js';
import type { Scenario } from '../domain/scenario.js';
import { addCounts, noCounts, verdictOn, worstVerdict } from '../domain/verdict.js';
import { mergeShards, shardsOf, runShard, type ShardOutcome } from './shards/shards.js';
import { type Shard, type ShardOptions } from './shards/shard-options.js';
import { type Workload, workloadOf } from './judging/workload.js';
import type { ScenarioRecord } from './records/run-record.js';
import type { ScenarioReport } from './records/run-report.js';
import {
  countVectors,
  knownDivergencesIn,
  matricesIn,
  policiesOf,
  servicesIn,
} from './coverage/scenario-coverage.js';

export interface ScenarioRunOptions extends ShardOptions {
  /**
   * On how many clusters at most vectors run at once; by default on one. Results do not depend on
   * it.
   */
  readonly maxShards?: number;
  /**
   * Runs a shard: by `here`, the default, or in another process. Where it throws `Unavailable`, all
   * of that shard is inconclusive.
   */
  readonly runShard?: (
    shard: Shard,
    here: () => Promise<ShardOutcome>,
    listener: ShardListener,
  ) => Promise<ShardOutcome>;
  /** Real milliseconds since some fixed point, for durations that people read. */
  readonly nowMs: () => number;
  /** Called at the beginning, and after each vector. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Gets the progress of shards. */
export interface ShardListener {
  readonly onStarted: () => void;
  /** Behind each vector. */
  readonly onJudged: () => void;
}

export interface ScenarioRun {
  readonly report: ScenarioReport;
  readonly record: ScenarioRecord;
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * @throws InputError when the scenario's topology or flows are wrong; environment failures become
 *   `inconclusive`.
 */
export async function runScenario(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  options: ScenarioRunOptions,
): Promise<ScenarioRun> {
  const workload = workloadOf(scenario, axes, options);
  const { outcomes, startedMs } = await runShards(workload, options);
  const merged = mergeShards(workload, outcomes);
  const plan = merged.compiled ?? workload.transitionPlan.plan;
  return {
    versions: merged.versions,
    record: {
      topology: workload.transitionPlan.topology,
      plan,
      vectors: merged.judged.map(({ record }) => record),
      ...(merged.timeline === undefined ? {} : { timeline: merged.timeline }),
    },
    report: {
      ...headOf(scenario, axes, merged),
      durationMs: Math.round(options.nowMs() - (startedMs ?? 0)),
      ...bodyOf(scenario, workload, merged, options),
    },
  };
}

/** Each shard, here or in another process; real time begins with the first that starts. */
async function runShards(
  workload: Workload,
  options: ScenarioRunOptions,
): Promise<{ readonly outcomes: readonly ShardOutcome[]; readonly startedMs?: number }> {
  const onJudged = progressOf(workload.vectors.length, options);
  let startedMs: number | undefined;
  const onStarted = () => {
    startedMs ??= options.nowMs();
  };
  const runHere = (_: Shard, here: () => Promise<ShardOutcome>) => {
    onStarted();
    return here();
  };
  const { runShard: play = runHere } = options;
  const outcomes = await Promise.all(
    shardsOf(workload, options.maxShards ?? 1).map(async (shard) => {
      const played = await attempt(() =>
        play(shard, () => runShard(workload, shard, options, onJudged), { onStarted, onJudged }),
      );
      return played.kind === 'ok'
        ? played.value
        : await runShard(
            workload,
            shard,
            { ...options, openReal: () => Promise.reject(played.cause) },
            () => undefined,
          );
    }),
  );
  return startedMs === undefined ? { outcomes } : { outcomes, startedMs };
}

type MergedShards = ReturnType<typeof mergeShards>;

/** Why there is no verdict on the scenario as a whole. */
function inconclusiveCause({ switchesLost, judged }: MergedShards): ScenarioReport['inconclusive'] {
  if (switchesLost !== undefined) return switchesLost;
  return judged.length === 0
    ? { cause: 'there was no vector to run', evidence: [], remedies: [] }
    : undefined;
}

/** Which scenario it was, its verdict and trace hash. */
function headOf(
  { name, title }: Scenario,
  axes: Readonly<Record<string, string>>,
  merged: MergedShards,
): Pick<ScenarioReport, 'name' | 'title' | 'axes' | 'verdict' | 'traceHash' | 'counts'> {
  const { program, judged } = merged;
  const programCounts = { ...noCounts, program: merged.programCount };
  return {
    name,
    title,
    axes: { ...axes },
    verdict: worstVerdict([
      verdictOn(program, programCounts),
      ...judged.map(({ report }) => report.verdict),
      ...(inconclusiveCause(merged) === undefined ? [] : (['inconclusive'] as const)),
    ]),
    traceHash: sha256(judged.map(({ observed }) => observed).join('\n')),
    counts: addCounts([programCounts, ...judged.map(({ report }) => report.counts)]),
  };
}

/** What was covered, what was not compared, and every vector. */
function bodyOf(
  { controlPlane }: Scenario,
  { transitionPlan: { topology, plan: planned, adaptations, after } }: Workload,
  merged: MergedShards,
  options: ScenarioRunOptions,
): Omit<ScenarioReport, keyof ReturnType<typeof headOf> | 'durationMs'> {
  const { judged, program, timeline, compiled: plan = planned } = merged;
  const vectors = judged.map(({ report }) => report);
  const cause = inconclusiveCause(merged);
  return {
    ...policiesOf(topology),
    ...servicesIn(topology, judged),
    ...knownDivergencesIn(controlPlane.known ?? [], vectors),
    ...(adaptations.length === 0 ? {} : { adaptations: [...adaptations] }),
    ...(after === undefined ? {} : { after }),
    program: [...program],
    notCompared: notCompared({
      ...countVectors(judged, options, timeline === undefined ? 'alone' : 'in a timeline'),
      hasControllers: plan.nodes.some(({ bridges }) =>
        bridges.some(({ controllers = [] }) => controllers.length > 0),
      ),
      hasOvn: plan.northbound !== undefined,
    }).map((one) => ({ ...one })),
    ...(cause === undefined ? {} : { inconclusive: cause }),
    ...streamsIn(vectors),
    ...matricesIn(vectors),
    vectors,
  };
}

/** Reports the beginning, and gives what is to be called after each of `total` vectors. */
function progressOf(total: number, { onProgress }: ScenarioRunOptions): () => void {
  let done = 0;
  onProgress?.(done, total);
  return () => onProgress?.(++done, total);
}
