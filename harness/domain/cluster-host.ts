import type { Listener, Node } from './topology.js';

/** A host on a node's pod subnet: a pod, or the node's own stack at its end of that subnet. */
export interface ClusterHost {
  readonly kind: 'pod' | 'node';
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  readonly node: Node;
  /** What it answers on beside the echo service's own port. */
  readonly listens: readonly Listener[];
  readonly migratable?: true;
}

/** A host on the network between nodes: a node by its own address, or an external host. */
export interface UnderlayHost {
  readonly kind: 'node' | 'external';
  readonly os: 'linux' | 'windows';
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  readonly listens: readonly Listener[];
}
