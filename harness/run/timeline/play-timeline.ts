/** A timeline on the model and on real switches in step, judged after each of its steps. */
import { attempt } from '../../base/errors/outcome.js';
import { Unsupported } from '../../base/errors/errors.js';
import { compareProgram } from '../../compare/compare-program.js';
import { withoutLostSeconds } from '../../compare/compare-state.js';
import { compareVector } from '../../compare/compare-vector.js';
import { runStimulus } from '../../fabric/fabric.js';
import { noMemories } from '../../fabric/stack/host.js';
import { initialPromiseState } from '../../intent/over-time/promise-state.js';
import { promisedIntent } from '../../intent/over-time/promised-intent.js';
import { afterStimulus } from '../../intent/over-time/promise-after-stimulus.js';
import { outcomeOf } from '../../compare/judge-intent.js';
import { expectedIntent } from '../../domain/known-contradiction.js';
import { describeStep, type Sequence, type SequenceStep } from '../../domain/timeline.js';
import type { TestVector } from '../../domain/test-vector.js';
import { noCounts } from '../../domain/verdict.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { Testbed } from '../../testbeds/testbed.js';
import { drawsFor } from '../../lockstep/vector-randomness.js';
import { assertUndisturbed, playPass, replayAnswers } from '../../lockstep/play-in-lockstep.js';
import { inconclusive } from '../judging/vector-report.js';
import { visiblePorts } from '../judging/visible-ports.js';
import { withLateFrames } from '../judging/judge-vector.js';
import type { Reference } from '../../testbeds/reference.js';
import type { JudgedStep } from './timeline-run.js';
import {
  verdictFrom,
  type StepJudgement,
  type TimelineContext,
  type TimelineRun,
} from './timeline-run.js';
import { withoutChance } from '../judging/equivalent-flows.js';
import { logicalPassages } from '../../compare/logical/logical-passages.js';
import { checked, mayWait, unchecked, type WaitingStep } from './waiting-steps.js';
import { judgeFinalProgram } from './compare-programs.js';
import { judgeEvent } from './judge-event.js';

/**
 * Plays until the first step that does not conform: what comes after would only follow from it, and
 * is left out.
 */
export async function playTimeline(
  context: TimelineContext,
  timeline: Sequence,
): Promise<readonly JudgedStep[]> {
  const judged: JudgedStep[] = [];
  const waiting: WaitingStep[] = [];
  const wanted = context.controlPlane.plan(timeline.cluster);
  const played = await attempt(async () => {
    const real = await context.openReal(wanted);
    const plan = real.compiled ?? wanted;
    let reference: Reference = openModel(plan, real.versions);
    try {
      reference = (await context.openReference?.(plan, real.versions)) ?? reference;
      const run: TimelineRun = {
        context,
        real,
        model: reference,
        memories: { model: noMemories(), real: noMemories() },
        agentState: { agentViews: { cluster: timeline.cluster, stale: new Map() }, plan },
        promiseState: initialPromiseState(
          timeline.cluster,
          context.controlPlane.promises,
          real.versions['linux'] === undefined ? 'the switch' : 'the kernel',
        ),
        unsweptNodes: new Set(),
        freshPrograms: new Map(),
        readBack: 'all',
        parseCache: new Map(),
      };
      const lastEvent = timeline.steps.findLast(({ kind }) => kind !== 'vector');
      for (const [index, step] of timeline.steps.entries()) {
        if (step === lastEvent) run.readBack = 'all';
        const { passages, ...judgement } = await judgeStep(run, step);
        const id = `${index + 1} ${describeStep(step)}`;
        waiting.push({ judged: { id, step, ...judgement }, ...(passages && { passages }) });
        const next = timeline.steps[index + 1];
        if (waiting.every((one) => mayWait(run.agentState.plan, one, next))) continue;
        for (const one of await checked(run, waiting)) {
          const isEnd = next === undefined && one.step === step;
          const result = isEnd ? await withFinalProgram(run, one) : one;
          if (result.differences.length > 0) await assertUndisturbed(reference, real);
          judged.push(result);
          waiting.shift();
          context.onJudged?.(result);
          if (result.verdict !== 'conforms') return;
        }
      }
    } finally {
      await Promise.all([real.close(), reference.close()]);
    }
  });
  if (played.kind === 'ok') return judged;
  judged.push(...unchecked(waiting));
  const step = timeline.steps[judged.length];
  return step === undefined
    ? judged
    : [
        ...judged,
        {
          id: `${judged.length + 1} ${describeStep(step)}`,
          step,
          verdict: 'inconclusive',
          counts: noCounts,
          differences: [],
          inconclusive: inconclusive(played.cause),
        },
      ];
}

async function withFinalProgram(run: TimelineRun, last: JudgedStep): Promise<JudgedStep> {
  const isJudged = last.step.kind === 'vector' && last.verdict === 'conforms';
  return isJudged ? { ...last, ...(await judgeFinalProgram(run, last)) } : last;
}

type PlayedStep = StepJudgement & Pick<WaitingStep, 'passages'>;

async function judgeStep(run: TimelineRun, step: SequenceStep): Promise<PlayedStep> {
  try {
    return step.kind === 'vector'
      ? await judgeVector(run, step.vector)
      : await judgeEvent(run, step);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return {
      verdict: 'inconclusive',
      counts: noCounts,
      differences: [],
      inconclusive: inconclusive(error),
    };
  }
}

async function judgeVector(run: TimelineRun, { id, stimulus }: TestVector): Promise<PlayedStep> {
  const {
    model,
    real,
    memories,
    context,
    agentState: { plan },
  } = run;
  const { unprogrammed } = run.promiseState;
  const intent = expectedIntent(
    context.controlPlane.known ?? [],
    promisedIntent(run.promiseState, stimulus),
  );
  const beganMs = memories.real.clock.nowUs / 1000;
  const draws = drawsFor(context.seed, id);
  const before = model.traces().length;
  const modelFabric = runStimulus(plan, stimulus, draws, memories.model);
  const { divergence, answers, ...seen } = await playPass(model, real, [
    modelFabric,
    runStimulus(plan, stimulus, draws, memories.real),
  ]);
  // Its hosts remember as well, for the vector at which the sides diverge.
  if (divergence === undefined) replayAnswers(modelFabric, answers);
  const [predicted, observed] = [await finalStateOf(model), await finalStateOf(real)];
  const pass = { name: 'cold', stimulus } as const;
  const [played] = withLateFrames(
    [{ ...seen, pass, lookups: { hit: 0, missed: 0 }, traces: model.traces().slice(before) }],
    await real.lateFrames(),
  );
  const passes = played === undefined ? [] : [{ ...played, intent }];
  const traces = model.traces();
  const comparison = compareVector({
    passes,
    model: predicted,
    real: observed,
    divergence: divergence ?? {
      modelCounts: predicted.counts,
      realCounts: observed.counts,
      traces,
      earlier: traces,
    },
    ports: visiblePorts(plan),
    nodes: plan.nodes,
  });
  const differences = comparison.differences(
    comparison.diverges
      ? compareProgram(await model.program(), await real.program()).differences
      : [],
  );
  const ownTraces = traces.slice(before);
  const isAsked = real.traceLogically !== undefined && differences.length === 0;
  const [observedPass] = passes.map((one) => one.real);
  const outcome = observedPass === undefined ? intent : outcomeOf(intent, stimulus, observedPass);
  run.promiseState = afterStimulus(run.promiseState, stimulus, outcome, observedPass?.notes);
  return {
    intent,
    ...verdictFrom(differences, comparison.counts),
    ...(isAsked ? { passages: logicalPassages(plan, seen.model, ownTraces, unprogrammed) } : {}),
    seen: {
      passes: passes.map(({ real: frames }) => ({ pass, real: frames })),
      aftermath: {
        counts: withoutChance(plan, observed.counts),
        state: withoutLostSeconds(predicted.state, observed.state),
      },
      beganMs,
    },
  };
}

async function finalStateOf(testbed: Testbed) {
  return { counts: await testbed.counts(), state: await testbed.state() };
}
