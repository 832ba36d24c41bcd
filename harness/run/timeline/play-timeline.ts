/** A timeline on the model and on real switches in step, judged after each of its steps. */
import { attempt } from '../../base/errors/outcome.js';
import { Unsupported } from '../../base/errors/errors.js';
import {
  compareProgram,
  describeProgramDifference,
  type ParseCache,
  type ProgramDifference,
} from '../../compare/compare-program.js';
import { compareVector } from '../../compare/compare-vector.js';
import type { FinalState } from '../../domain/switch-state.js';
import type { AgentStep } from '../../control/agent-steps.js';
import { runStimulus } from '../../fabric/fabric.js';
import { forgetHostsOutside, noMemories, type HostMemories } from '../../fabric/stack/host.js';
import {
  afterStimulus,
  initialPromiseState,
  afterEvent,
  promisedIntent,
  type PromiseState,
} from '../../intent/over-time/promise-state.js';
import { outcomeOf } from '../../compare/judge-intent.js';
import { expectedIntent } from '../../domain/known-contradiction.js';
import {
  describeStep,
  type Sequence,
  type TimelineEvent,
  type SequenceStep,
} from '../../domain/timeline.js';
import type { Intent } from '../../domain/intent.js';
import type { ClusterPlan, ControlPlane, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Topology } from '../../domain/topology.js';
import type { TestVector } from '../../domain/test-vector.js';
import {
  addCounts,
  noCounts,
  verdictOn,
  whatIsMissing,
  type Counts,
  type Difference,
  type VerdictKind,
} from '../../domain/verdict.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { DumpedProgram, Switches, Testbed } from '../../testbeds/testbed.js';
import { oracleFrom } from '../../lockstep/oracle.js';
import { drawsFor } from '../../lockstep/vector-randomness.js';
import { assertUndisturbed, playPass, replayAnswers } from '../../lockstep/play-in-lockstep.js';
import type { ObservedVectorPass } from '../run-record.js';
import { inconclusive, type Inconclusive } from '../vector-report.js';
import { portsOf, withLateFrames } from '../judged-vector.js';
import { applyEvent, type AgentState } from './agent-state.js';
import { withLearnedFlows } from './learned-flows.js';
import type { Reference } from '../../testbeds/reference.js';

export interface TimelineContext {
  readonly controlPlane: ControlPlane<Topology>;
  readonly seed: number;
  readonly openReal: (plan: ClusterPlan) => Promise<Switches>;
  /** What the switches are compared with; the model unless given. */
  readonly openReference?: (
    plan: ClusterPlan,
    versions: Switches['versions'],
  ) => Promise<Reference>;
  /** What agents do of what they should, where a fault is planted; by default all of it. */
  readonly faulty?: (steps: readonly AgentStep[], event: TimelineEvent) => readonly AgentStep[];
  /** Called after each step. */
  readonly onJudged?: (judged: JudgedStep) => void;
}

/** One step as it was judged. */
export interface JudgedStep {
  /** Its place, from 1 on, and what it is: `7 pod p4 leaves`. */
  readonly id: string;
  readonly step: SequenceStep;
  /** L0, of a vector. */
  readonly intent?: Intent;
  readonly verdict: VerdictKind;
  readonly counts: Counts;
  readonly differences: readonly Difference[];
  readonly inconclusive?: Inconclusive;
  /** What real switches did, of a vector that was played to its end. */
  readonly seen?: {
    readonly passes: readonly ObservedVectorPass[];
    readonly aftermath: FinalState;
  };
  /** What agents did, of an event, and what there is since. */
  readonly done?: {
    readonly steps: readonly AgentStep[];
    readonly topology: Topology;
    readonly plan: ClusterPlan;
  };
}

/**
 * Plays until the first step that does not conform: what comes after would only follow from it, and
 * is left out.
 */
export async function playTimeline(
  context: TimelineContext,
  timeline: Sequence,
): Promise<readonly JudgedStep[]> {
  const judged: JudgedStep[] = [];
  const plan = context.controlPlane.plan(timeline.cluster);
  const played = await attempt(async () => {
    const real = await context.openReal(plan);
    let reference: Reference = openModel(plan, real.versions);
    try {
      reference = (await context.openReference?.(plan, real.versions)) ?? reference;
      const run: TimelineRun = {
        context,
        real,
        model: reference,
        memories: { model: noMemories(), real: noMemories() },
        agentState: { agentViews: { cluster: timeline.cluster, stale: new Map() }, plan },
        promiseState: initialPromiseState(timeline.cluster, context.controlPlane.promises),
        unsweptNodes: new Set(),
        freshPrograms: new Map(),
        readBack: 'all',
        parseCache: new Map(),
      };
      const lastEvent = timeline.steps.findLast(({ kind }) => kind !== 'vector');
      for (const step of timeline.steps) {
        if (step === lastEvent) run.readBack = 'all';
        const id = `${judged.length + 1} ${describeStep(step)}`;
        const judgement = await judgeStep(run, step);
        const isEnd =
          step === timeline.steps.at(-1) &&
          step.kind === 'vector' &&
          judgement.verdict === 'conforms';
        const result = {
          id,
          step,
          ...(isEnd ? await judgeFinalProgram(run, judgement) : judgement),
        };
        if (result.differences.length > 0) await assertUndisturbed(reference, real);
        judged.push(result);
        context.onJudged?.(result);
        if (result.verdict !== 'conforms') break;
      }
    } finally {
      await Promise.all([real.close(), reference.close()]);
    }
  });
  if (played.kind === 'ok') return judged;
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

interface TimelineRun {
  readonly context: TimelineContext;
  readonly model: Reference;
  readonly real: Switches;
  readonly memories: { readonly model: HostMemories; readonly real: HostMemories };
  agentState: AgentState;
  promiseState: PromiseState;
  /** Nodes whose agents have restarted and have not swept yet. */
  unsweptNodes: ReadonlySet<string>;
  /** What a fresh install of these nodes has. */
  readonly freshPrograms: Map<NodePlan, readonly DumpedProgram[]>;
  /**
   * Whether all switches are read back behind the next event, and not only those that it tells
   * something.
   */
  readBack: 'all' | 'the agents that are informed';
  readonly parseCache: ParseCache;
}

type StepJudgement = Omit<JudgedStep, 'id' | 'step'>;

async function judgeStep(run: TimelineRun, step: SequenceStep): Promise<StepJudgement> {
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

async function judgeVector(run: TimelineRun, { id, stimulus }: TestVector): Promise<StepJudgement> {
  const {
    model,
    real,
    memories,
    context,
    agentState: { plan },
  } = run;
  const intent = expectedIntent(
    context.controlPlane.known ?? [],
    promisedIntent(run.promiseState, stimulus),
  );
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
    await real.strays(),
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
    ports: portsOf(plan),
    nodes: plan.nodes,
  });
  const differences = comparison.differences(
    comparison.diverges
      ? compareProgram(await model.program(), await real.program()).differences
      : [],
  );
  const [observedPass] = passes.map((one) => one.real);
  const outcome = observedPass === undefined ? intent : outcomeOf(intent, stimulus, observedPass);
  run.promiseState = afterStimulus(run.promiseState, stimulus, outcome, observedPass?.notes);
  return {
    intent,
    ...verdictFrom(differences, comparison.counts),
    seen: {
      passes: passes.map(({ real: frames }) => ({ pass, real: frames })),
      aftermath: observed,
    },
  };
}

async function finalStateOf(testbed: Testbed) {
  return { counts: await testbed.counts(), state: await testbed.state() };
}

async function judgeEvent(run: TimelineRun, event: TimelineEvent): Promise<StepJudgement> {
  const { model, real, memories, context } = run;
  const { steps, ...agentState } = applyEvent(context.controlPlane, run.agentState, event);
  const strayFrames: Difference[] = [];
  const appliedSteps = context.faulty?.(steps, event) ?? steps;
  for (const step of appliedSteps) {
    if (step.kind !== 'change') {
      await model.reconfigure(step);
      await real.reconfigure(step);
      continue;
    }
    await model.call([step], oracleFrom(real));
    const [seen] = await real.call([step]);
    strayFrames.push(
      ...(seen?.outputs ?? []).map(({ port }) => strayFrameDuring(event, step.node, port)),
    );
  }
  run.agentState = agentState;
  run.promiseState = afterEvent(run.promiseState, event);
  run.unsweptNodes = unsweptAfter(run.unsweptNodes, event);
  for (const memory of [memories.model, memories.real]) forgetHostsOutside(memory, agentState.plan);
  const { differences, counts } = await comparePrograms(
    run,
    new Set(steps.map(({ node }) => node)),
  );
  return {
    ...verdictFrom([...strayFrames, ...differences], counts),
    done: { steps: appliedSteps, topology: agentState.agentViews.cluster, plan: agentState.plan },
  };
}

/**
 * The switches hold what the model does, and where no agent has still something to do, what a fresh
 * install of the plan would, and what packets have made its flows learn. Behind the first event and
 * the last all are read back, and otherwise those that were told something: which flows the others
 * hold shows in their counters, and with which actions, behind the last event.
 */
async function comparePrograms(
  run: TimelineRun,
  changedNodes: ReadonlySet<string>,
): Promise<{ readonly differences: readonly Difference[]; readonly counts: Counts }> {
  const {
    model,
    real,
    agentState: { plan },
    promiseState: { unprogrammed },
    unsweptNodes,
    freshPrograms,
    parseCache,
    readBack,
  } = run;
  const nodes = plan.nodes.filter(({ node }) => readBack === 'all' || changedNodes.has(node));
  run.readBack = 'the agents that are informed';
  const seen = nodes.length === 0 ? [] : await real.program(new Set(nodes.map(({ node }) => node)));
  const [converged, others] = partition(
    nodes,
    ({ node }) => !unprogrammed.has(node) && !unsweptNodes.has(node),
  );
  for (const node of converged)
    if (!freshPrograms.has(node))
      freshPrograms.set(node, await openModel({ nodes: [node] }, real.versions).program());
  const of = (some: readonly NodePlan[]) =>
    seen.filter((bridge) => some.some(({ node }) => node === bridge.node));
  const wanted = withLearnedFlows(
    converged.flatMap((node) => freshPrograms.get(node) ?? []),
    await model.program(new Set(converged.map(({ node }) => node))),
  );
  const comparisons = [
    { about: 'as a fresh install has it', ...compareProgram(wanted, of(converged), parseCache) },
    {
      about: 'as the model has it',
      ...compareProgram(
        await model.program(new Set(others.map(({ node }) => node))),
        of(others),
        parseCache,
      ),
    },
  ];
  return {
    differences: comparisons.flatMap(({ about, differences }) =>
      differences.map((difference) => programDifference(difference, about)),
    ),
    counts: addCounts(comparisons.map(({ count }) => ({ ...noCounts, program: count }))),
  };
}

/** With what all switches hold when the timeline is over, held against the model. */
async function judgeFinalProgram(
  { model, real, parseCache }: TimelineRun,
  last: StepJudgement,
): Promise<StepJudgement> {
  const { differences, count } = compareProgram(
    await model.program(),
    await real.program(),
    parseCache,
  );
  const finalDifferences = differences.map((difference) =>
    programDifference(difference, 'at the end'),
  );
  const counts = addCounts([last.counts, { ...noCounts, program: count }]);
  return { ...last, ...verdictFrom(finalDifferences, counts) };
}

function partition<T>(
  all: readonly T[],
  belongs: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}

function verdictFrom(differences: readonly Difference[], counts: Counts): StepJudgement {
  const missing = whatIsMissing(counts);
  const marked = differences.map((difference, index) => ({
    ...difference,
    afterDivergence: index > 0,
  }));
  return {
    verdict: verdictOn(differences, counts),
    counts,
    differences: marked,
    ...(missing === undefined
      ? {}
      : { inconclusive: { cause: missing, evidence: [], remedies: [] } }),
  };
}

function unsweptAfter(
  unsweptNodes: ReadonlySet<string>,
  event: TimelineEvent,
): ReadonlySet<string> {
  if (event.kind === 'agent restarts') return new Set([...unsweptNodes, event.node]);
  return event.kind === 'agent sweeps'
    ? new Set([...unsweptNodes].filter((node) => node !== event.node))
    : unsweptNodes;
}

function programDifference(difference: ProgramDifference, about: string): Difference {
  const { what, ...texts } = describeProgramDifference(difference);
  const { bridge, node } = difference.of;
  return {
    aspect: 'program',
    between: 'model and switch',
    summary: `${bridge} on ${node} has not, ${about}: ${what}`,
    ...texts,
    afterDivergence: false,
  };
}

function strayFrameDuring(event: TimelineEvent, node: string, port: string): Difference {
  return {
    aspect: 'silence',
    between: 'model and switch',
    summary: `a frame came out of ${port} on ${node} while ${describeStep(event)}`,
    expected: 'nothing',
    actual: 'a frame',
    afterDivergence: false,
  };
}
