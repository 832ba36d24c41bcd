import { readCluster, type KubernetesOptions } from '../kubernetes.js';
import type { ManifestFile } from '../../harness/kube/manifests.js';
import { clusterOf, type ChangingCluster, type Manifest } from '../changing-cluster.js';
import type { AntreaCluster, AntreaOptions, TunnelType } from './antrea-topology.js';

export interface AntreaClusterOptions extends KubernetesOptions {
  readonly tunnel: TunnelType;
}

/**
 * The network that manifests describe, with tunnels between all nodes. @throws as `readCluster`.
 */
export function readAntreaCluster(
  files: readonly ManifestFile[],
  { tunnel, ...options }: AntreaClusterOptions,
): AntreaCluster {
  return { ...readCluster(files, options), mode: 'encap', tunnel };
}

/** The same, of one that changes. @throws as `clusterOf`. */
export function antreaClusterOf(
  manifests: readonly Manifest[],
  { tunnel, ...options }: AntreaClusterOptions,
): ChangingCluster<AntreaOptions> {
  return clusterOf(manifests, options, { mode: 'encap', tunnel });
}
