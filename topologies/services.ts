import { fileURLToPath } from 'node:url';
import type { Cluster } from '../harness/kube/objects.js';
import type { TunnelType } from '../harness/nouns/topology.js';
import { externalAddress, macOf } from './antrea-cluster.js';
import { readCluster } from './kubernetes.js';
import { readManifestFolder } from './manifest-folder.js';

/** Two nodes with the Services of the folder topologies/services, and a host outside that one of them leads to. */
export function servicesCluster(tunnel: TunnelType): Cluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(new URL('../../topologies/services', import.meta.url));
  const ip = externalAddress(1);
  return { ...readCluster(readManifestFolder(folder), { name: 'services', tunnel }), externalHosts: [{ name: 'x1', ip, mac: macOf(ip) }] };
}
