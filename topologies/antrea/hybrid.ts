import { fileURLToPath } from 'node:url';
import type { AntreaCluster } from './antrea-topology.js';
import type { TunnelType } from '../../harness/domain/plan/port-plan.js';
import { readManifestFolder } from '../manifest-folder.js';
import { onNetworks } from './mixed-cluster.js';
import { readAntreaCluster } from './read-antrea-cluster.js';

/**
 * The Linux nodes of the folder topologies/antrea/hybrid in hybrid mode, n1 and n2 on one network
 * and n3 on another, with a router between.
 */
export function hybridCluster(tunnel: TunnelType): AntreaCluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(new URL('../../../topologies/antrea/hybrid', import.meta.url));
  const cluster = readAntreaCluster(readManifestFolder(folder), { name: 'hybrid', tunnel });
  const hybrid = { ...cluster, mode: 'hybrid' as const };
  return { ...hybrid, ...onNetworks(hybrid, [0, 0, 1]) };
}
