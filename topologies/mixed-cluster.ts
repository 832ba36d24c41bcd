import type { Topology, TrafficMode, TunnelType } from '../harness/nouns/topology.js';
import { antreaCluster } from './antrea-cluster.js';

export interface MixedCluster {
  /** A letter a node, in order: `WWL` is two Windows nodes and a Linux node. */
  readonly nodes: string;
  readonly podsPerNode: number;
  readonly mode: TrafficMode;
  readonly tunnel: TunnelType;
  /** None unless told. */
  readonly externalHosts?: number;
}

/** A cluster of Windows and Linux nodes, with the addresses of `antreaCluster`. */
export function mixedCluster({ nodes, mode, ...size }: MixedCluster): Topology {
  const cluster = antreaCluster({ ...size, nodes: nodes.length });
  return { ...cluster, name: `antrea-${nodes}x${size.podsPerNode}-${mode}`, mode, nodes: cluster.nodes.map((node, index) => (nodes[index] === 'W' ? { ...node, os: 'windows' } : node)) };
}
