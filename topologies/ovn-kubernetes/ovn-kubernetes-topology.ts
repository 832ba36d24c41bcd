/** What a network has beside what any has, where ovn-kubernetes programs it. */
import type { Network } from '../../harness/kube/objects.js';

export const zoneLayouts = ['one', 'a-node'] as const;
export type ZoneLayout = (typeof zoneLayouts)[number];

/**
 * How pods leave the cluster: by their node's gateway router, or by the stack of their node
 * (ovn-kubernetes, `gateway-mode`).
 */
export const gatewayModes = ['shared', 'local'] as const;
export type GatewayMode = (typeof gatewayModes)[number];

/** Of the addresses that pods and routers have: IPv4, IPv6, or both. */
export const families = ['ipv4', 'ipv6', 'dual'] as const;
export type AddressFamily = (typeof families)[number];

export interface OvnKubernetesOptions {
  /** How many zones of OVN there are: one for all nodes, or one a node, interconnected. */
  readonly zones: ZoneLayout;
  /** Where there are addresses of IPv6, whether those are all; `dual` where it is missing. */
  readonly family?: 'ipv6' | 'dual';
  /** `shared` where it is missing. */
  readonly gatewayMode?: GatewayMode;
  /** The network between the routers of zones. */
  readonly transit: { readonly first: string; readonly prefixLength: number };
  /** The block that the subnets of all nodes are in. */
  readonly clusterCidr: string;
  /** The network between the cluster's router and the gateway routers. */
  readonly join: { readonly first: string; readonly prefixLength: number };
  /** The address of each node's gateway router on the network between nodes, by node. */
  readonly gateways: Readonly<Record<string, string>>;
  /** The MAC address of every machine's gateway, whichever node it runs on (the seed). */
  readonly arpProxyMac: string;
  /**
   * How gateway routers know the MAC addresses of hosts outside: they are given them, or learn them
   * from what those say. Given where it is missing.
   */
  readonly hostsOutside?: 'learned';
  /**
   * Addresses of those that they have learned, by node, where that is not all: packets to others
   * wait.
   */
  readonly knownOutside?: Readonly<Record<string, readonly string[]>>;
  /**
   * The way out of gateway routers: a port of type localnet; an ordinary one where it is missing.
   */
  readonly wayOut?: 'localnet';
  readonly dnsServer: string;
  readonly machines: readonly VirtualMachine[];
  /** What a zone's controller knows of them, by node, where that is not all by now. */
  readonly heardMachines?: Readonly<Record<string, readonly VirtualMachine[]>>;
  /** None where it is missing. */
  readonly egressIps?: readonly EgressIp[];
}

/** An EgressIP, once it is assigned: the node, and the pods that it selects, by name. */
export interface EgressIp {
  readonly name: string;
  /** On the network between nodes. */
  readonly ip: string;
  readonly node: string;
  readonly pods: readonly string[];
}

export type OvnKubernetesTopology = Network & OvnKubernetesOptions;

/**
 * A virtual machine of KubeVirt, with the address that IPAM keeps for it wherever it runs. Where
 * its guest runs is the node that has a pod of this name.
 */
export interface VirtualMachine {
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  /** Its virt-launcher pods, those of migrations among them. */
  readonly launchers: readonly LauncherPod[];
  /**
   * Pods that have talked to it as neighbours: they keep its MAC, which nobody answers to where it
   * has left, until they forget it. None where it is missing.
   */
  readonly knownTo?: readonly string[];
}

/** A Pod, as far as ovn-kubernetes reads it (the seed, "Detecting migratable VMs"). */
export interface LauncherPod {
  readonly metadata: {
    readonly name: string;
    /** RFC 3339 */
    readonly creationTimestamp: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName: string };
  readonly status: { readonly phase: 'Running' | 'Succeeded' | 'Failed' };
}

/** The names that the seed has for labels and annotations ("Detecting migratable VMs"). */
export const kubevirt = {
  migratable: 'kubevirt.io/allow-pod-bridge-network-live-migration',
  machine: 'vm.kubevirt.io/name',
  nodeName: 'kubevirt.io/nodeName',
  targetReady: 'kubevirt.io/migration-target-start-timestamp',
} as const;
