import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Image } from '../ovs/process/image.js';
import type { MachineFinding } from './machine-finding.js';
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
}
