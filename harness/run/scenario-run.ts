/** One scenario at one point of its matrix: the model and real switches in step, vector by vector. */
import { sha256 } from '../base/digest.js';
import { assert } from '../base/errors.js';
import { attempt } from '../base/outcome.js';
import { compareProgram } from '../compare/program.js';
import type { ClusterPlan } from '../nouns/plan.js';
import type { Scenario } from '../nouns/scenario.js';
import type { TestVector } from '../nouns/vector.js';
import { addCounts, noCounts, verdictOn, worst } from '../nouns/verdict.js';
import { policyCoverage } from '../kube/coverage.js';
import type { Network } from '../kube/objects.js';
import { openModel } from '../testbeds/model/model.js';
import type { Switches } from '../testbeds/testbed.js';
import { approachOf, takeApproach, type Approach } from './approach.js';
import { judgeHistory, type HistoryOutcome } from './history/judge.js';
import type { ScenarioOutcome } from './scenario-outcome.js';
import type { Depth } from './passes.js';
import type { ScenarioRecord } from './record.js';
import { inconclusive, type Inconclusive, type ScenarioReport } from './report.js';
import { unitsOf, type Unit } from './units.js';
import { judgeUnits, leftOpen, type Judged, type Stage } from './vector-run.js';

export interface ScenarioRunOptions {
  readonly seed: number;
  /** Which passes each vector is played in; all of them unless told. */
  readonly depth?: Depth;
  /** On how many clusters at most vectors are played at once; on one unless told. What comes of them does not depend on it. */
  readonly lanes?: number;
  /** Brings real switches up and programs them; once a lane. Where the point of the matrix comes after another, they are changed then. */
  readonly openReal: (plan: ClusterPlan) => Promise<Switches>;
  /** Of Open vSwitch, as those switches will tell it: what it cannot have is left away from the plan (`adaptedTo`); nothing is where it is not known. */
  readonly version?: string;
  /** Real milliseconds since some fixed point, for durations that people read. */
  readonly nowMs: () => number;
  /** Told at the beginning, and behind each vector. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called once the switches are programmed and checked: the self-test plants its faults here. */
  readonly afterProgramming?: (real: Switches) => Promise<void>;
  /** Runs only the vectors for which this holds; a history is played whole. */
  readonly only?: (vector: TestVector) => boolean;
}

export interface ScenarioRun {
  readonly report: ScenarioReport;
  readonly record: ScenarioRecord;
  readonly versions: Readonly<Record<string, string>>;
}

/** @throws InputError when the scenario's topology or flows are wrong; environment failures become `inconclusive`. */
export async function runScenario(scenario: Scenario, axes: Readonly<Record<string, string>>, options: ScenarioRunOptions): Promise<ScenarioRun> {
  const startedMs = options.nowMs();
  const { topology, plan, otherwise, before, after } = approachOf(scenario, axes, options.version ?? 'unknown');
  const setting = { scenario, topology, plan, seed: options.seed, depth: options.depth ?? 'all' };
  const { program, programCount, judged, gone, versions, history } = await outcomeOf(setting, before, axes, options);
  const programCounts = { ...noCounts, program: programCount };
  const cause = gone ?? (judged.length === 0 ? { cause: 'there was no vector to run', evidence: [], remedies: [] } : undefined);
  const verdicts = [verdictOn(program, programCounts), ...judged.map(({ report }) => report.verdict), ...(cause === undefined ? [] : (['inconclusive'] as const))];
  return {
    versions,
    record: { topology, plan, vectors: judged.map(({ record }) => record), ...(history === undefined ? {} : { history }) },
    report: {
      name: scenario.name,
      title: scenario.title,
      axes: { ...axes },
      verdict: worst(verdicts),
      traceHash: sha256(judged.map(({ observed }) => observed).join('\n')),
      counts: addCounts([programCounts, ...judged.map(({ report }) => report.counts)]),
      durationMs: Math.round(options.nowMs() - startedMs),
      ...policiesOf(topology),
      ...(otherwise.length === 0 ? {} : { otherwise: [...otherwise] }),
      ...(after === undefined ? {} : { after }),
      program: [...program],
      ...(cause === undefined ? {} : { inconclusive: cause }),
      vectors: judged.map(({ report }) => report),
    },
  };
}

/** How much of the policy language the cluster's policies use. */
function policiesOf({ objects }: Network): Pick<ScenarioReport, 'policies'> {
  const count = objects === undefined ? 0 : objects.networkPolicies.length + objects.clusterNetworkPolicies.length;
  return objects === undefined || count === 0 ? {} : { policies: { count, coverage: { ...policyCoverage(objects) } } };
}

type Setting = Omit<Stage, 'model' | 'onJudged'>;

async function outcomeOf(setting: Setting, before: Approach['before'], axes: Readonly<Record<string, string>>, options: ScenarioRunOptions): Promise<ScenarioOutcome & Partial<Pick<HistoryOutcome, 'history'>>> {
  const { scenario, topology } = setting;
  const history = scenario.history?.(axes);
  if (history === undefined) return await carryOutInLanes(setting, before, scenario.vectors(topology).filter((vector) => options.only?.(vector) ?? true), options);
  const { openReal, afterProgramming, version = 'unknown' } = options;
  const onJudged = progressOf(history.steps.filter(({ kind }) => kind === 'vector').length, options);
  return await judgeHistory({ ...setting, onJudged }, history, { openReal, version, ...(afterProgramming === undefined ? {} : { afterProgramming }) });
}

/** Tells of the beginning, and gives what is to be called behind each of `total` vectors. */
function progressOf(total: number, { onProgress }: ScenarioRunOptions): () => void {
  let done = 0;
  onProgress?.(done, total);
  return () => onProgress?.(++done, total);
}

/** Fewer are played sooner than another cluster is brought up. */
const fewestALane = 50;

/** What is played at once is dealt out one by one, and what came of it is told in the order of the vectors. */
async function carryOutInLanes(setting: Setting, before: Approach['before'], vectors: readonly TestVector[], options: ScenarioRunOptions): Promise<ScenarioOutcome> {
  const units = unitsOf(vectors);
  const lanes = Math.max(1, Math.min(options.lanes ?? 1, units.length, Math.floor(vectors.length / fewestALane)));
  const onJudged = progressOf(vectors.length, options);
  const outcomes = await Promise.all(Array.from({ length: lanes }, (_, lane) =>
    carryOut({ ...setting, model: openModel(setting.plan), onJudged }, before, units.filter((_, index) => index % lanes === lane), options)));
  const [first] = outcomes;
  assert(first !== undefined, 'there is a lane');
  const byVector = new Map(outcomes.flatMap(({ judged }) => judged.map((one) => [one.record.vector, one] as const)));
  const gone = outcomes.find((outcome) => outcome.gone !== undefined)?.gone;
  return {
    program: outcomes.find(({ program }) => program.length > 0)?.program ?? [],
    programCount: outcomes.find(({ programCount }) => programCount.made < programCount.expected)?.programCount ?? first.programCount,
    judged: vectors.flatMap((vector) => byVector.get(vector) ?? []),
    versions: first.versions,
    ...(gone === undefined ? {} : { gone }),
  };
}

async function carryOut(stage: Stage, before: Approach['before'], units: readonly Unit[], { openReal, afterProgramming }: ScenarioRunOptions): Promise<ScenarioOutcome> {
  const desired = await stage.model.program();
  const withoutSwitches = async (gone: Inconclusive, versions: ScenarioRun['versions']): Promise<ScenarioOutcome> => {
    const { count } = compareProgram(desired, []);
    const judged: Judged[] = [];
    for (const vector of units.flat()) judged.push(await leftOpen(stage, vector, gone));
    return { program: [], programCount: { ...count, made: 0 }, judged, gone, versions };
  };
  const opened = await attempt(() => openReal(before[0]?.plan ?? stage.plan));
  if (opened.kind === 'unavailable') return await withoutSwitches(inconclusive(opened.cause), {});
  const real = opened.value;
  try {
    const programmed = await attempt(async () => {
      const comparison = await takeApproach(before, desired, real);
      await afterProgramming?.(real);
      return comparison;
    });
    if (programmed.kind === 'unavailable') return await withoutSwitches(inconclusive(programmed.cause), real.versions);
    const { differences, count } = programmed.value;
    return { program: differences, programCount: count, judged: await judgeUnits({ ...stage, model: openModel(stage.plan, real.versions) }, real, units), versions: real.versions };
  } finally {
    await real.close();
  }
}
