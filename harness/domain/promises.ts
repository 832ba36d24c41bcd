/**
 * What a control plane promises beside what Kubernetes does, which L0 is composed of: Kubernetes
 * says who reaches whom, and a control plane by which way, and whom the other end sees.
 */
import type { ClusterHost, UnderlayHost } from './cluster-host.js';
import type { Intent, InterjectionIntent, PathIntent } from './intent.js';
import type { Announced, FrameSpec, Interjection, Stimulus } from './test-vector.js';
import type { Node, Topology } from './topology.js';

/** A time in which not everything is promised. */
export interface Unsettled {
  readonly why: string;
  /** By what other addresses the sender may be seen. */
  readonly sources: readonly string[];
}

/** How a router ends a packet whose TTL is over (RFC 1812, 5.3.1). */
export type RouterOnPath = 'reports an expired TTL' | 'drops an expired TTL';

export interface ControlPlanePromises<Network extends Topology = Topology> {
  /**
   * Everything that is promised, where Kubernetes has no part in it: nothing else is asked then.
   * Missing where L0 is composed.
   */
  whole?(network: Network, stimulus: Stimulus): Intent;
  /**
   * The network that IPv4 would be asked about, for what is sent over IPv6: with what is known of
   * addresses of IPv6 said of those that they stand beside. The network itself where it is missing.
   */
  forIpv6?<One extends Network>(network: One): One;
  /** The address by which `to` sees `from`. */
  sourceSeen(network: Network, from: ClusterHost, to: ClusterHost): string;
  /** The addresses by which an endpoint of a Service may see `from`. */
  sourcesAtEndpoint(network: Network, from: ClusterHost, endpoint: string): readonly string[];
  /** The routers on the way, in order, each of which takes one off the TTL. */
  routersBetween(network: Network, from: ClusterHost, to: ClusterHost): readonly RouterOnPath[];
  /** The way through both nodes, there and back; undefined where nothing is said about it. */
  pathBetween(
    network: Network,
    from: ClusterHost,
    to: ClusterHost,
  ): readonly PathIntent[] | undefined;
  /** The way between two hosts of the network between nodes; empty where nothing is said. */
  underlayPath(from: UnderlayHost, to: UnderlayHost): readonly PathIntent[];
  /**
   * Routers of the control plane that have addresses on the network between nodes; none where it
   * is missing.
   */
  routersOnUnderlay?(
    network: Network,
  ): readonly { readonly name: string; readonly ip: string; readonly mac: string }[];
  /** Who answers an ARP request of `from`. */
  arp(network: Network, from: ClusterHost, target: string): Intent;
  /** What DHCP, or DHCPv6, gives to `from`. Missing where nothing is ever promised of it. */
  dhcp?(network: Network, from: ClusterHost, version: 4 | 6): Intent;
  /** What OVN makes known of a node's gateway. Missing where nothing is ever promised of it. */
  announced?(network: Network, from: Node, stimulus: Announced): Intent;
  /**
   * A frame that `from` writes past its stack; undefined where it gets what its stack would get by
   * sending the same.
   */
  frame(network: Network, from: ClusterHost, frame: FrameSpec): Intent | undefined;
  /** A segment that does not belong to the connection in which it is sent. */
  interjection(
    opener: ClusterHost,
    answerer: ClusterHost,
    interjection: Interjection,
  ): InterjectionIntent;
  /** What leaves the cluster; undefined for what stays. */
  egress(network: Network, from: ClusterHost, stimulus: Stimulus): Intent | undefined;
  /** What goes to a port of a node where a program takes it; undefined for everything else. */
  nodePort(network: Network, stimulus: Stimulus): Intent | undefined;
  /**
   * What is different where a Service is asked for by a port of a node. Missing where nothing is:
   * pods of other nodes come by the address of theirs, and those of the node are seen as it.
   */
  readonly atNodePorts?: {
    /** By which address a pod of another node comes. */
    comesAs(network: Network, pod: ClusterHost): string;
    readonly ownPods: 'as by the ClusterIP';
    /** What a sender over TCP gets where nobody is there. */
    readonly nobody: 'a reset';
  };
  /** `promise` of a Service's address, with what is said about the way. */
  service(network: Network, from: ClusterHost, stimulus: Stimulus, promise: Intent): Intent;
  /** The same of ports and addresses of nodes; the promise itself where it is missing. */
  fromOutside?(network: Network, stimulus: Stimulus, promise: Intent): Intent;
  /**
   * Why what one sends to the other may get lost as things stand; undefined where nothing may.
   * Missing where nothing ever may. @param to undefined where it leaves the cluster.
   */
  unsettled?(
    network: Network,
    from: ClusterHost,
    to: ClusterHost | undefined,
  ): Unsettled | undefined;
}
