/**
 * A Windows node as plain data: what the Host Networking Service, Open vSwitch and the host's own
 * network settings hold. The functions beside this file change it one step at a time, as the agent
 * and the CNI plugin do; what a node's plan is made of is read from it.
 */
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';

export interface WindowsHost {
  readonly node: string;
  readonly adapters: readonly Adapter[];
  readonly network?: HnsNetwork;
  /** Networks on the switch that `network` has made; none where it is missing. */
  readonly subnets?: readonly HnsSubnet[];
  readonly endpoints: readonly HnsEndpoint[];
  /** What host-local has on disk: who holds which address, and the one that was given out last. */
  readonly leases: readonly Lease[];
  readonly lastLeased?: string;
  /**
   * Agent and daemons of Open vSwitch: one HostProcess pod, so that one does not live without the
   * other (the seed, "Antrea and OVS Management on Windows").
   */
  readonly processes: 'not started' | 'running' | 'dead';
  /** What is in the database of Open vSwitch; it outlives the daemons. */
  readonly bridge?: OvsBridge;
  readonly routes: readonly HostRoute[];
  /** Permanent entries of the neighbour cache. */
  readonly neighbours: readonly {
    readonly interface: string;
    readonly ip: string;
    readonly mac: string;
  }[];
  /**
   * Names of the interfaces that forward what is not for the host (Set-NetIPInterface, "-Forwarding
   * Enabled").
   */
  readonly forwarding: readonly string[];
  /** What kube-proxy has put on "HNS Internal NIC", and where it listens. */
  readonly serviceAddresses: readonly string[];
  readonly proxies: readonly ProxyPlan[];
  readonly netNat?: { readonly name: string; readonly internalPrefix: string };
}

export interface Adapter {
  readonly name: string;
  readonly kind: 'physical' | 'virtual';
  readonly mac: string;
  /** None for an adapter whose settings were moved to a virtual one. */
  readonly address?: { readonly ip: string; readonly prefixLength: number };
}

/**
 * The HNS network and the external Hyper-V switch that it made (the seed, "HNS Network
 * configuration").
 */
export interface HnsNetwork {
  readonly name: string;
  readonly type: 'Transparent';
  /** The physical adapter that it took, and the virtual one that has its settings now. */
  readonly adapter: string;
  readonly virtualAdapter: string;
  readonly subnet: string;
  readonly extension: 'disabled' | 'enabled';
}

/** A network on the switch that another one has made. */
export interface HnsSubnet {
  readonly id: string;
  readonly name: string;
  readonly subnet: string;
  readonly gateway: string;
}

export interface HnsEndpoint {
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  readonly sandbox: string;
  readonly dns: DnsSettings;
  /** The containers it is attached to, in the order they were. */
  readonly containers: readonly string[];
  /** Of one on a `HnsSubnet`, the network's id; missing for one of the node's own network. */
  readonly network?: string;
  readonly gateway?: string;
  /** The network compartment of its container. */
  readonly compartment?: number;
  /** What Windows calls its adapter. */
  readonly friendlyName?: string;
}

export interface DnsSettings {
  readonly servers: readonly string[];
  readonly search: readonly string[];
}

export interface Lease {
  readonly ip: string;
  /** The sandbox that holds it. */
  readonly sandbox: string;
}

export interface OvsBridge {
  readonly name: string;
  readonly ports: readonly OvsPort[];
}

/** `LOCAL` is the bridge's own port; `pod` has the name of its HNS endpoint. */
export type OvsPort =
  | { readonly kind: 'local' | 'uplink' | 'gateway' | 'pod'; readonly name: string }
  | { readonly kind: 'tunnel'; readonly name: string; readonly localIp: string };

export interface HostRoute {
  readonly destination: string;
  /** The next hop; `on-link` where the destination itself is the neighbour. */
  readonly via: string;
  readonly interface: string;
  /** For whom it is: it goes with it. */
  readonly purpose:
    | { readonly kind: 'local subnet' | 'virtual service address' | 'services' }
    | { readonly kind: 'node'; readonly name: string };
}

/** What a step makes of the host, or why it refuses. */
export type HostChange =
  | { readonly kind: 'done'; readonly host: WindowsHost }
  | { readonly kind: 'refused'; readonly missed?: string; readonly why: string };

/** A node before the agent was ever there. */
export function freshHost(node: string, adapters: readonly Adapter[]): WindowsHost {
  return {
    node,
    adapters,
    endpoints: [],
    leases: [],
    processes: 'not started',
    routes: [],
    neighbours: [],
    forwarding: [],
    serviceAddresses: [],
    proxies: [],
  };
}

export function changedHost(host: WindowsHost, change: Partial<WindowsHost> = {}): HostChange {
  return { kind: 'done', host: { ...host, ...change } };
}

/** `item` at the end, in place of what has the same `key`. */
export function upsert<Item>(
  items: readonly Item[],
  item: Item,
  key: (item: Item) => string,
): readonly Item[] {
  const at = items.findIndex((other) => key(other) === key(item));
  return at < 0 ? [...items, item] : items.with(at, item);
}
