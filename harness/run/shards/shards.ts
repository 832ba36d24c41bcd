/**
 * A scenario at one point of its matrix, divided into shards, each with a cluster of its own. Their
 * result depends neither on how many there are, nor on which worker runs them.
 */
import { assert, Unavailable } from '../../base/errors/errors.js';
import { canonicalJson } from '../../base/files/digest.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { judgeTimeline, type TimelineOutcome } from '../timeline/judge-timeline.js';
import { leftWrongIn } from '../judging/left-wrong.js';
import { inconclusive, type Inconclusive } from '../judging/vector-report.js';
import type { ScenarioOutcome } from '../scenario-outcome.js';
import { batchesOf } from '../batches.js';
import type { Workload } from '../judging/workload.js';
import { runBatches, type SwitchSetup } from '../run-batches.js';
import type { Shard, ShardOptions } from './shard-options.js';

/** With a timeline, its result. */
export type ShardOutcome = ScenarioOutcome & Partial<Pick<TimelineOutcome, 'timeline'>>;

/** Fewer are played sooner than another cluster is brought up. */
const minVectorsPerShard = 50;

/** As many as `most`, where there is enough for them; a timeline is one. */
export function shardsOf({ sequence, vectors }: Workload, maxShards: number): readonly Shard[] {
  const of =
    sequence === undefined
      ? Math.max(
          1,
          Math.min(
            maxShards,
            batchesOf(vectors).length,
            Math.floor(vectors.length / minVectorsPerShard),
          ),
        )
      : 1;
  return Array.from({ length: of }, (_, index) => ({ index, of }));
}

/** @param onJudged called behind each vector. */
export async function runShard(
  { transitionPlan, context, vectors, sequence }: Workload,
  shard: Shard,
  options: ShardOptions,
  onJudged: () => void,
): Promise<ShardOutcome> {
  const { afterProgramming, version = 'unknown', openReference } = options;
  const setup: SwitchSetup = {
    openReal: (plan) => options.openReal(plan, shard),
    openReference: async (plan, versions) =>
      (await openReference?.(plan, versions, shard)) ?? openModel(plan, versions),
    ...(afterProgramming === undefined ? {} : { afterProgramming }),
  };
  if (sequence !== undefined)
    return await judgeTimeline({ ...context, onJudged }, sequence, {
      ...setup,
      version,
    });
  const batches = batchesOf(vectors).filter((_, index) => index % shard.of === shard.index);
  return await runBatches(
    { ...context, model: openModel(context.plan), onJudged },
    transitionPlan.transitions,
    batches,
    setup,
  );
}

/** The results of all shards, in the order of the vectors. */
export function mergeShards(workload: Workload, outcomes: readonly ShardOutcome[]): ShardOutcome {
  const { program, ...merged } = mergeOutcomes(workload, outcomes);
  return { ...merged, program: [...leftWrongIn(workload.transitionPlan.plan), ...program] };
}

function mergeOutcomes(
  { vectors, sequence }: Workload,
  outcomes: readonly ShardOutcome[],
): ShardOutcome {
  const [first] = outcomes;
  assert(first !== undefined, 'there is a shard');
  if (sequence !== undefined) return first;
  const remaining = outcomes.map(({ judged }) => judged.values());
  const judged = new Map(
    batchesOf(vectors).flatMap((batch, index) =>
      batch.map((vector) => {
        const next = remaining[index % remaining.length]?.next().value;
        assert(next?.report.id === vector.id, `a shard reports ${vector.id}`);
        return [vector, next] as const;
      }),
    ),
  );
  const compiled = outcomes.flatMap((outcome) => outcome.compiled ?? []);
  const switchesLost =
    outcomes.find((outcome) => outcome.switchesLost !== undefined)?.switchesLost ??
    compiledUnlike(compiled);
  return {
    program: outcomes.find(({ program }) => program.length > 0)?.program ?? [],
    programCount:
      outcomes.find(({ programCount }) => programCount.made < programCount.expected)
        ?.programCount ?? first.programCount,
    judged: vectors.flatMap((vector) => judged.get(vector) ?? []),
    versions: first.versions,
    ...(switchesLost === undefined ? {} : { switchesLost }),
    ...(compiled[0] === undefined ? {} : { compiled: compiled[0] }),
  };
}

/** Shards have a cluster each: what OVN compiles for one, it has to compile for all. */
function compiledUnlike(plans: readonly ClusterPlan[]): Inconclusive | undefined {
  const [first] = plans;
  const other = plans.find((plan) => canonicalJson(plan) !== canonicalJson(first));
  if (first === undefined || other === undefined) return undefined;
  return inconclusive(
    new Unavailable(
      'OVN has compiled other flows on one cluster than on another',
      [],
      [...linesOnlyIn(first, other, 'the first'), ...linesOnlyIn(other, first, 'another')],
    ),
  );
}

/** Lines of bridges that only one of two plans has, with their bridge; some of them. */
function linesOnlyIn(plan: ClusterPlan, other: ClusterPlan, which: string): readonly string[] {
  const there = new Set(linesOf(other));
  const lines = linesOf(plan).filter((line) => !there.has(line));
  return lines.slice(0, linesShown).map((line) => `on ${which} alone: ${line}`);
}

const linesShown = 5;

function linesOf({ nodes }: ClusterPlan): readonly string[] {
  return nodes.flatMap(({ node, bridges }) =>
    bridges.flatMap(({ name, flows, groups = [], sources = {} }) =>
      [
        ...flows,
        ...groups,
        ...Object.entries(sources).map(([cookie, source]) => `${cookie} is of ${source}`),
      ].map((line) => `${node} ${name} ${line}`),
    ),
  );
}
