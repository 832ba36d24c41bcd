import { fileURLToPath } from 'node:url';
import type { AntreaCluster, TrafficMode } from './antrea-topology.js';
import type { TunnelType } from '../../harness/domain/plan/port-plan.js';
import { externalAddress, macOf } from '../addresses.js';
import { readAntreaCluster } from './read-antrea-cluster.js';
import { readManifestFolder } from '../manifest-folder.js';

/**
 * Two nodes with the Services of the folder topologies/antrea/services, and two hosts outside, each
 * of which a load balancer sends to a node of its own; one of the Services leads to the first.
 */
export function servicesCluster(tunnel: TunnelType, mode: TrafficMode = 'encap'): AntreaCluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(new URL('../../../topologies/antrea/services', import.meta.url));
  const externalHosts = [1, 2].map((number) => ({
    name: `x${number}`,
    ip: externalAddress(number),
    mac: macOf(externalAddress(number)),
    balancedTo: `n${number}`,
  }));
  const name = mode === 'encap' ? 'services' : `services-${mode}`;
  const cluster = readAntreaCluster(readManifestFolder(folder), { name, tunnel, externalHosts });
  return { ...cluster, mode };
}
