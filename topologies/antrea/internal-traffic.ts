import { fileURLToPath } from 'node:url';
import type { TunnelType } from '../../harness/domain/plan/port-plan.js';
import { externalAddress, macOf } from '../addresses.js';
import { readManifestFolder } from '../manifest-folder.js';
import type { AntreaCluster } from './antrea-topology.js';
import { readAntreaCluster } from './read-antrea-cluster.js';

/** The folder topologies/antrea/internal-traffic, and a host outside. */
export function internalTrafficCluster(tunnel: TunnelType): AntreaCluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(
    new URL('../../../topologies/antrea/internal-traffic', import.meta.url),
  );
  const ip = externalAddress(1);
  return readAntreaCluster(readManifestFolder(folder), {
    name: 'internal-traffic',
    tunnel,
    externalHosts: [{ name: 'x1', ip, mac: macOf(ip), balancedTo: 'n1' }],
  });
}
