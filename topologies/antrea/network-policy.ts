import { fileURLToPath } from 'node:url';
import type { AntreaCluster } from './antrea-topology.js';
import type { TunnelType } from '../../harness/domain/plan/port-plan.js';
import { readAntreaCluster } from './read-antrea-cluster.js';
import { readManifestFolder } from '../manifest-folder.js';

/** Two nodes and eight pods under the policies of the folder topologies/antrea/network-policy. */
export function networkPolicyCluster(tunnel: TunnelType): AntreaCluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(
    new URL('../../../topologies/antrea/network-policy', import.meta.url),
  );
  return readAntreaCluster(readManifestFolder(folder), { name: 'network-policy', tunnel });
}
