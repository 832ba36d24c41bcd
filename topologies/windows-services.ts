import { fileURLToPath } from 'node:url';
import type { Cluster } from '../harness/kube/objects.js';
import type { TrafficMode } from '../harness/domain/topology.js';
import { macOf } from './antrea-cluster.js';
import { readCluster } from './kubernetes.js';
import { readManifestFolder } from './manifest-folder.js';

/** The host outside of the cluster. */
const outside = '172.30.255.1';

/**
 * A Windows node that has ports for Services, whose endpoints are on it, on a Linux node and in
 * that one's host network, and x1 outside, which asks.
 */
export function windowsNodePorts(mode: TrafficMode): Cluster {
  return mixed('windows-node-ports', mode, 'linux');
}

/**
 * A Windows node, and Services with one endpoint each: on the same node, on the other one, in its
 * host network, and on x1 outside.
 */
export function windowsServices(mode: TrafficMode, other: 'windows' | 'linux'): Cluster {
  return mixed('windows-services', mode, other);
}

function mixed(name: string, mode: TrafficMode, other: 'windows' | 'linux'): Cluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(new URL(`../../topologies/${name}`, import.meta.url));
  const cluster = readCluster(readManifestFolder(folder), {
    name: `${name}-${mode}`,
    tunnel: 'geneve',
  });
  return onWindows(cluster, mode, other);
}

/** The cluster with its first node on Windows, and x1 outside. */
export function onWindows(
  cluster: Cluster,
  mode: TrafficMode,
  other: 'windows' | 'linux',
): Cluster {
  return {
    ...cluster,
    mode,
    nodes: cluster.nodes.map((node, index) => ({ ...node, os: index === 0 ? 'windows' : other })),
    externalHosts: [{ name: 'x1', ip: outside, mac: macOf(outside) }],
  };
}
