import type { Topology } from '../../harness/domain/topology.js';
import { equalNodes, type EqualNodes } from '../equal-nodes.js';

/**
 * Nodes as `equalNodes` has them: each node's pods are on a logical switch, and its gateway is the
 * port of the logical router there.
 */
export function ovnCluster(size: Omit<EqualNodes, 'name'>): Topology {
  return equalNodes({ ...size, name: `ovn-${size.nodes}x${size.podsPerNode}` });
}
