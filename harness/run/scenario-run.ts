/** One scenario at one point of its matrix: the model and real switches in step, vector by vector. */
import { canonicalJson, sha256 } from '../base/digest.js';
import { Unavailable, Unsupported } from '../base/errors.js';
import { attempt } from '../base/outcome.js';
import { compareProgram } from '../compare/program.js';
import { compareVector, type Witness } from '../compare/vector.js';
import type { Observation } from '../nouns/observation.js';
import type { ClusterPlan } from '../nouns/plan.js';
import type { Scenario } from '../nouns/scenario.js';
import { formatFlowId } from '../nouns/switching.js';
import type { Topology } from '../nouns/topology.js';
import type { TestVector } from '../nouns/vector.js';
import { addCounts, noCounts, worst, type Counts, type Difference } from '../nouns/verdict.js';
import { openModel, type ModelTestbed } from '../testbeds/model/model.js';
import type { Stray, Testbed } from '../testbeds/testbed.js';
import { playInStep } from './drive.js';
import type { Inconclusive, ScenarioReport, VectorReport } from './report.js';

export interface ScenarioRunOptions {
  readonly seed: number;
  /** Brings real switches up and programs them. */
  readonly openReal: (plan: ClusterPlan) => Promise<Testbed>;
  /** Real milliseconds since some fixed point, for durations that people read. */
  readonly nowMs: () => number;
  /** Told before each vector. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Called once the switches are programmed and checked: the self-test plants its faults here. */
  readonly afterProgramming?: (real: Testbed) => Promise<void>;
  /** Runs only vectors whose id begins with this. */
  readonly only?: (vector: TestVector) => boolean;
}

export interface ScenarioRun {
  readonly report: ScenarioReport;
  readonly versions: Readonly<Record<string, string>>;
}

/** @throws InputError when the scenario's topology or flows are wrong; environment failures become `inconclusive`. */
export async function runScenario(scenario: Scenario, axes: Readonly<Record<string, string>>, options: ScenarioRunOptions): Promise<ScenarioRun> {
  const startedMs = options.nowMs();
  const topology = scenario.topology(axes);
  const plan = scenario.controlPlane.plan(topology);
  const vectors = scenario.vectors(topology).filter((vector) => options.only?.(vector) ?? true);
  const model = openModel(plan);
  const opened = await attempt(() => options.openReal(plan));
  const finish = (part: Pick<ScenarioReport, 'program' | 'vectors'> & { counts: Counts; inconclusive?: Inconclusive }, observed: string, versions: ScenarioRun['versions']): ScenarioRun => {
    const kinds = [...part.vectors.map(({ verdict }) => verdict), part.program.length > 0 ? ('diverges' as const) : ('conforms' as const), ...(part.inconclusive === undefined ? [] : (['inconclusive'] as const))];
    const counts = addCounts([part.counts, ...part.vectors.map((vector) => vector.counts)]);
    return {
      versions,
      report: {
        name: scenario.name,
        title: scenario.title,
        axes: { ...axes },
        verdict: vectors.length === 0 ? 'inconclusive' : worst(kinds),
        traceHash: sha256(observed),
        durationMs: Math.round(options.nowMs() - startedMs),
        ...part,
        counts,
      },
    };
  };
  if (opened.kind === 'unavailable') {
    const cause = inconclusive(opened.cause);
    return finish({ program: [], vectors: vectors.map((vector) => unjudged(scenario, topology, vector, cause)), counts: noCounts, inconclusive: cause }, '', {});
  }
  const real = opened.value;
  try {
    const programmed = await attempt(async () => {
      const comparison = compareProgram(await model.program(), await real.program());
      await options.afterProgramming?.(real);
      return comparison;
    });
    if (programmed.kind === 'unavailable') {
      const cause = inconclusive(programmed.cause);
      return finish({ program: [], vectors: vectors.map((vector) => unjudged(scenario, topology, vector, cause)), counts: noCounts, inconclusive: cause }, '', real.versions);
    }
    const program = programmed.value.differences.map(({ flow, expected, actual }): Difference => ({
      aspect: 'program',
      between: 'model and switch',
      summary: `${flow.bridge} on ${flow.node}: ${formatFlowId(flow)}`,
      expected: expected ?? 'no such flow',
      actual: actual ?? 'no such flow',
      afterDivergence: false,
    }));
    const judged = await judgeVectors({ scenario, topology, plan, model, real, options }, vectors);
    const observed = judged.map(({ observed: trace }) => trace).join('\n');
    return finish({ program, vectors: judged.map(({ report }) => report), counts: { ...noCounts, program: programmed.value.count } }, observed, real.versions);
  } finally {
    await real.close();
  }
}

interface Stage {
  readonly scenario: Scenario;
  readonly topology: Topology;
  readonly plan: ClusterPlan;
  readonly model: ModelTestbed;
  readonly real: Testbed;
  readonly options: ScenarioRunOptions;
}

interface Judged {
  readonly report: VectorReport;
  /** What was observed of the real switches, as canonical text. */
  readonly observed: string;
}

async function judgeVectors(stage: Stage, vectors: readonly TestVector[]): Promise<readonly Judged[]> {
  const ports = portsOf(stage.plan);
  const judged: Judged[] = [];
  let gone: Inconclusive | undefined;
  for (const vector of vectors) {
    stage.options.onProgress?.(judged.length, vectors.length);
    if (gone !== undefined) {
      judged.push({ report: unjudged(stage.scenario, stage.topology, vector, gone), observed: '' });
      continue;
    }
    const outcome = await attempt(() => judgeVector(stage, vector, ports)).catch(whatIsUnknown);
    if (outcome.kind === 'ok') judged.push(outcome.value);
    else judged.push({ report: unjudged(stage.scenario, stage.topology, vector, inconclusive(outcome.cause)), observed: '' });
    // Switches that failed once are not trusted again: what comes after stays open, and nothing is tried twice.
    if (outcome.kind === 'unavailable') gone = inconclusive(outcome.cause);
  }
  stage.options.onProgress?.(vectors.length, vectors.length);
  return judged;
}

async function judgeVector(stage: Stage, vector: TestVector, ports: ReadonlySet<string>): Promise<Judged> {
  const { scenario, topology, plan, model, real, options } = stage;
  const { stimulus } = vector;
  await Promise.all([model.reset(), real.reset()]);
  const intent = scenario.intent(topology, stimulus);
  const played = await playInStep(model, real, plan, vector, options.seed);
  const predicted: Witness = { observation: played.model, counts: await model.counts() };
  const realCounts = await real.counts();
  const seen: Witness = { observation: withStrays(played.real, await real.strays()), counts: realCounts };
  const parting = played.parting ?? { modelCounts: predicted.counts, realCounts: seen.counts, traces: model.traces() };
  const comparison = compareVector({ stimulus, intent, model: predicted, real: seen, parting, ports });
  const program = comparison.parts ? compareProgram(await model.program(), await real.program()).differences : [];
  const differences = comparison.differences(program);
  return {
    report: {
      id: vector.id,
      stimulus: { ...stimulus },
      intent: { ...intent },
      verdict: differences.length > 0 ? 'diverges' : 'conforms',
      counts: comparison.counts,
      differences: [...differences],
    },
    observed: canonicalTrace(vector, seen),
  };
}

/** Frames that came out after all was over belong to the vector that was just played. */
function withStrays(observation: Observation, strays: readonly Stray[]): Observation {
  const timeUs = observation.frames.at(-1)?.timeUs ?? 0;
  return { ...observation, frames: [...observation.frames, ...strays.map((stray) => ({ ...stray, timeUs, direction: 'out' as const }))] };
}

function canonicalTrace(vector: TestVector, { observation, counts }: Witness): string {
  const frames = observation.frames.map((event) => ({ ...event, frame: Buffer.from(event.frame).toString('hex') }));
  const rose = counts.filter(({ packets }) => packets > 0).map(({ flow, packets }) => `${flow.node} ${flow.bridge} ${formatFlowId(flow)}: ${packets}`).sort();
  return canonicalJson({ id: vector.id, frames, notes: observation.notes, counters: rose });
}

/** Something that model or intent do not know costs this vector its verdict, and no other. */
function whatIsUnknown(error: unknown): { readonly kind: 'unknown'; readonly cause: Unsupported } {
  if (error instanceof Unsupported) return { kind: 'unknown', cause: error };
  throw error;
}

/** A vector without a verdict, and why: never a pass. Both judgements of intent are counted as expected and not made. */
function unjudged(scenario: Scenario, topology: Topology, vector: TestVector, cause: Inconclusive): VectorReport {
  return {
    id: vector.id,
    stimulus: { ...vector.stimulus },
    intent: { ...promised(scenario, topology, vector) },
    verdict: 'inconclusive',
    counts: { ...noCounts, intent: { expected: 2, made: 0, skipped: 0 } },
    differences: [],
    inconclusive: cause,
  };
}

function promised(scenario: Scenario, topology: Topology, { stimulus }: TestVector): VectorReport['intent'] {
  try {
    return { ...scenario.intent(topology, stimulus) };
  } catch (error) {
    return { kind: 'unknown', why: whatIsUnknown(error).cause.message };
  }
}

function inconclusive(cause: Unavailable | Unsupported): Inconclusive {
  return cause instanceof Unavailable ? { cause: cause.message, evidence: [...cause.evidence], remedies: [...cause.remedies] } : { cause: cause.message, evidence: [], remedies: [] };
}

/** Every port that frames can be seen at: all but tunnels, whose frames show at the uplink. */
function portsOf(plan: ClusterPlan): ReadonlySet<string> {
  return new Set(
    plan.nodes.flatMap(({ node, bridges }) =>
      bridges.flatMap((bridge) => [bridge.name, ...bridge.ports.filter(({ kind }) => kind !== 'tunnel').map(({ name }) => name)].map((port) => `${node} ${port}`)),
    ),
  );
}
