/**
 * What a control plane wants of every node: bridges with their ports and flows, and the network
 * stacks of the pods and the node behind those ports. Testbeds build the bridges, the fabric builds
 * the stacks; both from this same readonly data.
 */
import type { KnownContradiction } from '../known-contradiction.js';
import type { ProxyPlan } from './proxy-plan.js';
import type { ControlPlanePromises } from '../promises.js';
import type { FlowChange } from './flow-change.js';
import type { Listener, Topology } from '../topology.js';
import type { NatPlan } from './nat-plan.js';
import type { NorthboundPlan } from './northbound-plan.js';
import type { PortPlan, VlanPlan } from './port-plan.js';

export interface ClusterPlan {
  readonly nodes: readonly NodePlan[];
  /** Hosts outside the cluster, straight on the network between nodes; none where it is missing. */
  readonly externalHosts?: readonly HostPlan[];
  /**
   * What OVN compiles the flows of bridges from whose `origin` is `dumped`; missing where the
   * control plane gives all flows itself.
   */
  readonly northbound?: NorthboundPlan;
}

export interface NodePlan {
  readonly node: string;
  readonly bridges: readonly BridgePlan[];
  readonly hosts: readonly HostPlan[];
  readonly conntrack?: ConntrackPlan;
  /** Where the node's own connections are named pipes: on Windows. */
  readonly pipes?: readonly NamedPipe[];
  /** Missing where the control plane has given nothing out but port numbers. */
  readonly allocation?: Allocation;
}

/**
 * A connection within a node: to the database, to a bridge by OpenFlow, or from the CNI plugin to
 * its server.
 */
export interface NamedPipe {
  readonly use: 'OVSDB' | 'OpenFlow' | 'CNI';
  /** As Windows spells it: two backslashes, `.\pipe\cnisock`. */
  readonly name: string;
}

/**
 * What a node's agent has given out beside port numbers, and goes on from when the cluster changes.
 */
export interface Allocation {
  /** How often the agent has started since the switch was new: its flows tell by their cookies. */
  readonly round: number;
  /** Ids of conjunctions, by the rules that they stand for. */
  readonly ids: Readonly<Record<string, number>>;
  /** Ids below this one may stand in flows of an earlier round. */
  readonly firstId: number;
  /** Ids of groups, by the ports of Services that they stand for; missing where there are none. */
  readonly groups?: Readonly<Record<string, number>>;
  /** Groups with ids below this one may be there from an earlier round; 1 where it is missing. */
  readonly firstGroup?: number;
}

/** How a node's datapath tracks connections, where it does otherwise than it comes. */
export interface ConntrackPlan {
  /**
   * Connections that a zone takes, or each zone that is not named (ovs-vswitchd(8),
   * "dpctl/ct-set-limits").
   */
  readonly limits?: readonly { readonly zone: number | 'default'; readonly connections: number }[];
  /** Connections that all zones take together ("dpctl/ct-set-maxconns"). */
  readonly mostConnections?: number;
  /**
   * Whether sequence numbers of TCP have to be in their windows; they have where it is missing
   * ("dpctl/ct-disable-tcp-seq-chk").
   */
  readonly tcpSequences?: 'checked' | 'not checked';
  /**
   * Seconds that connections of a zone last, by the name of a timeout (ovs-vswitchd.conf.db(5),
   * CT_Timeout_Policy).
   */
  readonly timeouts?: readonly {
    readonly zone: number;
    readonly seconds: Readonly<Record<string, number>>;
  }[];
}

export interface BridgePlan {
  readonly name: string;
  /**
   * Where its flows, groups and meters come from: `desired` by the control plane, or `dumped` from
   * the switch once OVN has programmed it, and none before. `desired` where it is missing.
   */
  readonly origin?: 'desired' | 'dumped';
  /**
   * What OVN has compiled flows from, by their cookies, such as `0x1a2b`: a logical flow, or the
   * port or group that they are about. Missing where they are desired.
   */
  readonly sources?: Readonly<Record<string, string>>;
  /** MAC of the bridge's LOCAL port. */
  readonly mac: string;
  /** Where native tunnels leave and end. Only on the underlay's bridge. */
  readonly underlay?: UnderlayPlan;
  readonly ports: readonly PortPlan[];
  /**
   * One flow a line as ovs-ofctl(8) reads it, port names allowed; blank lines and # comments say
   * nothing.
   */
  readonly flows: readonly string[];
  /**
   * Flows that only OpenFlow 1.0 takes: it does not ask for the match that actions need. As
   * `ovs-ofctl -O OpenFlow10` reads them, ports as numbers.
   */
  readonly openflow10Flows?: readonly string[];
  /** The file whose lines `flows` are, where they come from one: complaints name it. */
  readonly flowsFile?: string;
  /**
   * One group a line, and one meter each, as ovs-ofctl(8) reads them ("Group Syntax", "Meter
   * Syntax").
   */
  readonly groups?: readonly string[];
  readonly meters?: readonly string[];
  /**
   * What tun_metadataN stands for: `{class=0x102,type=0x80,len=4}->tun_metadata0` each
   * (ovs-ofctl(8), "add-tlv-map").
   */
  readonly tunnelOptions?: readonly string[];
  /**
   * What the bridge does without flows and controller: nothing (`secure`), or it learns. `secure`
   * where it is missing.
   */
  readonly failMode?: 'secure' | 'standalone';
  /**
   * After how many seconds NORMAL forgets an address, and how many it remembers: 300 and 8192 where
   * they are missing (ovs-vswitchd.conf.db(5), "mac-aging-time", "mac-table-size").
   */
  readonly macTable?: { readonly ageingS?: number; readonly size?: number };
  /** Addresses that NORMAL neither forgets nor moves (ovs-vswitchd(8), "fdb/add"). */
  readonly staticMacs?: readonly StaticMac[];
  readonly mirrors?: readonly MirrorPlan[];
  /**
   * Multicast goes only to those who asked for it; to everybody where it is missing
   * (ovs-vswitchd.conf.db(5), "mcast_snooping_enable").
   */
  readonly multicastSnooping?: SnoopingPlan;
  /** VLANs of the bridge's own port, LOCAL. */
  readonly localVlan?: VlanPlan;
  /** The link of LOCAL, as that of other ports. */
  readonly localLink?: 'down';
  /** Destinations that bridges keep to themselves are forwarded (ovs-vswitchd.conf.db(5)). */
  readonly forwardBpdu?: true;
  /**
   * How IP fragments are looked up: without their ports where it is missing (ovs-ofctl(8),
   * "set-frags").
   */
  readonly fragments?: 'drop' | 'nx-match';
  /**
   * The controllers that are connected, at most one an id. A packet that another one should be told
   * of is told to nobody.
   */
  readonly controllers?: readonly ControllerPlan[];
}

export interface StaticMac {
  /** A port's name; LOCAL has the bridge's. */
  readonly port: string;
  readonly vlan: number;
  readonly mac: string;
}

/** The addresses of a bridge's LOCAL port, and what is known of the network behind it. */
export interface UnderlayPlan {
  readonly ip: string;
  readonly prefixLength: number;
  /** One of IPv6 beside it. */
  readonly ipv6?: { readonly ip: string; readonly prefixLength: number };
  /** The neighbours that tunnels reach, known from the start; of either family. */
  readonly neighbours: readonly { readonly ip: string; readonly mac: string }[];
  /** Routes beside those to the addresses' own networks. */
  readonly routes?: readonly UnderlayRoute[];
}

/** `ovs/route/add DESTINATION BRIDGE [GATEWAY] [pkt_mark=MARK]` (ovs-vswitchd(8)). */
export interface UnderlayRoute {
  /** `10.0.0.0/8` */
  readonly destination: string;
  readonly gateway?: string;
  /** The packets it is for: those with this pkt_mark; zero where it is missing. */
  readonly mark?: number;
}

/**
 * Copies of packets for somebody who watches: of ports by name, of VLANs (ovs-vswitchd.conf.db(5),
 * table Mirror).
 */
export interface MirrorPlan {
  readonly name: string;
  /**
   * What is copied: everything, or what comes in at or goes out of these ports; of that only these
   * VLANs, where any are named.
   */
  readonly select:
    | 'all'
    | { readonly sources: readonly string[]; readonly destinations: readonly string[] };
  readonly vlans: readonly number[];
  /** Where copies go: out of a port, or into a VLAN of the bridge. */
  readonly output:
    | { readonly kind: 'port'; readonly port: string }
    | { readonly kind: 'vlan'; readonly vlan: number };
  /** Bytes of a packet that are copied; all where it is missing. */
  readonly snapLength?: number;
}

/**
 * How a bridge snoops multicast, where it does otherwise than it comes (ovs-vswitchd.conf.db(5),
 * "mcast-snooping-…" of tables Bridge and Port).
 */
export interface SnoopingPlan {
  /**
   * After how many seconds it is forgotten who asked for a group, and how many groups are
   * remembered: 300 and 2048 where they are missing.
   */
  readonly ageingS?: number;
  readonly size?: number;
  /** Multicast that nobody asked for; flooded where it is missing. */
  readonly unregistered?: 'flooded' | 'to routers';
  /** Names of ports that get all multicast but reports, and of those that get all reports. */
  readonly flood?: readonly string[];
  readonly floodReports?: readonly string[];
}

/** The names of a node's ports whose links the plan has down, LOCAL ports by their bridge's. */
export function plannedDownPorts({ bridges }: Pick<NodePlan, 'bridges'>): readonly string[] {
  return bridges.flatMap(({ name, localLink, ports }) => [
    ...(localLink === 'down' ? [name] : []),
    ...ports.flatMap((port) => (port.link === 'down' ? [port.name] : [])),
  ]);
}

/** A controller that listens, and changes nothing but that packets which wait for it go on. */
export interface ControllerPlan {
  /**
   * The connection id that `controller(id=…)` and `dec_ttl(…)` mean; 0 where they name none
   * (ovs-actions(7)).
   */
  readonly id: number;
  /**
   * What becomes of a packet that waits (`controller(pause)`): it is resumed as it is, or never.
   */
  readonly paused: 'resumed' | 'kept';
}

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
   * for one that is on a network of its own accord: an external host's, and of a node's those that
   * no switch has.
   */
  readonly port?: string;
  readonly mac: string;
  readonly ip: string;
  readonly prefixLength: number;
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

/** A pure function from the desired cluster to what every node should hold. */
export interface ControlPlane<Cluster extends Topology> {
  readonly name: string;
  /** What it promises beside Kubernetes. */
  readonly promises: ControlPlanePromises<Cluster>;
  /** What it is known to do otherwise than promised; missing where nothing is. */
  readonly known?: readonly KnownContradiction[];
  /**
   * `before`: what the nodes hold already. A port or a rule that has a number there keeps it, and
   * what has just lost one leaves it unused.
   */
  plan(cluster: Cluster, before?: ClusterPlan): ClusterPlan;
  /**
   * What the node's agent goes on from when it has started anew: it knows no more than what stands
   * on its switch. Missing where agents remember nothing.
   */
  restarted?(before: ClusterPlan, node: string): ClusterPlan;
  /**
   * What the node's agent, once it has restarted and programmed all of the plan, removes of
   * earlier starts. Missing where it leaves nothing.
   */
  sweep?(plan: NodePlan): readonly FlowChange[];
}
