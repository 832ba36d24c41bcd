/** What happens to a cluster in a timeline. */
import type { Manifest } from './changing-cluster.js';

/**
 * `id` is unique in a list. Hosts by name, nodes on the network between nodes as `Node n1`, and
 * Services as `Service web`: what has left is sent to all the same.
 */
export type TrafficEvent =
  | {
      readonly kind: 'send';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly service:
        | { readonly protocol: 'TCP' | 'UDP'; readonly port: number; readonly calls?: number }
        | { readonly protocol: 'ICMP' };
    }
  | {
      readonly kind: 'open';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly port: number;
    }
  /** By the connection that was opened under this id. */
  | { readonly kind: 'talk'; readonly id: string; readonly connection: string };
export type ManifestChange = Extract<ClusterEvent, { readonly kind: 'apply' | 'delete' }>;
export type ClusterEvent =
  | { readonly kind: 'apply'; readonly manifest: Manifest }
  | { readonly kind: 'delete'; readonly object: Pick<Manifest, 'kind' | 'metadata'> }
  /** Until its agent has programmed it again, or has swept, this happens. */
  | {
      readonly kind: 'switch restarts' | 'node restarts' | 'agent restarts';
      readonly node: string;
      readonly meanwhile: readonly TrafficEvent[];
    }
  /**
   * The node's agent is gone while this happens; then it restarts and sweeps, and nothing is sent
   * in between: until then rules that it missed the end of stand beside new ones.
   */
  | {
      readonly kind: 'agent is gone';
      readonly node: string;
      readonly meanwhile: readonly ClusterEvent[];
    }
  /**
   * These agents receive the change one after the other, each when what stands before it has been
   * sent.
   */
  | {
      readonly kind: 'not all hear';
      readonly change: ManifestChange;
      readonly late: readonly { readonly node: string; readonly before: readonly TrafficEvent[] }[];
    }
  | TrafficEvent;
