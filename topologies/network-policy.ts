import { fileURLToPath } from 'node:url';
import type { Cluster } from '../harness/kube/objects.js';
import type { TunnelType } from '../harness/domain/topology.js';
import { readCluster } from './kubernetes.js';
import { readManifestFolder } from './manifest-folder.js';

/** Two nodes and eight pods under the policies of the folder topologies/network-policy. */
export function networkPolicyCluster(tunnel: TunnelType): Cluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(new URL('../../topologies/network-policy', import.meta.url));
  return readCluster(readManifestFolder(folder), { name: 'network-policy', tunnel });
}
