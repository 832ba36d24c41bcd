import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { Image } from '../ovs/process/image.js';
import type { MachineFinding } from './machine-finding.js';
import type { NodePlace } from './netns/namespace-devices.js';
import type { DatapathType } from './sim/configure/insert-bridge.js';
import type { OpenOptions, OvsSwitches } from './ovs-switches.js';

/** A way to bring up a cluster's switches. */
export interface Backend {
  /** As `--backend` takes it and reports print it. */
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  /** What it needs of this machine; none is `missing` where it can bring up switches. */
  doctor(): Promise<readonly MachineFinding[]>;
  /**
   * Brings up every node of `plan` with its bridges and flows.
   * @throws Unavailable that names what did not come up, InputError for a flow that is not one;
   *   nothing is left then.
   */
  open(plan: ClusterPlan, image: Image, options?: OpenOptions): Promise<OvsSwitches>;
  /**
   * Where nodes run whose hosts are real as well, so that traffic can be measured; missing where
   * none can be. @throws Unavailable for what this machine lacks.
   */
  places?(image: Image): Promise<Places>;
}

export interface Places {
  /** Where packets are switched. */
  readonly datapath: DatapathType;
  /** @param dir of the node's daemons. */
  placeOf(plan: NodePlan, dir: string): Promise<NodePlace>;
}
