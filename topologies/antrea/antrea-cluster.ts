import { equalNodes, type EqualNodes } from '../equal-nodes.js';
import type { AntreaTopology, TunnelType } from './antrea-topology.js';

export interface AntreaClusterSize extends Omit<EqualNodes, 'name'> {
  readonly tunnel: TunnelType;
}

/** Nodes as `equalNodes` has them, with tunnels between all of them. */
export function antreaCluster({ tunnel, ...size }: AntreaClusterSize): AntreaTopology {
  const nodes = equalNodes({ ...size, name: `antrea-${size.nodes}x${size.podsPerNode}` });
  return { ...nodes, mode: 'encap', tunnel };
}
