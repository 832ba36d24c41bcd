/** Vectors of a cluster that OVN programs, held against ovn-trace: one more check, and no judge. */
import { Unsupported } from '../../base/errors/errors.js';
import { compareLogical, type LogicalComparison } from '../../compare/logical/compare-logical.js';
import { alikeKey } from '../../compare/logical/alike-packets.js';
import { logicalPassages, type LogicalPassage } from '../../compare/logical/logical-passages.js';
import type { LogicalPacket, LogicalTrace } from '../../domain/logical-trace.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
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

function asksOnce(
  plan: ClusterPlan,
  ask: Tracer,
): (packet: LogicalPacket, passage: LogicalPassage) => Promise<LogicalTrace> {
  const said = known.get(plan) ?? new Map<string, LogicalTrace>();
  known.set(plan, said);
  return async (packet, passage) => {
    const key = alikeKey(passage);
    const answer = said.get(key) ?? (await ask(packet));
    said.set(key, answer);
    return answer;
  };
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
  const { differences, ...rest } = await compareLogical(
    plan,
    logicalPassages(plan, observation, traces),
    (flow) => flowSource(plan, flow),
    asked === 'each' ? traceLogically : asksOnce(plan, traceLogically),
  );
  return { differences: withFlowSources(plan, differences), ...rest };
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
  const checked: JudgedVector[] = [];
  for (const one of judged) {
    const { report, record } = one;
    if (report.verdict !== 'conforms') {
      checked.push(one);
      continue;
    }
    await model.reset();
    const observation = await cluster.play(report.id, record.vector.stimulus).catch(unpredicted);
    const found =
      observation === undefined
        ? {
            differences: [],
            count: { expected: 1, made: 0, skipped: 1 },
            crashes: [],
            supposed: [],
          }
        : await checkLogically(real, plan, observation, model.traces());
    checked.push(found === undefined ? one : withFound(one, found));
  }
  return checked;
}

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
