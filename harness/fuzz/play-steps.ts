/** The steps of a case through a model and a switch that have its flows and groups. */
import { InputError } from '../base/errors/errors.js';
import type { SwitchStep } from '../domain/switching.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { noCounts } from '../domain/verdict.js';
import {
  compareFinalState,
  comparePrograms,
  compareRemembered,
} from '../lockstep/compare-final-state.js';
import { compareSteps, type AnsweredStep } from '../lockstep/compare-steps.js';
import { oracleFrom } from '../lockstep/oracle.js';
import type { Oracle } from '../model/ambiguity.js';
import type { ModelTestbed } from '../testbeds/model/model-testbed.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import type { FuzzCase } from './fuzz-case.js';
import { acceptanceFinding, type FuzzFinding } from './fuzz-finding.js';
import type { Sides, CaseJudgement } from './case-judgement.js';
import { networkOf, node, performedBy, planOf, textsOf, wiredPorts } from './fuzz-network.js';
import { performCall } from './perform-call.js';
import { planRuns, whyUnknown, type SkippedStep, type StepRun } from './plan-runs.js';

/** @param sim programmed, and reset. */
export async function playSteps(
  sim: OvsSwitches,
  { openModel, planned }: Pick<Sides, 'openModel' | 'planned'>,
  fuzzCase: FuzzCase,
  how: 'in runs' | 'one by one',
): Promise<Omit<CaseJudgement, 'refused'>> {
  const plan = planned(planOf(fuzzCase));
  const { runs, skipped } = await planRuns(() => openModel(plan), fuzzCase, how);
  const model = openModel(plan);
  let ties = 0;
  const oracle = oracleFrom({
    ...sim,
    counts: () => {
      ties++;
      return sim.counts();
    },
  });
  const { steps, played, unpredicted, stateFindings } = await playRuns(
    { sim, model, oracle, plan },
    runs,
  );
  const place = {
    // Ports are called differently on all nodes.
    node,
    ports: wiredPorts[networkOf(fuzzCase)],
    bridges: plan.nodes.flatMap(({ bridges }) => bridges),
  };
  const [answers, counts] = [compareSteps(place, steps), await sim.counts()];
  // What both counted and remember is comparable where both have seen the same.
  const sides = { expected: model, actual: sim };
  const after =
    unpredicted.length === 0
      ? await compareFinalState(sides, 1, counts)
      : { counts: noCounts, findings: [] };
  const programs =
    unpredicted.length === 0 && mayChangeFlows(fuzzCase)
      ? await comparePrograms(sides)
      : { findings: [] };
  const differences = [
    ...answers.findings,
    ...stateFindings,
    ...after.findings,
    ...programs.findings,
  ];
  if (differences.length > 0) await sim.assertUndisturbed();
  return {
    differences,
    compared: {
      sent: played.filter((index) => fuzzCase.steps[index]?.kind === 'packet').length,
      frames: answers.counts.frames.made,
      counters: after.counts.counters.made,
    },
    skipped: [
      ...skipped.values(),
      ...unpredicted.flatMap((why) =>
        runs
          .flatMap(({ indices }) => indices.filter((index) => !played.includes(index)))
          .map(() => why),
      ),
    ],
    played,
    counts,
    ties,
  };
}

interface PlayedRuns {
  readonly steps: readonly AnsweredStep[];
  /** The steps of the case that both sides have played, by index. */
  readonly played: readonly number[];
  /** Why the model knows no further: the rest is not played. */
  readonly unpredicted: readonly SkippedStep[];
  /** Changes that one side refused, and what differs in memory after changes. */
  readonly stateFindings: readonly FuzzFinding[];
}

/** One run after the other, through the switch and through the model. */
async function playRuns(
  {
    sim,
    model,
    oracle,
    plan,
  }: {
    readonly sim: OvsSwitches;
    readonly model: ModelTestbed;
    readonly oracle: Oracle;
    readonly plan: ClusterPlan;
  },
  runs: readonly StepRun[],
): Promise<PlayedRuns> {
  const steps: AnsweredStep[] = [];
  const played: number[] = [];
  const unpredicted: SkippedStep[] = [];
  const stateFindings: FuzzFinding[] = [];
  let isCached = false;
  const purgeCache = async () => {
    await sim.purge();
    isCached = false;
  };
  // On one node all that came out belongs to the one call.
  const seeing = (actual: SwitchStep | 'refused'): Oracle =>
    plan.nodes.length > 1 || actual === 'refused'
      ? oracle
      : { ...oracle, outputs: () => actual.outputs };
  for (const { indices, call, cache } of runs) {
    const [index = 0] = indices;
    // Once the cache is emptied, flows know when they were used last.
    if (call.kind === 'advance' || (isCached && cache === 'emptied')) await purgeCache();
    isCached = true;
    const actual = await stepOf(performCall(call, plan, performedBy(sim)));
    const expected = await stepOf(
      performCall(call, plan, performedBy({ call: (calls) => model.call(calls, seeing(actual)) })),
    ).catch((error: unknown) => void unpredicted.push(whyUnknown(error)));
    if (expected === undefined) break;
    played.push(...indices);
    if (actual === 'refused' || expected === 'refused') {
      if (actual !== expected) stateFindings.push(refusalFinding(expected, actual, index));
      continue;
    }
    steps.push({ index, expected, actual });
    if (cache === 'emptied' || call.kind !== 'receive') await purgeCache();
    if (call.kind !== 'receive')
      stateFindings.push(
        ...compareRemembered(await model.state(), await sim.state(), 1).findings.map((finding) => ({
          ...finding,
          step: index,
        })),
      );
  }
  return { steps, played, unpredicted, stateFindings };
}

/** One side takes a change that the other refuses. */
function refusalFinding(
  expected: SwitchStep | 'refused',
  actual: SwitchStep | 'refused',
  index: number,
): FuzzFinding {
  const words = (step: SwitchStep | 'refused') =>
    step === 'refused' ? 'refuses it' : 'accepts it';
  return acceptanceFinding('the change', words(expected), words(actual), index);
}

/** What a change led to, or that it is none. */
async function stepOf(called: Promise<SwitchStep>): Promise<SwitchStep | 'refused'> {
  try {
    return await called;
  } catch (error) {
    if (error instanceof InputError) return 'refused';
    throw error;
  }
}

function mayChangeFlows({ steps, ...programs }: FuzzCase): boolean {
  return (
    textsOf(programs).some((text) => /learn\(|_timeout=/.test(text)) ||
    steps.some(({ kind }) => kind === 'change')
  );
}
