/** Programs of the switches against those of the model and of the plan, between steps. */
import {
  type ProgramDifference,
  compareProgram,
  describeProgramDifference,
} from '../../compare/compare-program.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Difference } from '../../domain/verdict.js';
import { type Counts, noCounts, addCounts } from '../../domain/verdict.js';
import type { TimelineRun } from './timeline-run.js';
import { type StepJudgement, verdictFrom } from './timeline-run.js';
import { withLearnedFlows } from './learned-flows.js';
import { openModel } from '../../testbeds/model/model-testbed.js';

export function partition<T>(
  all: readonly T[],
  belongs: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}

export function programDifference(difference: ProgramDifference, about: string): Difference {
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

/**
 * The switches hold what the model does, and where no agent has still something to do, what a fresh
 * install of the plan would, and what packets have made its flows learn. Behind the first event and
 * the last all are read back, and otherwise those that were changed: which flows the others hold
 * shows in their counters, and with which actions, behind the last event.
 */
export async function comparePrograms(
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
export async function judgeFinalProgram(
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
