/** Vectors of a cluster that OVN programs, held against ovn-trace: one more check, and no judge. */
import { Unsupported } from '../../base/errors/errors.js';
import {
  compareLogical,
  logicalPackets,
  type LogicalComparison,
} from '../../compare/logical/compare-logical.js';
import { alikeKey } from '../../compare/logical/alike-packets.js';
import { logicalPassages, type LogicalPassage } from '../../compare/logical/logical-passages.js';
import type { LogicalPacket, LogicalTrace } from '../../domain/logical-trace.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { FlowId } from '../../domain/switching.js';
import type { Observation } from '../../domain/observation.js';
import { noCounts, verdictOn, addCounts } from '../../domain/verdict.js';
import { withEmulatedHosts } from '../../lockstep/emulated-hosts.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import type { Trace } from '../../model/trace/trace.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { Switches } from '../../testbeds/testbed.js';
import { flowSource, withFlowSources } from '../flow-sources.js';
import type { RunContext } from '../run-context.js';
import type { JudgedVector } from './vector-judgement.js';

type Tracer = NonNullable<Switches['traceLogically']>;

/** What ovn-trace has said of a plan, by packets that are alike. */
const known = new WeakMap<ClusterPlan, Map<string, LogicalTrace>>();

/** Of packets that are alike one is asked about (`alikeKey`). */
async function askOnce(
  plan: ClusterPlan,
  ask: Tracer,
  passages: readonly LogicalPassage[],
  packets: readonly LogicalPacket[],
): Promise<readonly LogicalTrace[]> {
  const said = known.get(plan) ?? new Map<string, LogicalTrace>();
  known.set(plan, said);
  const keys = passages.map(alikeKey);
  const asked = new Map<string, LogicalPacket>();
  for (const [index, packet] of packets.entries()) {
    const key = keys[index] ?? '';
    if (!said.has(key) && !asked.has(key)) asked.set(key, packet);
  }
  const answers = (await ask([...asked.values()])).values();
  for (const key of asked.keys()) said.set(key, answers.next().value as LogicalTrace);
  return keys.map((key) => said.get(key) as LogicalTrace);
}

/**
 * Undefined where OVN programs nothing.
 * @param asked whether packets that are alike are asked about once (`alikeKey`).
 */
export async function checkLogically(
  { traceLogically }: Pick<Switches, 'traceLogically'>,
  plan: ClusterPlan,
  observation: Observation,
  traces: readonly Trace[],
  asked: 'each' | 'once' = 'once',
): Promise<LogicalComparison | undefined> {
  if (traceLogically === undefined || traces.length === 0) return undefined;
  const passages = logicalPassages(plan, observation, traces);
  const [found] = await checkPassages(traceLogically, plan, [passages], asked);
  return found;
}

/** Of each of `all` by itself, ovn-trace asked in one go; none where OVN programs nothing. */
export async function checkPassagesLogically(
  { traceLogically }: Pick<Switches, 'traceLogically'>,
  plan: ClusterPlan,
  all: readonly (readonly LogicalPassage[])[],
): Promise<readonly LogicalComparison[]> {
  if (traceLogically === undefined || all.length === 0) return [];
  return await checkPassages(traceLogically, plan, all, 'once');
}

/** Of each of `all` by itself; ovn-trace is asked in one go. */
async function checkPassages(
  ask: Tracer,
  plan: ClusterPlan,
  all: readonly (readonly LogicalPassage[])[],
  asked: 'each' | 'once',
): Promise<readonly LogicalComparison[]> {
  const sourceOf = (flow: FlowId) => flowSource(plan, flow);
  const passages = all.flat();
  const packets = logicalPackets(passages, sourceOf);
  const said = await (asked === 'each' ? ask(packets) : askOnce(plan, ask, passages, packets));
  const answers = said.values();
  return all.map((own) => {
    const traces = own.map(() => answers.next().value as LogicalTrace);
    const { differences, ...rest } = compareLogical(plan, own, traces, sourceOf);
    return { differences: withFlowSources(plan, differences), ...rest };
  });
}

/**
 * Those that conform, each with what ovn-trace says of its first pass: the model plays it again by
 * itself, since it was played among others.
 */
export async function withLogicalChecks(
  { plan, seed }: Pick<RunContext, 'plan' | 'seed'>,
  real: Switches,
  judged: readonly JudgedVector[],
): Promise<readonly JudgedVector[]> {
  if (real.traceLogically === undefined) return judged;
  const model = openModel(plan, real.versions);
  const cluster = withEmulatedHosts(
    { ...model, call: (calls) => model.call(calls, firstOfEquals) },
    plan,
    { seed, hosts: 'start afresh' },
  );
  const played = new Map<JudgedVector, readonly LogicalPassage[] | undefined>();
  for (const one of judged.filter(({ report }) => report.verdict === 'conforms')) {
    await model.reset();
    const { stimulus } = one.record.vector;
    const observation = await cluster.play(one.report.id, stimulus).catch(unpredicted);
    const passages = observation && logicalPassages(plan, observation, model.traces());
    played.set(one, passages);
  }
  const predicted = [...played].flatMap(([one, passages]) =>
    passages === undefined ? [] : [{ one, passages }],
  );
  const all = predicted.map(({ passages }) => passages);
  const comparisons = await checkPassages(real.traceLogically, plan, all, 'once');
  const found = new Map(comparisons.map((made, index) => [predicted[index]?.one, made]));
  return judged.map((one) =>
    played.has(one) ? withFound(one, found.get(one) ?? notPredicted) : one,
  );
}

const notPredicted: LogicalComparison = {
  differences: [],
  count: { expected: 1, made: 0, skipped: 1 },
  crashes: [],
  supposed: [],
};

const firstOfEquals = { ...firstCandidateOracle, equivalentFlows: 'first' } as const;

/** What only the switches can say was said to them, and is not known any more: it is skipped. */
function unpredicted(error: unknown): undefined {
  if (!(error instanceof Unsupported)) throw error;
}

function withFound(
  { report, ...judged }: JudgedVector,
  { differences, count }: LogicalComparison,
): JudgedVector {
  const counts = addCounts([report.counts, { ...noCounts, 'ovn-trace': count }]);
  return {
    ...judged,
    report: {
      ...report,
      counts,
      differences: [...report.differences, ...differences],
      verdict: verdictOn(differences, counts),
    },
  };
}
