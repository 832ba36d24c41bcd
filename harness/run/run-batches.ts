/** Switches come up, run batches of vectors, and are read back at the end. */
import { type ParseCache, compareProgram, programSize } from '../compare/compare-program.js';
import { attempt } from '../base/errors/outcome.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { Reference } from '../testbeds/reference.js';
import type { Switches, Testbed } from '../testbeds/testbed.js';
import { type Inconclusive, inconclusive } from './judging/vector-report.js';
import type { JudgedVector } from './judging/vector-judgement.js';
import {
  type TransitionPlan,
  applyTransitions,
  checkFinalProgram,
} from './transitions/transition-plan.js';
import type { ScenarioOutcome } from './scenario-outcome.js';
import type { RunContext } from './run-context.js';
import { judgeBatches } from './judging/judge-batches.js';
import { withLogicalChecks } from './judging/logical-check.js';
import { inconclusiveVector } from './judging/inconclusive-vector.js';
import type { Batch } from './batches.js';

export interface SwitchSetup {
  readonly openReal: (plan: ClusterPlan) => Promise<Switches>;
  readonly openReference: (plan: ClusterPlan, versions: Switches['versions']) => Promise<Reference>;
  readonly afterProgramming?: (real: Switches) => Promise<void>;
}

export async function runBatches(
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
    const { judged, gone: switchesLost } = await judgeBatches(
      { ...context, model, versions: real.versions },
      real,
      batches,
    );
    const checked = await attempt(() => withLogicalChecks(context, real, judged));
    const { differences, count } = programmed.value;
    const ended =
      switchesLost === undefined
        ? await attempt(() => checkFinalProgram(model, real, judged, differences, parseCache))
        : undefined;
    const finalCount = programSize(desired);
    return {
      program: [...differences, ...(ended?.kind === 'ok' ? ended.value : [])],
      programCount: {
        ...count,
        expected: count.expected + finalCount,
        made: count.made + (ended?.kind === 'ok' ? finalCount : 0),
      },
      judged: checked.kind === 'ok' ? checked.value : judged,
      versions: real.versions,
      ...(compiled === undefined ? {} : { compiled }),
      ...(checked.kind === 'unavailable' ? { switchesLost: inconclusive(checked.cause) } : {}),
      ...(ended?.kind === 'unavailable' ? { switchesLost: inconclusive(ended.cause) } : {}),
    };
  } finally {
    await Promise.all(teardown.map((testbed) => testbed.close()));
  }
}
