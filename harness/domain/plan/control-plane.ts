import type { KnownContradiction } from '../known-contradiction.js';
import type { ControlPlanePromises } from '../promises.js';
import type { Topology } from '../topology.js';
import type { ClusterPlan, NodePlan } from './cluster-plan.js';
import type { FlowChange } from './flow-change.js';

/** A pure function from the desired cluster to what every node should hold. */
export interface ControlPlane<Cluster extends Topology> {
  readonly name: string;
  /** Its flows do not follow from the cluster: somebody wrote them. */
  readonly written?: true;
  /** What it promises beside Kubernetes. */
  readonly promises: ControlPlanePromises<Cluster>;
  /** Where it is known to break its promises; missing where nothing is. */
  readonly known?: readonly KnownContradiction[];
  /**
   * `before`: what the nodes hold already. A port or a rule that has a number there keeps it, and
   * what has just lost one leaves it unused.
   */
  plan(cluster: Cluster, before?: ClusterPlan): ClusterPlan;
  /**
   * What the node's agent continues from when it has restarted: it knows no more than what stands
   * on its switch. Missing where agents remember nothing.
   */
  restarted?(before: ClusterPlan, node: string): ClusterPlan;
  /**
   * What the node's agent, once it has restarted and programmed all of the plan, removes of
   * earlier starts. Missing where it leaves nothing.
   */
  sweep?(plan: NodePlan): readonly FlowChange[];
}
