/** One vector on the model and on real switches in step, after a reset. */
import { awaitAll } from '../../base/concurrency/await-all.js';
import { hostWork } from './host-work.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { compareWork } from '../../compare/compare-work.js';
import { compareProgram } from '../../compare/compare-program.js';
import { withoutLostSeconds } from '../../compare/compare-state.js';
import { compareVector } from '../../compare/compare-vector.js';
import type { ComparedPass } from '../../compare/compared-pass.js';
import type { InitialCounts } from '../../compare/unmatched.js';
import type { FinalState } from '../../domain/switch-state.js';
import type { TestVector } from '../../domain/test-vector.js';
import { verdictOn, type Counts, whatIsMissing } from '../../domain/verdict.js';
import { canonicalTrace } from '../../lockstep/canonical-trace.js';
import {
  playInLockstep,
  assertUndisturbed,
  type PlayedPass,
} from '../../lockstep/play-in-lockstep.js';
import type { LateFrame, Switches } from '../../testbeds/testbed.js';
import { withoutChance } from './equivalent-flows.js';
import { intentExpectedIn, intentOfPass } from './expected-intent.js';
import { withFlowSources } from '../flow-sources.js';
import { passesOf } from '../passes.js';
import type { RunContext } from '../run-context.js';
import { recordOutcome } from '../records/run-record.js';
import { type JudgedVector, siblingOf, observedOf } from './vector-judgement.js';

export async function judgeVector(
  context: RunContext,
  real: Switches,
  vector: TestVector,
  ports: ReadonlySet<string>,
): Promise<JudgedVector> {
  const { plan, model, seed, work } = context;
  await Promise.all([model.reset(), real.reset()]);
  const initial: InitialCounts = { model: await model.counts(), real: await real.counts() };
  const intent = intentExpectedIn(context, vector.stimulus);
  const planned = passesOf(context, vector);
  const played = await playInLockstep(model, real, plan, vector.id, planned, seed, work);
  const predicted: FinalState = { counts: await model.counts(), state: await model.state() };
  const [counts, state, lateFrames] = await awaitAll([
    real.counts(),
    real.state(),
    real.lateFrames(),
  ]);
  const seen: FinalState = { counts, state: withoutLostSeconds(predicted.state, state) };
  const passes = withLateFrames(played.passes, lateFrames).map((pass) => ({
    ...pass,
    intent: intentOfPass(context, pass.pass),
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
  const differences = [
    ...withFlowSources(plan, comparison.differences(program)),
    ...(comparison.diverges
      ? []
      : played.passes.flatMap((one) => compareWork(one.pass.name, one.work))),
  ];
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
      ...workOf(plan, played.passes[0]),
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

/** What the first pass needed: as the switches counted it, where they do. */
function workOf(
  plan: ClusterPlan,
  pass: PlayedPass | undefined,
): { readonly work?: Record<string, number> } {
  if (pass?.work === undefined) return {};
  const { predicted, counted } = pass.work;
  return {
    work: {
      ...predicted,
      ...hostWork(plan, pass.model),
      ...(counted ?? {}),
    },
  };
}

export function missingCause(counts: Counts, passes: readonly ComparedPass[]): string | undefined {
  const cached = passes.find(({ pass }) => pass.name === 'cached')?.lookups;
  if (counts.cache.made < counts.cache.expected && cached !== undefined)
    return (
      `of the packets of the cached pass ${cached.hit} met the datapaths' caches and ` +
      `${cached.missed} missed them: the cached path was not seen`
    );
  return whatIsMissing(counts);
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
