/** A history on the model and on real switches in step, judged after each of its steps. */
import { attempt } from '../../base/outcome.js';
import { Unsupported } from '../../base/errors.js';
import {
  compareProgram,
  toldOf,
  type KnownTexts,
  type ProgramDifference,
} from '../../compare/program.js';
import { compareVector, type Aftermath } from '../../compare/vector.js';
import type { AgentStep } from '../../control/changes.js';
import { runStimulus } from '../../fabric/fabric.js';
import { forgetOthers, noMemories, type HostMemories } from '../../fabric/host.js';
import { afterwards, beginning, happened, promised, type Course } from '../../intent/course.js';
import { outcomeOf } from '../../compare/intent.js';
import { expectedOf } from '../../nouns/known-divergence.js';
import {
  describeStep,
  type History,
  type HistoryEvent,
  type HistoryStep,
} from '../../nouns/history.js';
import type { Intent } from '../../nouns/intent.js';
import type { ClusterPlan, ControlPlane, NodePlan } from '../../nouns/plan.js';
import type { Topology } from '../../nouns/topology.js';
import type { TestVector } from '../../nouns/vector.js';
import {
  addCounts,
  noCounts,
  verdictOn,
  whatIsMissing,
  type Counts,
  type Difference,
  type VerdictKind,
} from '../../nouns/verdict.js';
import { openModel, type ModelTestbed } from '../../testbeds/model/model.js';
import type { HeldProgram, Switches, Testbed } from '../../testbeds/testbed.js';
import { draw, playPass, takeUp, witness } from '../drive.js';
import type { SeenPass } from '../record.js';
import { inconclusive, type Inconclusive } from '../report.js';
import { portsOf, withStrays } from '../vector-run.js';
import { eventOf, type Held } from './agents.js';
import { withLearned } from './learned.js';

export interface HistoryStage {
  readonly controlPlane: ControlPlane<Topology>;
  readonly seed: number;
  readonly openReal: (plan: ClusterPlan) => Promise<Switches>;
  /** What agents do of what they should, where a fault is planted; all of it unless told. */
  readonly faulty?: (steps: readonly AgentStep[], event: HistoryEvent) => readonly AgentStep[];
  /** Told behind each step. */
  readonly onJudged?: (judged: JudgedStep) => void;
}

/** One step as it was judged. */
export interface JudgedStep {
  /** Its place, from 1 on, and what it is: `7 pod p4 leaves`. */
  readonly id: string;
  readonly step: HistoryStep;
  /** L0, of a vector. */
  readonly intent?: Intent;
  readonly verdict: VerdictKind;
  readonly counts: Counts;
  readonly differences: readonly Difference[];
  readonly inconclusive?: Inconclusive;
  /** What real switches did, of a vector that was played to its end. */
  readonly seen?: { readonly passes: readonly SeenPass[]; readonly aftermath: Aftermath };
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
export async function playHistory(
  stage: HistoryStage,
  history: History,
): Promise<readonly JudgedStep[]> {
  const judged: JudgedStep[] = [];
  const plan = stage.controlPlane.plan(history.cluster);
  const played = await attempt(async () => {
    const real = await stage.openReal(plan);
    try {
      const playing: Playing = {
        stage,
        real,
        model: openModel(plan, real.versions),
        memories: { model: noMemories(), real: noMemories() },
        held: { hearing: { cluster: history.cluster, behind: new Map() }, plan },
        course: beginning(history.cluster),
        sweeping: new Set(),
        fresh: new Map(),
        reading: 'all',
        known: new Map(),
      };
      const lastEvent = history.steps.findLast(({ kind }) => kind !== 'vector');
      for (const step of history.steps) {
        if (step === lastEvent) playing.reading = 'all';
        const id = `${judged.length + 1} ${describeStep(step)}`;
        const judgement = await judgeStep(playing, step);
        const isEnd =
          step === history.steps.at(-1) &&
          step.kind === 'vector' &&
          judgement.verdict === 'conforms';
        const result = { id, step, ...(isEnd ? await atTheEnd(playing, judgement) : judgement) };
        judged.push(result);
        stage.onJudged?.(result);
        if (result.verdict !== 'conforms') break;
      }
    } finally {
      await real.close();
    }
  });
  if (played.kind === 'ok') return judged;
  const step = history.steps[judged.length];
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

interface Playing {
  readonly stage: HistoryStage;
  readonly model: ModelTestbed;
  readonly real: Switches;
  readonly memories: { readonly model: HostMemories; readonly real: HostMemories };
  held: Held;
  course: Course;
  /** Nodes whose agents have started anew and have not swept yet. */
  sweeping: ReadonlySet<string>;
  /** What a fresh install of these nodes has. */
  readonly fresh: Map<NodePlan, readonly HeldProgram[]>;
  /**
   * Whether all switches are read back behind the next event, and not only those that it tells
   * something.
   */
  reading: 'all' | 'those that are told';
  readonly known: KnownTexts;
}

type Judgement = Omit<JudgedStep, 'id' | 'step'>;

async function judgeStep(playing: Playing, step: HistoryStep): Promise<Judgement> {
  try {
    return step.kind === 'vector'
      ? await judgeVector(playing, step.vector)
      : await judgeEvent(playing, step);
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

async function judgeVector(playing: Playing, { id, stimulus }: TestVector): Promise<Judgement> {
  const {
    model,
    real,
    memories,
    stage,
    held: { plan },
  } = playing;
  const intent = expectedOf(stage.controlPlane.known ?? [], promised(playing.course, stimulus));
  const draws = draw(stage.seed, id);
  const before = model.traces().length;
  const modelFabric = runStimulus(plan, stimulus, draws, memories.model);
  const {
    parting: parted,
    answers,
    ...seen
  } = await playPass(model, real, [modelFabric, runStimulus(plan, stimulus, draws, memories.real)]);
  // Its hosts remember as well, for the vector at which the sides part.
  if (parted === undefined) takeUp(modelFabric, answers);
  const [predicted, observed] = [await aftermath(model), await aftermath(real)];
  const pass = { name: 'cold', stimulus } as const;
  const [played] = withStrays(
    [{ ...seen, pass, lookups: { hit: 0, missed: 0 }, traces: model.traces().slice(before) }],
    await real.strays(),
  );
  const passes = played === undefined ? [] : [{ ...played, intent }];
  const traces = model.traces();
  const comparison = compareVector({
    passes,
    model: predicted,
    real: observed,
    parting: parted ?? {
      modelCounts: predicted.counts,
      realCounts: observed.counts,
      traces,
      earlier: traces,
    },
    ports: portsOf(plan),
  });
  const differences = comparison.differences(
    comparison.parts ? compareProgram(await model.program(), await real.program()).differences : [],
  );
  const [happenedIn] = passes.map((one) => one.real);
  const outcome = happenedIn === undefined ? intent : outcomeOf(intent, stimulus, happenedIn);
  playing.course = afterwards(playing.course, stimulus, outcome, happenedIn?.notes);
  return {
    intent,
    ...verdictFrom(differences, comparison.counts),
    seen: {
      passes: passes.map(({ real: frames }) => ({ pass, real: frames })),
      aftermath: observed,
    },
  };
}

async function aftermath(testbed: Testbed) {
  return { counts: await testbed.counts(), state: await testbed.state() };
}

async function judgeEvent(playing: Playing, event: HistoryEvent): Promise<Judgement> {
  const { model, real, memories, stage } = playing;
  const { steps, ...held } = eventOf(stage.controlPlane, playing.held, event);
  const escaped: Difference[] = [];
  const carriedOut = stage.faulty?.(steps, event) ?? steps;
  for (const step of carriedOut) {
    if (step.kind !== 'change') {
      await model.reconfigure(step);
      await real.reconfigure(step);
      continue;
    }
    await model.call([step], witness(real));
    const [seen] = await real.call([step]);
    escaped.push(...(seen?.outputs ?? []).map(({ port }) => frameDuring(event, step.node, port)));
  }
  playing.held = held;
  playing.course = happened(playing.course, event);
  playing.sweeping = sweepingBehind(playing.sweeping, event);
  for (const memory of [memories.model, memories.real]) forgetOthers(memory, held.plan);
  const { differences, counts } = await comparePrograms(
    playing,
    new Set(steps.map(({ node }) => node)),
  );
  return {
    ...verdictFrom([...escaped, ...differences], counts),
    done: { steps: carriedOut, topology: held.hearing.cluster, plan: held.plan },
  };
}

/**
 * The switches hold what the model does, and where no agent has still something to do, what a fresh
 * install of the plan would, and what packets have made its flows learn. Behind the first event and
 * the last all are read back, and otherwise those that were told something: which flows the others
 * hold shows in their counters, and with which actions, behind the last event.
 */
async function comparePrograms(
  playing: Playing,
  told: ReadonlySet<string>,
): Promise<{ readonly differences: readonly Difference[]; readonly counts: Counts }> {
  const {
    model,
    real,
    held: { plan },
    course: { dark },
    sweeping,
    fresh,
    known,
    reading,
  } = playing;
  const nodes = plan.nodes.filter(({ node }) => reading === 'all' || told.has(node));
  playing.reading = 'those that are told';
  const seen = nodes.length === 0 ? [] : await real.program(new Set(nodes.map(({ node }) => node)));
  const [settled, others] = partition(nodes, ({ node }) => !dark.has(node) && !sweeping.has(node));
  for (const node of settled)
    if (!fresh.has(node))
      fresh.set(node, await openModel({ nodes: [node] }, real.versions).program());
  const of = (some: readonly NodePlan[]) =>
    seen.filter((bridge) => some.some(({ node }) => node === bridge.node));
  const wanted = withLearned(
    settled.flatMap((node) => fresh.get(node) ?? []),
    await model.program(new Set(settled.map(({ node }) => node))),
  );
  const comparisons = [
    { about: 'as a fresh install has it', ...compareProgram(wanted, of(settled), known) },
    {
      about: 'as the model has it',
      ...compareProgram(
        await model.program(new Set(others.map(({ node }) => node))),
        of(others),
        known,
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

/** With what all switches hold when the history is over, held against the model. */
async function atTheEnd({ model, real, known }: Playing, last: Judgement): Promise<Judgement> {
  const { differences, count } = compareProgram(await model.program(), await real.program(), known);
  const told = differences.map((difference) => programDifference(difference, 'at the end'));
  const counts = addCounts([last.counts, { ...noCounts, program: count }]);
  return { ...last, ...verdictFrom(told, counts) };
}

function partition<T>(
  all: readonly T[],
  belongs: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}

function verdictFrom(differences: readonly Difference[], counts: Counts): Judgement {
  const missing = whatIsMissing(counts);
  const told = differences.map((difference, index) => ({
    ...difference,
    afterDivergence: index > 0,
  }));
  return {
    verdict: verdictOn(differences, counts),
    counts,
    differences: told,
    ...(missing === undefined
      ? {}
      : { inconclusive: { cause: missing, evidence: [], remedies: [] } }),
  };
}

function sweepingBehind(sweeping: ReadonlySet<string>, event: HistoryEvent): ReadonlySet<string> {
  if (event.kind === 'agent restarts') return new Set([...sweeping, event.node]);
  return event.kind === 'agent sweeps'
    ? new Set([...sweeping].filter((node) => node !== event.node))
    : sweeping;
}

function programDifference(difference: ProgramDifference, about: string): Difference {
  const { what, ...texts } = toldOf(difference);
  const { bridge, node } = difference.of;
  return {
    aspect: 'program',
    between: 'model and switch',
    summary: `${bridge} on ${node} has not, ${about}: ${what}`,
    ...texts,
    afterDivergence: false,
  };
}

function frameDuring(event: HistoryEvent, node: string, port: string): Difference {
  return {
    aspect: 'silence',
    between: 'model and switch',
    summary: `a frame came out of ${port} on ${node} while ${describeStep(event)}`,
    expected: 'nothing',
    actual: 'a frame',
    afterDivergence: false,
  };
}
