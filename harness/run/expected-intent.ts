import { expectedIntent } from '../domain/known-contradiction.js';
import type { Intent } from '../domain/intent.js';
import type { Scenario } from '../domain/scenario.js';
import type { Topology } from '../domain/topology.js';
import type { Stimulus } from '../domain/test-vector.js';

export interface IntentContext {
  readonly scenario: Pick<Scenario, 'intent' | 'controlPlane'>;
  readonly topology: Topology;
}

/**
 * What is held against model and switches: what was promised, but for what the scenario's control
 * plane is known to diverge. @throws as the scenario's `intent` does.
 */
export function intentExpectedIn(
  { scenario, topology }: IntentContext,
  stimulus: Stimulus,
): Intent {
  return expectedIntent(
    scenario.controlPlane.known ?? [],
    scenario.intent(topology, stimulus, scenario.controlPlane.promises),
  );
}
