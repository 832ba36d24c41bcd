/** What the CNI plugin's network has beside Kubernetes' objects. */
import type { Pod } from '../../harness/domain/topology.js';
import type { Cluster, KubeObjects } from '../../harness/kube/objects.js';

export type OvnCniCluster = Cluster & {
  /** Whether the watcher has followed the objects: until it has, ports take in nothing. */
  readonly watcher: 'has not run' | 'has followed';
  /** What of policies it enforces; `ingress` where it is missing. */
  readonly enforced?: 'ingress' | 'ingress and egress';
  /** What the watcher followed last; the objects as they are where it is missing. */
  readonly watched?: KubeObjects;
  /**
   * Pods whose ADD has died before it plugged their port: logical ports and addresses are theirs.
   * Each is plugged at last, or stays so: what is made of them is not taken back.
   */
  readonly unbound?: readonly { readonly node: string; readonly pod: Pod }[];
};
