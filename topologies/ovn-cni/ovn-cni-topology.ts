/** What the CNI plugin's network has beside Kubernetes' objects. */
import type { Cluster, KubeObjects } from '../../harness/kube/objects.js';

export type OvnCniCluster = Cluster & {
  /** Whether the watcher has followed the objects: until it has, ports take in nothing. */
  readonly watcher: 'has not run' | 'has followed';
  /** What the watcher followed last; the objects as they are where it is missing. */
  readonly watched?: KubeObjects;
};
