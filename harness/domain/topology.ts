/**
 * A network as people describe it: nodes and pods with their addresses. Plain readonly data, built
 * by the pure functions of topologies/ or read from YAML. Knows no switch, no port and no flow.
 */

import type { LinkProperties } from './link.js';

/**
 * What any network has. What one control plane alone has to know of it stands beside this, in an
 * extension of its own (topologies/SYSTEM), which that control plane reads.
 */
export interface Topology {
  readonly name: string;
  /** CIDR of Service ClusterIPs (kubeadm's default is 10.96.0.0/12). */
  readonly serviceCidr: string;
  readonly nodes: readonly Node[];
  /** Hosts outside the cluster; none where it is missing. */
  readonly externalHosts?: readonly ExternalHost[];
  /** What joins the networks of nodes, where there are several; none where it is missing. */
  readonly routers?: readonly Router[];
  /**
   * The address of IPv6, or the block, that stands beside one of IPv4, by that one; hosts speak
   * IPv4 alone where it is missing.
   */
  readonly ipv6?: Readonly<Record<string, string>>;
}

/**
 * It forwards between its networks, and knows no pod. Nodes send to it what is for other networks.
 */
export interface Router {
  /** Unique in the cluster, also among nodes, pods and external hosts. */
  readonly name: string;
  readonly interfaces: readonly {
    readonly ip: string;
    readonly prefixLength: number;
    readonly mac: string;
  }[];
}

export interface Node {
  readonly name: string;
  /** `linux` where it is missing. */
  readonly os?: 'linux' | 'windows';
  /** The node's own address on the network between nodes. */
  readonly underlay: { readonly ip: string; readonly prefixLength: number; readonly mac: string };
  /**
   * Network cards beside the one that the pods' traffic leaves by, on networks of their own; none
   * where it is missing.
   */
  readonly adapters?: readonly Adapter[];
  /** The CIDR that the node's pods live in. Its first address belongs to the node's gateway. */
  readonly podCidr: string;
  /** The node's end of its pods' subnet. */
  readonly gateway: { readonly ip: string; readonly mac: string };
  readonly pods: readonly Pod[];
  /** How it carries what the node sends to others; a perfect one where it is missing. */
  readonly link?: LinkProperties;
  /**
   * What its own stack answers on beside the echo service's port, 7: that of pods on the host's
   * network.
   */
  readonly listens?: readonly Listener[];
}

export interface Adapter {
  readonly name: string;
  readonly ip: string;
  readonly prefixLength: number;
  readonly mac: string;
}

export interface Pod {
  /** Unique in the cluster. */
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  /** What it answers on beside the echo service's own port, 7. */
  readonly listens?: readonly Listener[];
  /**
   * It may move to another node while it runs: with its address, whose subnet that is not, and with
   * its connections.
   */
  readonly migratable?: true;
}

/** A host that is not in the cluster, on the network between its nodes. */
export interface ExternalHost {
  /** Unique in the cluster, also among nodes and pods. */
  readonly name: string;
  /** Its address on the network between nodes, or on that of a node's other adapter. */
  readonly ip: string;
  readonly mac: string;
  /**
   * The node that its packets for load balancers come to: which one, the load balancer says.
   * Missing where it knows no way to those.
   */
  readonly balancedTo?: string;
  /** What it answers on beside the echo service's own port, 7. */
  readonly listens?: readonly Listener[];
}

/** An echo service (RFC 862) on a port of one's own. */
export interface Listener {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly port: number;
}

/** Every pod of the cluster with the node it runs on, in the topology's order. */
export function podsOf({
  nodes,
}: Pick<Topology, 'nodes'>): readonly { readonly pod: Pod; readonly node: Node }[] {
  return nodes.flatMap((node) => node.pods.map((pod) => ({ pod, node })));
}
