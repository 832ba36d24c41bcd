/** A timeline as a scenario's vectors and what happened between them. */
import { describeStep, type Sequence } from '../../domain/timeline.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { TestVector } from '../../domain/test-vector.js';
import { addCounts, noCounts, type Difference } from '../../domain/verdict.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { Switches } from '../../testbeds/testbed.js';
import { adaptPlan } from '../adapt-plan.js';
import { canonicalTrace } from '../../lockstep/canonical-trace.js';
import { checkProgram, type ProgramCheck } from '../transitions/transition-plan.js';
import type { ScenarioOutcome } from '../scenario-outcome.js';
import { recordOutcome, type RecordedEvent } from '../records/run-record.js';
import type { Inconclusive } from '../judging/vector-report.js';
import { onlyIntentCounts } from '../judging/inconclusive-vector.js';
import { observedOf, type JudgedVector } from '../judging/vector-judgement.js';
import { streamOf } from '../streams.js';
import type { RunContext } from '../run-context.js';
import { playTimeline } from './play-timeline.js';
import { type JudgedStep, type TimelineContext } from './timeline-run.js';

export interface TimelineRunOptions extends Pick<TimelineContext, 'openReal' | 'openReference'> {
  readonly afterProgramming?: (real: Switches) => Promise<void>;
  /** Of Open vSwitch: what it cannot have is left away from each plan. */
  readonly version: string;
}

export interface TimelineOutcome extends ScenarioOutcome {
  readonly timeline: readonly RecordedEvent[];
}

/**
 * What differs after an event is reported of the switches' flows as after programming; vectors
 * behind the first step that does not conform stay open.
 */
export async function judgeTimeline(
  {
    scenario: { controlPlane },
    plan,
    seed,
    onJudged,
  }: Pick<RunContext, 'scenario' | 'plan' | 'seed' | 'onJudged'>,
  timeline: Sequence,
  options: TimelineRunOptions,
): Promise<TimelineOutcome> {
  let versions: Switches['versions'] = {};
  let programmed: ProgramCheck | undefined;
  let compiledFirst: ClusterPlan | undefined;
  const openReal = async (first: ClusterPlan): Promise<Switches> => {
    const real = await options.openReal(first);
    try {
      versions = real.versions;
      const { compiled = first } = real;
      compiledFirst = real.compiled;
      programmed = checkProgram(await openModel(compiled).program(), await real.program(), '');
      await options.afterProgramming?.(real);
      return real;
    } catch (error) {
      await real.close();
      throw error;
    }
  };
  const judged = await playTimeline(
    {
      controlPlane: {
        ...controlPlane,
        plan: (cluster, before) =>
          adaptPlan(options.version, controlPlane.plan(cluster, before)).plan,
      },
      seed,
      openReal,
      ...(options.openReference === undefined ? {} : { openReference: options.openReference }),
      onJudged: ({ step }) => {
        if (step.kind === 'vector') onJudged();
      },
    },
    timeline,
  );
  const { differences, count } =
    programmed ?? uncompared(checkProgram(await openModel(plan).program(), [], ''));
  const events = judged.filter(({ step }) => step.kind !== 'vector');
  const last = judged.at(-1);
  const switchesLost =
    programmed === undefined || last?.step.kind !== 'vector' ? last?.inconclusive : undefined;
  return {
    program: [...differences, ...events.flatMap(differencesAt)],
    programCount: addCounts([
      { ...noCounts, program: count },
      ...events.map(({ counts }) => counts),
    ]).program,
    judged: timeline.steps.flatMap((step, index) =>
      step.kind === 'vector' ? [judgedVector(step.vector, judged[index], notPlayed(last))] : [],
    ),
    versions,
    timeline: recordedEvents(judged),
    ...(compiledFirst === undefined ? {} : { compiled: compiledFirst }),
    ...(switchesLost === undefined ? {} : { switchesLost }),
  };
}

/** What would have been compared. */
function uncompared({ count }: ProgramCheck): ProgramCheck {
  return { differences: [], count: { ...count, made: 0 } };
}

function differencesAt({ step, differences }: JudgedStep): readonly Difference[] {
  return differences.map((difference) => ({
    ...difference,
    summary: `${describeStep(step)}: ${difference.summary}`,
  }));
}

function notPlayed(last: JudgedStep | undefined): Inconclusive {
  const where =
    last === undefined
      ? 'nothing'
      : last.step.kind === 'vector'
        ? last.step.vector.id
        : describeStep(last.step);
  return {
    cause: `it was not played: the timeline ended at ${where}, which does not conform`,
    evidence: [],
    remedies: [],
  };
}

function judgedVector(
  vector: TestVector,
  judged: JudgedStep | undefined,
  fallback: Inconclusive,
): JudgedVector {
  const { verdict, counts, differences, intent, seen, inconclusive } = judged ?? {
    verdict: 'inconclusive' as const,
    counts: onlyIntentCounts,
    differences: [],
    inconclusive: fallback,
  };
  return {
    report: {
      id: vector.id,
      stimulus: { ...vector.stimulus },
      intent:
        intent === undefined
          ? { kind: 'unknown', why: inconclusive?.cause ?? 'it was not asked' }
          : { ...intent },
      ...observedOf(vector, seen?.passes[0]?.real),
      ...streamOf(vector, seen?.beganMs),
      verdict,
      counts:
        verdict === 'inconclusive'
          ? addCounts([counts, counts.intent.expected === 0 ? onlyIntentCounts : noCounts])
          : counts,
      differences: [...differences],
      ...(inconclusive === undefined ? {} : { inconclusive }),
    },
    record: {
      vector,
      ...(seen === undefined ? {} : { real: recordOutcome(seen.passes, seen.aftermath) }),
    },
    observed: seen === undefined ? '' : canonicalTrace(vector.id, seen.passes, seen.aftermath),
  };
}

function recordedEvents(judged: readonly JudgedStep[]): readonly RecordedEvent[] {
  return judged.flatMap(({ step, done }, index) => {
    if (done === undefined) return [];
    return [
      {
        what: describeStep(step),
        after: judged.slice(0, index).filter((before) => before.step.kind === 'vector').length,
        ...done,
      },
    ];
  });
}
