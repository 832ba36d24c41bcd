/** What a run of one scenario at one point of its matrix consists of. */
import type { Scenario } from '../../domain/scenario.js';
import { InputError } from '../../base/errors/errors.js';
import type { TestVector } from '../../domain/test-vector.js';
import type { Sequence } from '../../domain/timeline.js';
import type { RunContext } from '../run-context.js';
import type { ShardOptions } from '../shards/shard-options.js';
import { partsOf, timelineOf } from '../timeline/scenario-timeline.js';
import { transitionPlanOf, type TransitionPlan } from '../transitions/transition-plan.js';

/** What is played: vectors, each after a reset, or a sequence. */
export interface Workload {
  readonly transitionPlan: TransitionPlan;
  readonly context: Omit<RunContext, 'model' | 'onJudged'>;
  readonly vectors: readonly TestVector[];
  readonly sequence?: Sequence;
}

/** What a vector needs is read for it alone: no other one is in its batch. */
function alone({ together: _, ...vector }: TestVector): TestVector {
  return vector;
}

/** @throws InputError when the scenario's topology or flows are wrong. */
export function workloadOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  {
    seed,
    depth = 'all',
    version = 'unknown',
    only = () => true,
    work = 'left out',
  }: Omit<ShardOptions, 'openReal'>,
): Workload {
  const parts = partsOf(timelineOf(scenario, axes), scenario.name);
  const beginning =
    parts.kind === 'independent' ? parts : { cluster: parts.sequence.cluster, events: [] };
  const transitionPlan = transitionPlanOf(scenario.controlPlane, beginning, version);
  const { topology, plan } = transitionPlan;
  if (plan.northbound !== undefined && parts.kind === 'independent' && parts.events.length > 0)
    throw new InputError(
      `scenario ${scenario.name}: a cluster that OVN programs changes in a timeline without ` +
        'resets alone',
    );
  const context = { scenario, topology, plan, seed, depth, work };
  if (parts.kind === 'independent')
    return {
      transitionPlan,
      context,
      vectors: parts.vectors
        .filter(only)
        .map((vector) => (work === 'counted' ? alone(vector) : vector)),
    };
  const { sequence } = parts;
  const vectors = sequence.steps.flatMap((step) => (step.kind === 'vector' ? [step.vector] : []));
  return { transitionPlan, context, sequence, vectors };
}
