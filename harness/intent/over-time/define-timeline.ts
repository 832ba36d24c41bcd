import type { Network } from '../../kube/objects.js';
import type { Timeline } from '../../domain/timeline.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import {
  defineScenario,
  type Axis,
  type AxisValues,
  type Scenario,
} from '../../domain/scenario.js';
import type { Topology } from '../../domain/topology.js';
import { intentOf } from '../intent.js';

export interface TimelineScenario<Axes extends Readonly<Record<string, Axis>>> {
  /** `folder/name`, as `flowbed run` takes it. */
  readonly name: string;
  readonly title: string;
  readonly axes: Axes;
  readonly controlPlane: ControlPlane<Topology>;
  /**
   * The ids of its vectors begin with what has happened before them: `2-policy-comes/new/web/db`.
   */
  timeline(axes: AxisValues<Axes>): Timeline<Network>;
}

/**
 * A scenario whose network changes while packets go through it. What is promised follows from what
 * was before (`promised`), so that it has no promises of its own.
 */
export function defineTimeline<const Axes extends Readonly<Record<string, Axis>>>(
  scenario: TimelineScenario<Axes>,
): Scenario<Axes> {
  return defineScenario({
    ...scenario,
    topology: (axes: AxisValues<Axes>) => scenario.timeline(axes).cluster,
    vectors: () => [],
    intent: intentOf,
  });
}
