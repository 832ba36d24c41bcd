import { fileURLToPath } from 'node:url';
import type { ManifestFile } from '../../harness/kube/manifests.js';
import { readManifestFolder } from '../manifest-folder.js';
import { ovnCniCluster } from './ovn-cni-cluster.js';
import type { OvnCniCluster } from './ovn-cni-topology.js';

/** Two nodes and six pods under the policies of the folder topologies/ovn-cni/shop. */
export function shop(): OvnCniCluster {
  return ovnCniCluster(filesOf('shop'), 'shop', 'has followed');
}

/**
 * The same pods under policies about what goes out and about blocks with exceptions, those of the
 * folder topologies/ovn-cni/shop-egress.
 */
export function shopWithEgress(enforced: OvnCniCluster['enforced']): OvnCniCluster {
  const cluster = filesOf('shop').filter(({ file }) => file.endsWith('cluster.yaml'));
  const files = [...cluster, ...filesOf('shop-egress')];
  return { ...ovnCniCluster(files, 'shop-egress', 'has followed'), ...(enforced && { enforced }) };
}

function filesOf(name: 'shop' | 'shop-egress'): readonly ManifestFile[] {
  // Compiled, this file stands in dist/topologies.
  const folders = new URL('../../../topologies/ovn-cni/', import.meta.url);
  return readManifestFolder(fileURLToPath(new URL(name, folders)));
}
