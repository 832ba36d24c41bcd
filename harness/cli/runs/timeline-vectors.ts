import type { Scenario } from '../../domain/scenario.js';
import { timelineOf } from '../../run/timeline/scenario-timeline.js';

/** Ids of all vectors of a scenario at one point of its matrix. */
export function vectorIdsOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
): readonly string[] {
  return timelineOf(scenario, axes).steps.flatMap((step) =>
    step.kind === 'vector' ? [step.vector.id] : [],
  );
}
