import { fileURLToPath } from 'node:url';
import type { Cluster } from '../harness/kube/objects.js';
import type { TunnelType } from '../harness/domain/topology.js';
import { externalAddress, macOf } from './antrea-cluster.js';
import { readCluster } from './kubernetes.js';
import { readManifestFolder } from './manifest-folder.js';

/**
 * Two nodes with the Services of the folder topologies/services, and two hosts outside, each of
 * which a load balancer sends to a node of its own; one of the Services leads to the first.
 */
export function servicesCluster(tunnel: TunnelType): Cluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(new URL('../../topologies/services', import.meta.url));
  const externalHosts = [1, 2].map((number) => ({
    name: `x${number}`,
    ip: externalAddress(number),
    mac: macOf(externalAddress(number)),
    balancedTo: `n${number}`,
  }));
  return readCluster(readManifestFolder(folder), { name: 'services', tunnel, externalHosts });
}
