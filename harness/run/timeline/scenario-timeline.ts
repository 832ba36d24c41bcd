/** Every scenario is a timeline: its own, or resets and vectors behind the points it follows. */
import { InputError } from '../../base/errors/errors.js';
import type { Scenario } from '../../domain/scenario.js';
import {
  describeStep,
  eachAfterReset,
  type Sequence,
  type SequenceStep,
  type Timeline,
  type TimelineStep,
} from '../../domain/timeline.js';
import type { Topology } from '../../domain/topology.js';
import type { TestVector } from '../../domain/test-vector.js';

type ClusterEvent = Extract<TimelineStep, { readonly kind: 'cluster' }>;

/** @throws InputError where a scenario has both a timeline and a point that it follows. */
export function timelineOf(scenario: Scenario, axes: Readonly<Record<string, string>>): Timeline {
  const own = scenario.timeline?.(axes);
  if (own === undefined) {
    const { cluster, events } = pathTo(scenario, axes);
    const topology = events.at(-1)?.cluster ?? cluster;
    return { cluster, steps: [...events, ...eachAfterReset(scenario.vectors(topology))] };
  }
  if (scenario.after?.(axes) !== undefined)
    throw new InputError(
      `scenario ${scenario.name}: a point of its matrix comes after another and has a timeline ` +
        'as well; let the timeline begin where the other ends',
    );
  return own;
}

/** The cluster of the first point on the way, and what happens until it is this point's. */
function pathTo(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
): { readonly cluster: Topology; readonly events: readonly ClusterEvent[] } {
  const topology = scenario.topology(axes);
  const predecessor = scenario.after?.(axes);
  if (predecessor === undefined) return { cluster: topology, events: [] };
  const { cluster, events } = pathTo(scenario, predecessor.axes);
  const { what, axes: from } = predecessor;
  return { cluster, events: [...events, { kind: 'cluster', what, cluster: topology, from }] };
}

/**
 * How a timeline is played: `independent` vectors, each after a reset, in any order and on several
 * clusters at once, behind events; or a `sequence` without a reset.
 */
export type TimelineParts =
  | {
      readonly kind: 'independent';
      readonly cluster: Topology;
      readonly events: readonly ClusterEvent[];
      readonly vectors: readonly TestVector[];
    }
  | { readonly kind: 'sequence'; readonly sequence: Sequence };

/**
 * @throws InputError where resets and what needs to be remembered are mixed: a reset takes back
 *   what was done to switches since they were programmed.
 */
export function partsOf({ cluster, steps }: Timeline, scenario: string): TimelineParts {
  const firstReset = steps.findIndex(({ kind }) => kind === 'reset');
  if (firstReset < 0 && steps.some(({ kind }) => kind === 'vector'))
    return { kind: 'sequence', sequence: { cluster, steps: steps.filter(isNoReset) } };
  const end = firstReset < 0 ? steps.length : firstReset;
  const events = steps.slice(0, end).map((step, index) => asClusterEvent(step, index, scenario));
  const vectors: TestVector[] = [];
  for (const [place, step] of steps.slice(end).entries()) {
    if (place % 2 === 0 ? step.kind === 'reset' : step.kind === 'vector') {
      if (step.kind === 'vector') vectors.push(step.vector);
      continue;
    }
    throw wrongStep(
      end + place,
      step,
      scenario,
      'behind a reset there are resets and vectors in turn',
    );
  }
  return { kind: 'independent', cluster, events, vectors };
}

function isNoReset(step: TimelineStep): step is SequenceStep {
  return step.kind !== 'reset';
}

function asClusterEvent(step: TimelineStep, index: number, scenario: string): ClusterEvent {
  if (step.kind !== 'cluster')
    throw wrongStep(index, step, scenario, 'before the first reset only the cluster may change');
  return step;
}

function wrongStep(index: number, step: TimelineStep, scenario: string, rule: string): InputError {
  return new InputError(
    `scenario ${scenario}: step ${index + 1} of its timeline, ${describeStep(step)}: ${rule}`,
  );
}
