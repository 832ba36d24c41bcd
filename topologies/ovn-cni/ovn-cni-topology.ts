/** What the CNI plugin's network has beside Kubernetes' objects. */
import type { Cluster } from '../../harness/kube/objects.js';

export type OvnCniCluster = Cluster & {
  /** Whether the watcher has followed the objects: until it has, ports take in nothing. */
  readonly watcher: 'has not run' | 'has followed';
};
