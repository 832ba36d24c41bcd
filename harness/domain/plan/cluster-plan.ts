/**
 * What a control plane wants of every node: bridges with their ports and flows, and the network
 * stacks of the pods and the node behind those ports. Testbeds build the bridges, the fabric builds
 * the stacks; both from this same readonly data.
 */
import type { DumpedNode } from './dumped-node.js';
import type { NorthboundPlan } from './northbound-plan.js';
import type { BridgePlan } from './bridge-plan.js';
import type { HostPlan } from './host-plan.js';
import type { LinkProperties } from '../link.js';

export interface ClusterPlan {
  readonly nodes: readonly NodePlan[];
  /** Hosts outside the cluster, straight on the network between nodes; none where it is missing. */
  readonly externalHosts?: readonly HostPlan[];
  /**
   * What OVN compiles the flows of bridges from whose `origin` is `dumped`; missing where the
   * control plane gives all flows itself.
   */
  readonly northbound?: NorthboundPlan;
  /**
   * What programs that were run for the plan have left differently from what they promise, a
   * sentence each; missing where it is nothing. A step that leads to such a plan diverges.
   */
  readonly leftWrong?: readonly string[];
}

export interface NodePlan {
  readonly node: string;
  readonly bridges: readonly BridgePlan[];
  readonly hosts: readonly HostPlan[];
  /** How it carries what the node sends to others; a perfect one where it is missing. */
  readonly link?: LinkProperties;
  readonly conntrack?: ConntrackPlan;
  /** VLAN tags of a packet that are read: 1 where it is missing (other_config:vlan-limit). */
  readonly tagsMax?: 1 | 2;
  /** Set where the datapath keeps no flows: ovs-vswitchd looks each packet up (flow-limit 0). */
  readonly uncached?: true;
  /** Where the node's own connections are named pipes: on Windows. */
  readonly pipes?: readonly NamedPipe[];
  /** Missing where the control plane has given nothing out but port numbers. */
  readonly allocation?: Allocation;
  /** What real switches are built from in its place; missing for a plan that nobody has dumped. */
  readonly asDumped?: DumpedNode;
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
 * What a node's agent has given out beside port numbers, and continues from when the cluster
 * changes.
 */
export interface Allocation {
  /**
   * How often the agent has started since the switch was new: the cookies of its flows carry it.
   */
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

/** How a node's datapath tracks connections, where it differs from the default. */
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

/** The names of a node's ports whose links the plan has down, LOCAL ports by their bridge's. */
export function plannedDownPorts({ bridges }: Pick<NodePlan, 'bridges'>): readonly string[] {
  return bridges.flatMap(({ name, localLink, ports }) => [
    ...(localLink === 'down' ? [name] : []),
    ...ports.flatMap((port) => (port.link === 'down' ? [port.name] : [])),
  ]);
}
