import { fileURLToPath } from 'node:url';
import { readManifestFolder } from '../manifest-folder.js';
import { ovnCniCluster } from './ovn-cni-cluster.js';
import type { OvnCniCluster } from './ovn-cni-topology.js';

/** Two nodes and six pods under the policies of the folder topologies/ovn-cni/shop. */
export function shop(): OvnCniCluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(new URL('../../../topologies/ovn-cni/shop', import.meta.url));
  return ovnCniCluster(readManifestFolder(folder), 'shop', 'has followed');
}
