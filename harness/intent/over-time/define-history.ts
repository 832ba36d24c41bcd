import type { Network } from '../../kube/objects.js';
import type { History } from '../../domain/history.js';
import type { ControlPlane } from '../../domain/plan/cluster-plan.js';
import {
  defineScenario,
  type Axis,
  type AxisValues,
  type Scenario,
} from '../../domain/scenario.js';
import type { Topology } from '../../domain/topology.js';
import { intentOf } from '../intent.js';

export interface HistoryScenario<Axes extends Readonly<Record<string, Axis>>> {
  /** `folder/name`, as `flowbed run` takes it. */
  readonly name: string;
  readonly title: string;
  readonly axes: Axes;
  readonly controlPlane: ControlPlane<Topology>;
  /**
   * The ids of its vectors begin with what has happened before them: `2-policy-comes/new/web/db`.
   */
  history(axes: AxisValues<Axes>): History<Network>;
}

/**
 * A scenario whose network changes while packets go through it. What is promised follows from what
 * was before (`promised`), so that it has no promises of its own.
 */
export function defineHistory<const Axes extends Readonly<Record<string, Axis>>>(
  scenario: HistoryScenario<Axes>,
): Scenario<Axes> {
  return defineScenario({
    ...scenario,
    topology: (axes: AxisValues<Axes>) => scenario.history(axes).cluster,
    vectors: () => [],
    intent: intentOf,
  });
}
