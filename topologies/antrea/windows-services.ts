import { fileURLToPath } from 'node:url';
import type { AntreaCluster, TrafficMode } from './antrea-topology.js';
import { macOf } from '../addresses.js';
import { readAntreaCluster } from './read-antrea-cluster.js';
import { readManifestFolder } from '../manifest-folder.js';

/** The host outside of the cluster. */
const outside = '172.30.255.1';

/**
 * A Windows node that has ports for Services, whose endpoints are on it, on a Linux node and in
 * that one's host network, and x1 outside, which asks.
 */
export function windowsNodePorts(mode: TrafficMode): AntreaCluster {
  return mixed('windows-node-ports', mode, 'linux');
}

/**
 * A Windows node, and Services with one endpoint each: on the same node, on the other one, in its
 * host network, and on x1 outside.
 */
export function windowsServices(mode: TrafficMode, other: 'windows' | 'linux'): AntreaCluster {
  return mixed('windows-services', mode, other);
}

function mixed(name: string, mode: TrafficMode, other: 'windows' | 'linux'): AntreaCluster {
  // Compiled, this file stands in dist/topologies.
  const folder = fileURLToPath(new URL(`../../../topologies/antrea/${name}`, import.meta.url));
  const cluster = readAntreaCluster(readManifestFolder(folder), {
    name: `${name}-${mode}`,
    tunnel: 'geneve',
  });
  return onWindows(cluster, mode, other);
}

/** The cluster with its first node on Windows, and x1 outside. */
export function onWindows(
  cluster: AntreaCluster,
  mode: TrafficMode,
  other: 'windows' | 'linux',
): AntreaCluster {
  return {
    ...cluster,
    mode,
    nodes: cluster.nodes.map((node, index) => ({ ...node, os: index === 0 ? 'windows' : other })),
    externalHosts: [{ name: 'x1', ip: outside, mac: macOf(outside) }],
  };
}
