/** Network stacks of a plan. */
import type { Listener } from '../topology.js';
import type { NatPlan } from './nat-plan.js';
import type { ProxyPlan } from './proxy-plan.js';

/** A network stack: a pod's, the node's own, or that of a host outside the cluster. */
export interface HostPlan {
  /** Unique in the cluster: the pod's, the node's or the external host's name. */
  readonly name: string;
  readonly kind: 'pod' | 'linux-node' | 'windows-node' | 'external';
  readonly interfaces: readonly InterfacePlan[];
  readonly routes: readonly RoutePlan[];
  /** Echo services beside those on port 7, which every host has. */
  readonly listens?: readonly Listener[];
  /**
   * Packets for others are forwarded, translated like this (ip-sysctl, "ip_forward"); they are
   * dropped where it is missing.
   */
  readonly forwarding?: NatPlan;
  /**
   * The interfaces, by name, from which it does so (Microsoft, "Set-NetIPInterface", -Forwarding);
   * all where it is missing. Answers to what was translated are let through in any case.
   */
  readonly forwardsFrom?: readonly string[];
  /** Neighbours that need not be asked for. */
  readonly neighbours?: readonly { readonly ip: string; readonly mac: string }[];
  /** Programs that take connections and open others in their place. */
  readonly proxies?: readonly ProxyPlan[];
}

export interface InterfacePlan {
  readonly name: string;
  /**
   * The switch port at the other end: a port's name, or a bridge's name for its LOCAL port. Missing
   * for one that is on a network by itself: an external host's, and of a node's those that
   * no switch has.
   */
  readonly port?: string;
  readonly mac: string;
  readonly ip: string;
  readonly prefixLength: number;
  /** Beside the one of the link that follows from its MAC; no IPv6 where it is missing. */
  readonly ipv6?: { readonly ip: string; readonly prefixLength: number };
}

/**
 * A route beside the connected ones: `destination via gateway dev interface [onlink]`, as
 * ip-route(8) has it.
 */
export interface RoutePlan {
  readonly destination: string;
  readonly via: string;
  readonly interface: string;
  /** The gateway is taken to be on the link although no connected route covers it. */
  readonly onlink: boolean;
}
