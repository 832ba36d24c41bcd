/**
 * A scenario at one point of its matrix, dealt out to several clusters: its lanes. What comes of
 * them together does not depend on how many there are, nor on who plays them.
 */
import { assert } from '../base/errors.js';
import { attempt } from '../base/outcome.js';
import { compareProgram, type KnownTexts } from '../compare/program.js';
import type { History } from '../nouns/history.js';
import type { ClusterPlan } from '../nouns/plan.js';
import type { Scenario } from '../nouns/scenario.js';
import type { TestVector } from '../nouns/vector.js';
import { openModel } from '../testbeds/model/model.js';
import type { Switches } from '../testbeds/testbed.js';
import { approachOf, heldAtTheEnd, takeApproach, type Approach } from './approach.js';
import { judgeHistory, type HistoryOutcome } from './history/judge.js';
import type { Depth } from './passes.js';
import { inconclusive, type Inconclusive } from './report.js';
import type { ScenarioOutcome } from './scenario-outcome.js';
import { unitsOf, type Unit } from './units.js';
import { judgeUnits, leftOpen, type Judged, type Stage } from './vector-run.js';

export interface LaneOptions {
  readonly seed: number;
  /** Which passes each vector is played in; all of them unless told. */
  readonly depth?: Depth;
  /**
   * Brings real switches up and programs them; once a lane. Where the point of the matrix comes
   * after another, they are changed then.
   */
  readonly openReal: (plan: ClusterPlan, lane: Lane) => Promise<Switches>;
  /**
   * Of Open vSwitch, as those switches will tell it: what it cannot have is left away from the plan
   * (`adaptedTo`); nothing is where it is not known.
   */
  readonly version?: string;
  /** Called once the switches are programmed and checked: the self-test plants its faults here. */
  readonly afterProgramming?: (real: Switches) => Promise<void>;
  /** Runs only the vectors for which this holds; a history is played whole. */
  readonly only?: (vector: TestVector) => boolean;
}

/** Which of them, counted from 0. */
export interface Lane {
  readonly index: number;
  readonly of: number;
}

/** With a history, what became of it. */
export type LaneOutcome = ScenarioOutcome & Partial<Pick<HistoryOutcome, 'history'>>;

/** What is played: vectors one after the other, or a history with vectors of its own. */
export interface Piece {
  readonly approach: Approach;
  readonly setting: Omit<Stage, 'model' | 'onJudged'>;
  readonly vectors: readonly TestVector[];
  readonly history?: History;
}

/** @throws InputError when the scenario's topology or flows are wrong. */
export function pieceOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  { seed, depth = 'all', version = 'unknown', only = () => true }: Omit<LaneOptions, 'openReal'>,
): Piece {
  const approach = approachOf(scenario, axes, version);
  const { topology, plan } = approach;
  const setting = { scenario, topology, plan, seed, depth };
  const history = scenario.history?.(axes);
  if (history === undefined)
    return { approach, setting, vectors: scenario.vectors(topology).filter(only) };
  return {
    approach,
    setting,
    history,
    vectors: history.steps.flatMap((step) => (step.kind === 'vector' ? [step.vector] : [])),
  };
}

/** Fewer are played sooner than another cluster is brought up. */
const fewestALane = 50;

/** As many as `most`, where there is enough for them; a history is one. */
export function lanesOf({ history, vectors }: Piece, most: number): readonly Lane[] {
  const of =
    history === undefined
      ? Math.max(
          1,
          Math.min(most, unitsOf(vectors).length, Math.floor(vectors.length / fewestALane)),
        )
      : 1;
  return Array.from({ length: of }, (_, index) => ({ index, of }));
}

/** @param onJudged called behind each vector. */
export async function playLane(
  { approach, setting, vectors, history }: Piece,
  lane: Lane,
  options: LaneOptions,
  onJudged: () => void,
): Promise<LaneOutcome> {
  const { afterProgramming, version = 'unknown' } = options;
  const openReal = (plan: ClusterPlan) => options.openReal(plan, lane);
  if (history !== undefined)
    return await judgeHistory({ ...setting, onJudged }, history, {
      openReal,
      version,
      ...(afterProgramming === undefined ? {} : { afterProgramming }),
    });
  const units = unitsOf(vectors).filter((_, index) => index % lane.of === lane.index);
  return await carryOut(
    { ...setting, model: openModel(setting.plan), onJudged },
    approach.before,
    units,
    { openReal, ...(afterProgramming === undefined ? {} : { afterProgramming }) },
  );
}

/** What came of all lanes, told in the order of the vectors. */
export function joined({ vectors, history }: Piece, outcomes: readonly LaneOutcome[]): LaneOutcome {
  const [first] = outcomes;
  assert(first !== undefined, 'there is a lane');
  if (history !== undefined) return first;
  const left = outcomes.map(({ judged }) => judged.values());
  const judged = new Map(
    unitsOf(vectors).flatMap((unit, index) =>
      unit.map((vector) => {
        const next = left[index % left.length]?.next().value;
        assert(next?.report.id === vector.id, `a lane tells of ${vector.id}`);
        return [vector, next] as const;
      }),
    ),
  );
  const gone = outcomes.find((outcome) => outcome.gone !== undefined)?.gone;
  return {
    program: outcomes.find(({ program }) => program.length > 0)?.program ?? [],
    programCount:
      outcomes.find(({ programCount }) => programCount.made < programCount.expected)
        ?.programCount ?? first.programCount,
    judged: vectors.flatMap((vector) => judged.get(vector) ?? []),
    versions: first.versions,
    ...(gone === undefined ? {} : { gone }),
  };
}

interface Carrying {
  readonly openReal: (plan: ClusterPlan) => Promise<Switches>;
  readonly afterProgramming?: (real: Switches) => Promise<void>;
}

async function carryOut(
  stage: Stage,
  before: Approach['before'],
  units: readonly Unit[],
  { openReal, afterProgramming }: Carrying,
): Promise<ScenarioOutcome> {
  const desired = await stage.model.program();
  const known: KnownTexts = new Map();
  const withoutSwitches = async (
    gone: Inconclusive,
    versions: ScenarioOutcome['versions'],
  ): Promise<ScenarioOutcome> => {
    const { count } = compareProgram(desired, []);
    const judged: Judged[] = [];
    for (const vector of units.flat()) judged.push(await leftOpen(stage, vector, gone));
    return {
      program: [],
      programCount: { ...count, expected: 2 * count.expected, made: 0 },
      judged,
      gone,
      versions,
    };
  };
  const opened = await attempt(() => openReal(before[0]?.plan ?? stage.plan));
  if (opened.kind === 'unavailable') return await withoutSwitches(inconclusive(opened.cause), {});
  const real = opened.value;
  try {
    const programmed = await attempt(async () => {
      const comparison = await takeApproach(before, desired, real, known);
      await afterProgramming?.(real);
      return comparison;
    });
    if (programmed.kind === 'unavailable')
      return await withoutSwitches(inconclusive(programmed.cause), real.versions);
    const model = openModel(stage.plan, real.versions);
    const { judged, gone } = await judgeUnits({ ...stage, model }, real, units);
    const { differences, count } = programmed.value;
    const ended =
      gone === undefined
        ? await attempt(() => heldAtTheEnd(model, real, judged, differences, known))
        : undefined;
    const again = compareProgram(desired, [], known).count.expected;
    return {
      program: [...differences, ...(ended?.kind === 'ok' ? ended.value : [])],
      programCount: {
        ...count,
        expected: count.expected + again,
        made: count.made + (ended?.kind === 'ok' ? again : 0),
      },
      judged,
      versions: real.versions,
      ...(ended?.kind === 'unavailable' ? { gone: inconclusive(ended.cause) } : {}),
    };
  } finally {
    await real.close();
  }
}
