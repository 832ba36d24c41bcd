/**
 * The networks that switches go through to the one that a scenario is about: what stands before it
 * in the matrix, and how the switches are changed.
 */
import { InputError } from '../base/errors.js';
import { compareProgram, toldOf, type KnownTexts } from '../compare/program.js';
import { stepsBetween, type AgentStep } from '../control/changes.js';
import type { ClusterPlan } from '../nouns/plan.js';
import type { Scenario } from '../nouns/scenario.js';
import type { Topology } from '../nouns/topology.js';
import {
  addCounts,
  noCounts,
  type Count,
  type Difference,
  type VerdictKind,
} from '../nouns/verdict.js';
import { openModel } from '../testbeds/model/model.js';
import type { HeldProgram, Switches, Testbed } from '../testbeds/testbed.js';
import { adaptedTo } from './adapted.js';
import type { ScenarioReport } from './report.js';

/** The way of switches to the network of a point of the matrix. */
export interface Approach {
  readonly topology: Topology;
  readonly plan: ClusterPlan;
  readonly otherwise: readonly string[];
  /**
   * What the switches hold on their way, from what they come up with on, and what is done to it
   * then; none where they come up with `plan`.
   */
  readonly before: readonly Stretch[];
  readonly after?: NonNullable<ScenarioReport['after']>;
}

interface Stretch {
  readonly plan: ClusterPlan;
  readonly what: string;
  readonly changes: readonly Change[];
}

type Change = Extract<AgentStep, { readonly kind: 'change' }>;

/**
 * Each network of the way is planned by what the one before has given out.
 * @param version of Open vSwitch, as `adaptedTo` takes it.
 * @throws InputError where from one network to the next more than flows and groups change, and
 *   where there is a history as well.
 */
export function approachOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  version: string,
): Approach {
  const after = scenario.after?.(axes);
  if (after !== undefined && scenario.history?.(axes) !== undefined)
    throw new InputError(
      `scenario ${scenario.name}: a point of its matrix comes after another and has a history ` +
        'as well; let the history begin where the other ends',
    );
  const earlier = after === undefined ? undefined : approachOf(scenario, after.axes, version);
  const topology = scenario.topology(axes);
  const { plan, otherwise } = adaptedTo(
    version,
    scenario.controlPlane.plan(topology, earlier?.plan),
  );
  if (after === undefined || earlier === undefined)
    return { topology, plan, otherwise, before: [] };
  const { what } = after;
  const stretch = {
    plan: earlier.plan,
    what,
    changes: stepsBetween(earlier.plan, plan).map((step) => changeIn(step, what)),
  };
  return {
    topology,
    plan,
    otherwise,
    before: [...earlier.before, stretch],
    after: { axes: { ...after.axes }, what },
  };
}

function changeIn(step: AgentStep, what: string): Change {
  if (step.kind !== 'change')
    throw new InputError(
      `${what}: from one point of a matrix to another only flows and groups may change, and ` +
        `${step.node} would have to ${step.kind}`,
    );
  return step;
}

/** What of flows and groups was compared, and is otherwise. */
export interface Programmed {
  readonly differences: readonly Difference[];
  readonly count: Count;
}

/**
 * Changes switches that came up with the first plan of the way until they should hold `desired`;
 * behind each change they must hold what a fresh install would.
 */
export async function takeApproach(
  before: Approach['before'],
  desired: readonly HeldProgram[],
  real: Switches,
  known: KnownTexts,
): Promise<Programmed> {
  const compared: Programmed[] = [];
  for (const { plan, what, changes } of before) {
    compared.push(held(await openModel(plan).program(), await real.program(), `before ${what}: `));
    for (const { node, bridge, lines } of changes) await real.bundle(node, bridge, lines);
  }
  compared.push(held(desired, await real.program(), '', known));
  return {
    differences: compared.flatMap(({ differences }) => differences),
    count: addCounts(compared.map(({ count }) => ({ ...noCounts, program: count }))).program,
  };
}

/** Whether switches hold what they should; what differs is told of as it was `when`. */
export function held(
  desired: readonly HeldProgram[],
  seen: readonly HeldProgram[],
  when: string,
  known?: KnownTexts,
): Programmed {
  const { differences, count } = compareProgram(desired, seen, known);
  return {
    count,
    differences: differences.map((difference) => {
      const { what, ...texts } = toldOf(difference);
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
 * What switches hold otherwise than the model when all vectors are over, what packets have taught
 * both included. Where the last vector has left them apart, both are reset before.
 * @param told what was otherwise before the first vector: it is not told again.
 */
export async function heldAtTheEnd(
  model: Testbed,
  real: Switches,
  judged: readonly { readonly report: { readonly verdict: VerdictKind } }[],
  told: readonly Difference[],
  known: KnownTexts,
): Promise<readonly Difference[]> {
  if (judged.at(-1)?.report.verdict !== 'conforms') {
    await Promise.all([model.reset(), real.reset()]);
  }
  const { differences } = held(await model.program(), await real.program(), '', known);
  const before = new Set(told.map(inFull));
  return differences
    .filter((difference) => !before.has(inFull(difference)))
    .map((difference) => ({ ...difference, summary: `at the end: ${difference.summary}` }));
}

function inFull({ summary, expected, actual }: Difference): string {
  return [summary, expected, actual].join('\n');
}
