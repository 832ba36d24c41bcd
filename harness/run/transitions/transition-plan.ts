/**
 * The networks that switches go through to the one that a scenario is about: what stands before it
 * in the matrix, and how the switches are changed.
 */
import { InputError } from '../../base/errors/errors.js';
import {
  compareProgram,
  describeProgramDifference,
  type ParseCache,
} from '../../compare/compare-program.js';
import { stepsBetween, type AgentStep } from '../../control/agent-steps.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Scenario } from '../../domain/scenario.js';
import type { Topology } from '../../domain/topology.js';
import {
  addCounts,
  noCounts,
  type Count,
  type Difference,
  type VerdictKind,
} from '../../domain/verdict.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { DumpedProgram, Switches, Testbed } from '../../testbeds/testbed.js';
import { adaptPlan } from '../adapt-plan.js';
import type { ScenarioReport } from '../records/run-report.js';
import type { TimelineParts } from '../timeline/scenario-timeline.js';

/** The way of switches to the network of a point of the matrix. */
export interface TransitionPlan {
  readonly topology: Topology;
  readonly plan: ClusterPlan;
  readonly adaptations: readonly string[];
  /**
   * What the switches hold on their way, from what they come up with on, and what is done to it
   * then; none where they come up with `plan`.
   */
  readonly transitions: readonly Transition[];
  readonly after?: NonNullable<ScenarioReport['after']>;
}

interface Transition {
  readonly plan: ClusterPlan;
  readonly what: string;
  readonly changes: readonly Change[];
}

type Change = Extract<AgentStep, { readonly kind: 'change' }>;

/**
 * Each cluster is planned by what the one before has given out.
 * @param version of Open vSwitch, as `adaptPlan` takes it.
 * @throws InputError where from one cluster to the next more than flows and groups change.
 */
export function transitionPlanOf(
  controlPlane: Scenario['controlPlane'],
  { cluster, events }: Pick<Extract<TimelineParts, { kind: 'independent' }>, 'cluster' | 'events'>,
  version: string,
): TransitionPlan {
  const adapted = (topology: Topology, before?: ClusterPlan) =>
    adaptPlan(version, controlPlane.plan(topology, before));
  const transitions: Transition[] = [];
  let [topology, current] = [cluster, adapted(cluster)];
  for (const { what, cluster: next } of events) {
    const before = current.plan;
    [topology, current] = [next, adapted(next, before)];
    const changes = stepsBetween(before, current.plan).map((step) => asFlowChange(step, what));
    transitions.push({ plan: before, what, changes });
  }
  const last = events.at(-1);
  return {
    topology,
    ...current,
    transitions,
    ...(last?.from === undefined ? {} : { after: { axes: { ...last.from }, what: last.what } }),
  };
}

function asFlowChange(step: AgentStep, what: string): Change {
  if (step.kind !== 'change')
    throw new InputError(
      `${what}: from one point of a matrix to another only flows and groups may change, and ` +
        `${step.node} would have to ${step.kind}`,
    );
  return step;
}

/** What of flows and groups was compared, and differs. */
export interface ProgramCheck {
  readonly differences: readonly Difference[];
  readonly count: Count;
}

/**
 * Changes switches that came up with the first plan of the way until they should hold `desired`;
 * behind each change they must hold what a fresh install would.
 */
export async function applyTransitions(
  transitions: TransitionPlan['transitions'],
  desired: readonly DumpedProgram[],
  real: Switches,
  cache: ParseCache,
): Promise<ProgramCheck> {
  const compared: ProgramCheck[] = [];
  for (const { plan, what, changes } of transitions) {
    compared.push(
      checkProgram(await openModel(plan).program(), await real.program(), `before ${what}: `),
    );
    for (const { node, bridge, lines } of changes) await real.bundle(node, bridge, lines);
  }
  compared.push(checkProgram(desired, await real.program(), '', cache));
  return {
    differences: compared.flatMap(({ differences }) => differences),
    count: addCounts(compared.map(({ count }) => ({ ...noCounts, program: count }))).program,
  };
}

/** Whether switches hold what they should; what differs is reported as of `when`. */
export function checkProgram(
  desired: readonly DumpedProgram[],
  seen: readonly DumpedProgram[],
  when: string,
  cache?: ParseCache,
): ProgramCheck {
  const { differences, count } = compareProgram(desired, seen, cache);
  return {
    count,
    differences: differences.map((difference) => {
      const { what, ...texts } = describeProgramDifference(difference);
      const { bridge, node } = difference.of;
      return {
        aspect: 'program',
        between: 'model and switch',
        summary: `${when}${bridge} on ${node}: ${what}`,
        ...texts,
        afterDivergence: false,
      };
    }),
  };
}

/**
 * Where the program of switches differs from the model's when all vectors are over, learned flows
 * included. Where the last vector has left them apart, both are reset before.
 * @param reported what differed before the first vector: it is not reported again.
 */
export async function checkFinalProgram(
  model: Testbed,
  real: Switches,
  judged: readonly { readonly report: { readonly verdict: VerdictKind } }[],
  reported: readonly Difference[],
  cache: ParseCache,
): Promise<readonly Difference[]> {
  if (judged.at(-1)?.report.verdict !== 'conforms') {
    await Promise.all([model.reset(), real.reset()]);
  }
  const { differences } = checkProgram(await model.program(), await real.program(), '', cache);
  const reportedKeys = new Set(reported.map(differenceKey));
  return differences
    .filter((difference) => !reportedKeys.has(differenceKey(difference)))
    .map((difference) => ({ ...difference, summary: `at the end: ${difference.summary}` }));
}

function differenceKey({ summary, expected, actual }: Difference): string {
  return [summary, expected, actual].join('\n');
}
