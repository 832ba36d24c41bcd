/** Vectors, one after the other, on the model and on real switches in step. */
import { awaitAll } from '../base/concurrency/await-all.js';
import { Disturbed, Unsupported } from '../base/errors/errors.js';
import { attempt } from '../base/errors/outcome.js';
import { yieldToEventLoop } from '../base/concurrency/yield-to-event-loop.js';
import { compareProgram } from '../compare/compare-program.js';
import type { InitialCounts } from '../compare/unmatched.js';
import { compareVector } from '../compare/compare-vector.js';
import { expectedCounts } from '../compare/expected-counts.js';
import { isWarm } from '../compare/cache-count.js';
import type { ComparedPass } from '../compare/compared-pass.js';
import type { FinalState } from '../domain/switch-state.js';
import { withoutChance } from './equivalent-flows.js';
import { withFlowSources } from './flow-sources.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { TestVector } from '../domain/test-vector.js';
import {
  noCounts,
  verdictOn,
  whatIsMissing,
  type Counts,
  type Difference,
} from '../domain/verdict.js';
import type { LateFrame, Switches } from '../testbeds/testbed.js';
import { judgeBatch } from './judge-batch.js';
import { canonicalTrace } from '../lockstep/canonical-trace.js';
import { intentExpectedIn } from './expected-intent.js';
import {
  playInLockstep,
  type PlayedPass,
  assertUndisturbed,
} from '../lockstep/play-in-lockstep.js';
import { passesOf } from './passes.js';
import { recordOutcome } from './run-record.js';
import { type VectorReport, inconclusive, type Inconclusive } from './vector-report.js';
import type { Batch } from './batches.js';
import type { RunContext } from './run-context.js';
import { observedOf, siblingOf, type JudgedVector } from './vector-judgement.js';
import type { Observation } from '../domain/observation.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';

/**
 * Switches that failed once are not trusted again: what comes after stays open, and nothing is
 * tried twice. `gone` tells why, where they did. Those that were disturbed are put right by the
 * next reset.
 */
export async function judgeBatches(
  context: RunContext,
  real: Switches,
  batches: readonly Batch[],
): Promise<{ readonly judged: readonly JudgedVector[]; readonly gone: Inconclusive | undefined }> {
  const ports = portsOf(context.plan);
  const judged: JudgedVector[] = [];
  let switchesLost: Inconclusive | undefined;
  const judgeOne = async (vector: TestVector): Promise<JudgedVector> => {
    if (switchesLost !== undefined) return await inconclusiveVector(context, vector, switchesLost);
    const outcome = await attempt(() => judgeVector(context, real, vector, ports)).catch(asUnknown);
    if (outcome.kind === 'unavailable' && !(outcome.cause instanceof Disturbed))
      switchesLost = inconclusive(outcome.cause);
    else context.onJudged();
    return outcome.kind === 'ok'
      ? outcome.value
      : await inconclusiveVector(context, vector, inconclusive(outcome.cause));
  };
  for (const batch of batches) {
    const played =
      batch.length === 1 || switchesLost !== undefined
        ? undefined
        : await attempt(() => judgeBatch(context, real, batch, ports)).catch(asUnknown);
    if (played?.kind === 'unavailable' && !(played.cause instanceof Disturbed))
      switchesLost = inconclusive(played.cause);
    const outcome = played?.kind === 'ok' ? played.value : undefined;
    if (outcome?.kind === 'conforms') {
      judged.push(...outcome.judged);
      batch.forEach(() => {
        context.onJudged();
      });
      continue;
    }
    const oneByOne: JudgedVector[] = [];
    for (const vector of batch) oneByOne.push(await judgeOne(vector));
    judged.push(
      ...(outcome?.kind === 'diverged' ? withBatchDivergence(oneByOne, outcome.where) : oneByOne),
    );
  }
  return { judged, gone: switchesLost };
}

/**
 * Vectors that conform one by one, and did not as a batch: that is a difference, reported with the
 * first of them.
 */
function withBatchDivergence(
  oneByOne: readonly JudgedVector[],
  where: string,
): readonly JudgedVector[] {
  if (oneByOne.some(({ report }) => report.verdict !== 'conforms')) return oneByOne;
  const difference: Difference = {
    aspect: 'frames',
    between: 'model and switch',
    summary:
      `a batch of ${oneByOne.length} vectors diverged, though each of them conforms when run ` +
      `alone: ${where}`,
    expected: 'the same as in the model',
    actual: where,
    afterDivergence: false,
  };
  return oneByOne.map((judged, index) =>
    index === 0
      ? { ...judged, report: { ...judged.report, verdict: 'diverges', differences: [difference] } }
      : judged,
  );
}

/**
 * A vector without a verdict, and why: never a pass. What would have been compared, as far as the
 * model can predict, is expected and not made.
 */
export async function inconclusiveVector(
  context: RunContext,
  vector: TestVector,
  cause: Inconclusive,
): Promise<JudgedVector> {
  await yieldToEventLoop();
  const counts = await expectedButNotMade(context, vector).catch(
    (error: unknown) => asUnknown(error).counts,
  );
  const report = {
    id: vector.id,
    stimulus: { ...vector.stimulus },
    intent: intentOrUnknown(context, vector),
    verdict: 'inconclusive' as const,
    counts,
    differences: [],
    inconclusive: cause,
  };
  return { report, record: { vector }, observed: '' };
}

async function judgeVector(
  context: RunContext,
  real: Switches,
  vector: TestVector,
  ports: ReadonlySet<string>,
): Promise<JudgedVector> {
  const { plan, model, seed } = context;
  await Promise.all([model.reset(), real.reset()]);
  const initial: InitialCounts = { model: await model.counts(), real: await real.counts() };
  const intent = intentExpectedIn(context, vector.stimulus);
  const planned = passesOf(context, vector);
  const played = await playInLockstep(model, real, plan, vector.id, planned, seed);
  const predicted: FinalState = { counts: await model.counts(), state: await model.state() };
  const [counts, state, lateFrames] = await awaitAll([
    real.counts(),
    real.state(),
    real.lateFrames(),
  ]);
  const seen: FinalState = { counts, state };
  const passes = withLateFrames(played.passes, lateFrames).map((pass) => ({
    ...pass,
    intent: intentExpectedIn(context, pass.pass.stimulus),
  }));
  const divergence = played.divergence ?? {
    modelCounts: predicted.counts,
    realCounts: seen.counts,
    traces: model.traces(),
    earlier: model.traces(),
  };
  const comparison = compareVector({
    passes,
    initial,
    model: predicted,
    real: seen,
    divergence,
    ports,
    nodes: plan.nodes,
  });
  const program = comparison.diverges
    ? compareProgram(await model.program(), await real.program()).differences
    : [];
  const differences = withFlowSources(plan, comparison.differences(program));
  if (differences.length > 0) await assertUndisturbed(model, real);
  const missing = missingCause(comparison.counts, passes);
  const recorded: FinalState = { ...seen, counts: withoutChance(plan, seen.counts) };
  return {
    report: {
      id: vector.id,
      stimulus: { ...vector.stimulus },
      intent: { ...intent },
      ...siblingOf(context, planned),
      ...observedOf(vector, passes[0]?.real),
      verdict: verdictOn(differences, comparison.counts),
      counts: comparison.counts,
      differences: [...differences],
      ...(missing === undefined
        ? {}
        : { inconclusive: { cause: missing, evidence: [], remedies: [] } }),
    },
    record: { vector, real: recordOutcome(passes, recorded) },
    observed: canonicalTrace(vector.id, passes, recorded),
  };
}

function missingCause(counts: Counts, passes: readonly ComparedPass[]): string | undefined {
  const cached = passes.find(({ pass }) => pass.name === 'cached')?.lookups;
  if (counts.cache.made < counts.cache.expected && cached !== undefined)
    return (
      `of the packets of the cached pass ${cached.hit} met the datapaths' caches and ` +
      `${cached.missed} missed them: the cached path was not seen`
    );
  return whatIsMissing(counts);
}

/** @throws Unsupported when the model cannot predict. */
async function expectedButNotMade(context: RunContext, vector: TestVector): Promise<Counts> {
  const { plan, model, seed } = context;
  const passes = passesOf(context, vector);
  await model.reset();
  const cluster = withEmulatedHosts(model, plan, { seed, hosts: 'start afresh' });
  const observations: Observation[] = [];
  for (const { stimulus } of passes) observations.push(await cluster.play(vector.id, stimulus));
  return expectedCounts(
    observations,
    passes.some((pass) => isWarm({ pass })) ? 'all' : 'cold',
    { counts: await model.counts(), state: await model.state() },
    portsOf(plan),
  );
}

/**
 * Frames that came out after all was over belong to the pass that was played last, and to no
 * instant of it.
 */
export function withLateFrames(
  passes: readonly PlayedPass[],
  lateFrames: readonly LateFrame[],
): readonly PlayedPass[] {
  return passes.map((played, index) => {
    if (index < passes.length - 1) return played;
    const timeUs = (played.real.frames.at(-1)?.timeUs ?? 0) + 1;
    return {
      ...played,
      real: {
        ...played.real,
        frames: [
          ...played.real.frames,
          ...lateFrames.map((frame) => ({ ...frame, timeUs, direction: 'out' as const })),
        ],
      },
    };
  });
}

/** Of a vector that the model cannot play, no more than this is known to be missing. */
export const onlyIntentCounts: Counts = {
  ...noCounts,
  intent: { expected: 2, made: 0, skipped: 0 },
};

/** Something that model or intent do not know costs this vector its verdict, and no other. */
function asUnknown(error: unknown): {
  readonly kind: 'unknown';
  readonly cause: Unsupported;
  readonly counts: Counts;
} {
  if (error instanceof Unsupported)
    return { kind: 'unknown', cause: error, counts: onlyIntentCounts };
  throw error;
}

function intentOrUnknown(context: RunContext, { stimulus }: TestVector): VectorReport['intent'] {
  try {
    return { ...intentExpectedIn(context, stimulus) };
  } catch (error) {
    return { kind: 'unknown', why: asUnknown(error).cause.message };
  }
}

/** Every port that frames can be seen at: all but tunnels, whose frames show at the uplink. */
export function portsOf(plan: ClusterPlan): ReadonlySet<string> {
  return new Set(
    plan.nodes.flatMap(({ node, bridges }) =>
      bridges.flatMap((bridge) =>
        [
          bridge.name,
          ...bridge.ports.filter(({ kind }) => kind !== 'tunnel').map(({ name }) => name),
        ].map((port) => `${node} ${port}`),
      ),
    ),
  );
}
