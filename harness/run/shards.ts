/**
 * A scenario at one point of its matrix, divided into shards, each with a cluster of its own. Their
 * result depends neither on how many there are, nor on which worker runs them.
 */
import { assert, InputError, Unavailable } from '../base/errors/errors.js';
import { canonicalJson } from '../base/files/digest.js';
import { attempt } from '../base/errors/outcome.js';
import { compareProgram, type ParseCache } from '../compare/compare-program.js';
import type { Sequence } from '../domain/timeline.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Scenario } from '../domain/scenario.js';
import type { TestVector } from '../domain/test-vector.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { Switches, Testbed } from '../testbeds/testbed.js';
import {
  transitionPlanOf,
  checkFinalProgram,
  applyTransitions,
  type TransitionPlan,
} from './transition-plan.js';
import { judgeTimeline, type TimelineOutcome } from './timeline/judge-timeline.js';
import type { Depth } from './passes.js';
import { inconclusive, type Inconclusive } from './vector-report.js';
import type { ScenarioOutcome } from './scenario-outcome.js';
import { batchesOf, type Batch } from './batches.js';
import { judgeBatches, inconclusiveVector } from './judged-vector.js';
import type { JudgedVector } from './vector-judgement.js';
import type { RunContext } from './run-context.js';
import type { Reference } from '../testbeds/reference.js';
import { partsOf, timelineOf } from './scenario-timeline.js';

export interface ShardOptions {
  readonly seed: number;
  /** Which passes each vector runs in; by default all of them. */
  readonly depth?: Depth;
  /**
   * Brings real switches up and programs them; once a shard. Where the point of the matrix comes
   * after another, they are changed then.
   */
  readonly openReal: (plan: ClusterPlan, shard: Shard) => Promise<Switches>;
  /**
   * Of Open vSwitch, as those switches will report it: what it cannot have is left away from the
   * plan (`adaptPlan`); nothing is where it is not known.
   */
  readonly version?: string;
  /**
   * Brings up what the switches are compared with, once a shard; the model unless given.
   * @param versions of those switches.
   */
  readonly openReference?: (
    plan: ClusterPlan,
    versions: Switches['versions'],
    shard: Shard,
  ) => Promise<Reference>;
  /** Called once the switches are programmed and checked: the self-test plants its faults here. */
  readonly afterProgramming?: (real: Switches) => Promise<void>;
  /** Runs only the vectors for which this holds; a timeline is played whole. */
  readonly only?: (vector: TestVector) => boolean;
}

/** Which of them, counted from 0. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** With a timeline, its result. */
export type ShardOutcome = ScenarioOutcome & Partial<Pick<TimelineOutcome, 'timeline'>>;

/** What is played: vectors, each after a reset, or a sequence. */
export interface Workload {
  readonly transitionPlan: TransitionPlan;
  readonly context: Omit<RunContext, 'model' | 'onJudged'>;
  readonly vectors: readonly TestVector[];
  readonly sequence?: Sequence;
}

/** @throws InputError when the scenario's topology or flows are wrong. */
export function workloadOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  { seed, depth = 'all', version = 'unknown', only = () => true }: Omit<ShardOptions, 'openReal'>,
): Workload {
  const parts = partsOf(timelineOf(scenario, axes), scenario.name);
  const beginning =
    parts.kind === 'independent' ? parts : { cluster: parts.sequence.cluster, events: [] };
  const transitionPlan = transitionPlanOf(scenario.controlPlane, beginning, version);
  const { topology, plan } = transitionPlan;
  if (plan.northbound !== undefined && parts.kind === 'independent' && parts.events.length > 0)
    throw new InputError(
      `scenario ${scenario.name}: a cluster that OVN programs changes in a timeline without ` +
        'resets alone',
    );
  const context = { scenario, topology, plan, seed, depth };
  if (parts.kind === 'independent')
    return { transitionPlan, context, vectors: parts.vectors.filter(only) };
  const { sequence } = parts;
  const vectors = sequence.steps.flatMap((step) => (step.kind === 'vector' ? [step.vector] : []));
  return { transitionPlan, context, sequence, vectors };
}

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
export function mergeShards(
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
  const [first, ...others] = plans.map((plan) => canonicalJson(plan));
  return others.every((other) => other === first)
    ? undefined
    : inconclusive(new Unavailable('OVN has compiled other flows on one cluster than on another'));
}

export interface SwitchSetup {
  readonly openReal: (plan: ClusterPlan) => Promise<Switches>;
  readonly openReference: (plan: ClusterPlan, versions: Switches['versions']) => Promise<Reference>;
  readonly afterProgramming?: (real: Switches) => Promise<void>;
}

async function runBatches(
  planned: RunContext,
  transitions: TransitionPlan['transitions'],
  batches: readonly Batch[],
  { openReal, openReference, afterProgramming }: SwitchSetup,
): Promise<ScenarioOutcome> {
  const parseCache: ParseCache = new Map();
  let context = planned;
  let desired = await context.model.program();
  const allInconclusive = async (
    switchesLost: Inconclusive,
    versions: ScenarioOutcome['versions'],
  ): Promise<ScenarioOutcome> => {
    const { count } = compareProgram(desired, []);
    const judged: JudgedVector[] = [];
    for (const vector of batches.flat())
      judged.push(await inconclusiveVector(context, vector, switchesLost));
    return {
      program: [],
      programCount: { ...count, expected: 2 * count.expected, made: 0 },
      judged,
      switchesLost,
      versions,
    };
  };
  const opened = await attempt(() => openReal(transitions[0]?.plan ?? context.plan));
  if (opened.kind === 'unavailable') return await allInconclusive(inconclusive(opened.cause), {});
  const real = opened.value;
  const teardown: Testbed[] = [real];
  const { compiled } = real;
  try {
    if (compiled !== undefined) {
      context = { ...planned, plan: compiled, model: openModel(compiled, real.versions) };
      desired = await context.model.program();
    }
    const programmed = await attempt(async () => {
      const comparison = await applyTransitions(transitions, desired, real, parseCache);
      await afterProgramming?.(real);
      return comparison;
    });
    if (programmed.kind === 'unavailable')
      return await allInconclusive(inconclusive(programmed.cause), real.versions);
    const reference = await attempt(() => openReference(context.plan, real.versions));
    if (reference.kind === 'unavailable')
      return await allInconclusive(inconclusive(reference.cause), real.versions);
    teardown.push(reference.value);
    const model = reference.value;
    const { judged, gone: switchesLost } = await judgeBatches({ ...context, model }, real, batches);
    const { differences, count } = programmed.value;
    const ended =
      switchesLost === undefined
        ? await attempt(() => checkFinalProgram(model, real, judged, differences, parseCache))
        : undefined;
    const finalCount = compareProgram(desired, [], parseCache).count.expected;
    return {
      program: [...differences, ...(ended?.kind === 'ok' ? ended.value : [])],
      programCount: {
        ...count,
        expected: count.expected + finalCount,
        made: count.made + (ended?.kind === 'ok' ? finalCount : 0),
      },
      judged,
      versions: real.versions,
      ...(compiled === undefined ? {} : { compiled }),
      ...(ended?.kind === 'unavailable' ? { switchesLost: inconclusive(ended.cause) } : {}),
    };
  } finally {
    await Promise.all(teardown.map((testbed) => testbed.close()));
  }
}
