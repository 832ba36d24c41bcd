/**
 * What a scenario's functions give, held to what it has to be: it comes from people, and types are
 * stripped unread.
 */
import { z } from 'zod';
import type { Timeline } from '../../domain/timeline.js';
import type { Intent } from '../../domain/intent.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Predecessor } from '../../domain/scenario.js';
import type { Topology } from '../../domain/topology.js';
import type { TestVector } from '../../domain/test-vector.js';
import { topology, vector } from './input-shapes.js';
import { intent } from './intent-shape.js';
import { planProblems } from './plan-problems.js';
import { clusterPlan } from './plan-shape.js';
import { looseShape } from './shape-values.js';

export interface ScenarioOutputs {
  readonly topology: Topology;
  readonly vectors: readonly TestVector[];
  readonly plan: ClusterPlan;
  readonly intent: Intent;
  readonly after: Predecessor<Readonly<Record<string, string>>> | undefined;
  readonly timeline: Timeline;
}

const atNode = z.object({
  kind: z.enum([
    'switch restarts',
    'node restarts',
    'switch is programmed',
    'agent stops',
    'agent restarts',
    'agent sweeps',
    'agent hears',
  ]),
  node: z.string(),
});
const step = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('vector'), vector }),
  z.object({
    kind: z.literal('cluster'),
    what: z.string(),
    cluster: topology,
    staleAgents: z.array(z.string()).optional(),
  }),
  atNode,
]);

const outputShapes: Readonly<Record<keyof ScenarioOutputs, z.ZodType>> = {
  topology,
  vectors: z.array(vector),
  plan: clusterPlan,
  intent,
  after: looseShape({ axes: z.record(z.string(), z.string()), what: z.string() }),
  timeline: looseShape({ cluster: topology, steps: z.array(step) }),
};

const code = z.custom((value) => typeof value === 'function', 'expected a function');
const scenario = looseShape({
  name: z.string(),
  title: z.string(),
  axes: z.record(
    z.string(),
    z.object({ values: z.array(z.string()), default: z.array(z.string()) }),
  ),
  topology: code,
  vectors: code,
  intent: code,
  after: code.optional(),
  timeline: code.optional(),
  controlPlane: looseShape({
    name: z.string(),
    plan: code,
    restarted: code.optional(),
    known: z.array(z.object({ name: z.string(), cause: z.string() })).optional(),
  }),
});

/** What a module exports is no scenario, and why; undefined where it is one. */
export function checkScenario(exported: unknown): string | undefined {
  const read = scenario.safeParse(exported);
  return read.success ? undefined : z.prettifyError(read.error);
}

/** What is wrong with it, to stand behind "gave"; undefined where nothing is. */
export function checkScenarioOutput(
  kind: keyof ScenarioOutputs,
  given: unknown,
): string | undefined {
  if (given instanceof Promise) return 'a promise: it has to give what it is asked for at once';
  if (given === undefined) return kind === 'after' ? undefined : 'nothing';
  const read = outputShapes[kind].safeParse(given);
  if (!read.success) return `what is no ${kind}:\n${z.prettifyError(read.error)}`;
  if (kind === 'plan') {
    const problems = planProblems(given as ClusterPlan);
    return problems.length === 0 ? undefined : `what is no plan:\n${problems.join('\n')}`;
  }
  if (kind === 'vectors') return duplicateIdError(given as ScenarioOutputs['vectors']);
  return kind === 'timeline'
    ? duplicateIdError(
        (given as Timeline).steps.flatMap((step) => (step.kind === 'vector' ? [step.vector] : [])),
      )
    : undefined;
}

/** Vectors are distinguished by their ids: of two, nobody could say which conforms. */
function duplicateIdError(vectors: readonly TestVector[]): string | undefined {
  const places = new Map<string, number>();
  for (const [place, { id }] of vectors.entries()) {
    const before = places.get(id);
    if (before !== undefined)
      return (
        `two vectors called ${JSON.stringify(id)}, number ${before + 1} and number ` +
        `${place + 1} of ${vectors.length}: each needs an id of its own`
      );
    places.set(id, place);
  }
  return undefined;
}
