import type { AntreaTopology, TrafficMode, TunnelType } from './antrea-topology.js';
import { antreaCluster } from './antrea-cluster.js';
import { macOf, underlayPrefixLength } from '../addresses.js';

export interface MixedCluster {
  /** A letter a node, in order: `WWL` is two Windows nodes and a Linux node. */
  readonly nodes: string;
  readonly podsPerNode: number;
  readonly mode: TrafficMode;
  readonly tunnel: TunnelType;
  /** None by default. */
  readonly externalHosts?: number;
}

/** A cluster of Windows and Linux nodes, with the addresses of `antreaCluster`. */
export function mixedCluster({ nodes, mode, ...size }: MixedCluster): AntreaTopology {
  const cluster = antreaCluster({ ...size, nodes: nodes.length });
  return {
    ...cluster,
    name: `antrea-${nodes}x${size.podsPerNode}-${mode}`,
    mode,
    nodes: cluster.nodes.map((node, index) =>
      nodes[index] === 'W' ? { ...node, os: 'windows' } : node,
    ),
  };
}

/**
 * Several networks of nodes, `WL/W` is two on the first and one on the second, with the router r1
 * between them. The k-th network is 172.(29+k).0.0/16; names and all other addresses are those of
 * `antreaCluster`.
 */
export function routedCluster({ nodes, ...more }: MixedCluster): AntreaTopology {
  const networks = [...nodes]
    .reduce<readonly number[]>(
      (found, letter) => (letter === '/' ? [...found, 0] : found.with(-1, (found.at(-1) ?? 0) + 1)),
      [0],
    )
    .flatMap((count, network) => Array.from({ length: count }, () => network));
  const cluster = mixedCluster({ nodes: nodes.replaceAll('/', ''), ...more });
  return {
    ...onNetworks(cluster, networks),
    name: `antrea-${nodes.replaceAll('/', '-')}x${more.podsPerNode}-${more.mode}`,
  };
}

/**
 * The cluster with each node on the network of its number, from 0 on, and r1 between the networks.
 */
export function onNetworks(cluster: AntreaTopology, networks: readonly number[]): AntreaTopology {
  const on = (network: number, ip: string) => ip.replace('172.30.', `172.${30 + network}.`);
  const address = (ip: string) => ({ ip, mac: macOf(ip), prefixLength: underlayPrefixLength });
  return {
    ...cluster,
    nodes: cluster.nodes.map((node, index) => ({
      ...node,
      underlay: address(on(networks[index] ?? 0, node.underlay.ip)),
    })),
    routers: [
      {
        name: 'r1',
        interfaces: [...new Set(networks)].map((network) => address(on(network, '172.30.255.254'))),
      },
    ],
  };
}

/**
 * One Windows node with two adapters, and a host on the network of each: x1 by the uplink, x2 by
 * Ethernet1.
 */
export function severalAdapters(): AntreaTopology {
  const topology = mixedCluster({
    nodes: 'W',
    podsPerNode: 2,
    mode: 'encap',
    tunnel: 'geneve',
    externalHosts: 1,
  });
  const address = (ip: string) => ({ ip, mac: macOf(ip) });
  const adapter = { name: 'Ethernet1', prefixLength: 24, ...address('192.168.100.1') };
  return {
    ...topology,
    name: 'antrea-W-two-adapters',
    nodes: topology.nodes.map((node) => ({ ...node, adapters: [adapter] })),
    externalHosts: [...(topology.externalHosts ?? []), { name: 'x2', ...address('192.168.100.9') }],
  };
}
