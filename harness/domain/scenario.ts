import type { Timeline } from './timeline.js';
import type { ControlPlane } from './plan/control-plane.js';
import type { Intent } from './intent.js';
import type { ControlPlanePromises } from './promises.js';
import type { Topology } from './topology.js';
import type { Stimulus, TestVector } from './test-vector.js';

/** One dimension of the matrix a scenario runs over. */
export interface Axis {
  /** Every value that `--set axis=value` accepts. */
  readonly values: readonly string[];
  /** The values that run when nothing is set. */
  readonly default: readonly string[];
}

/** One value of every axis. */
export type AxisValues<Axes extends Readonly<Record<string, Axis>>> = {
  readonly [K in keyof Axes]: Axes[K]['values'][number];
};

/** Another point of the same matrix, and what happened to its network. */
export interface Predecessor<Values> {
  readonly axes: Values;
  /** `NetworkPolicy shop/np17 comes` */
  readonly what: string;
}

/** What is tested: a network, who programs it, what is sent through it, and what was promised. */
export interface Scenario<
  Axes extends Readonly<Record<string, Axis>> = Readonly<Record<string, Axis>>,
  Network extends Topology = Topology,
> {
  /** `folder/name`, as `flowbed run` takes it. */
  readonly name: string;
  readonly title: string;
  readonly axes: Axes;
  topology(axes: AxisValues<Axes>): Network;
  /**
   * The point that this one comes after: its switches are changed into those of this one. Where
   * there is none, they come up as this one has them.
   */
  after?(axes: AxisValues<Axes>): Predecessor<AxisValues<Axes>> | undefined;
  readonly controlPlane: ControlPlane<NoInfer<Network>>;
  /** Short for a timeline of them, each after a reset. */
  vectors(topology: Network): readonly TestVector[];
  /** The timeline of the network, in place of `after` and `vectors`: events, vectors and resets. */
  timeline?(axes: AxisValues<Axes>): Timeline;
  /** L0: what the stimulus must lead to, from the topology and what `controlPlane` promises. */
  intent(topology: NoInfer<Network>, stimulus: Stimulus, promises: ControlPlanePromises): Intent;
}

/** Types a scenario; the default export of every file in scenarios/. */
export function defineScenario<
  const Axes extends Readonly<Record<string, Axis>>,
  Network extends Topology,
>(scenario: Scenario<Axes, Network>): Scenario<Axes> {
  return scenario;
}
