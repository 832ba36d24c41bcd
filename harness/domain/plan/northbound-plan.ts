/**
 * What a control plane wants of OVN: the northbound rows of each zone. OVN's own daemons compile
 * the flows of the nodes in it from these.
 */

export interface NorthboundPlan {
  readonly zones: readonly ZonePlan[];
}

/** A pair of databases with an ovn-northd of its own, and the chassis that take part in it. */
export interface ZonePlan {
  /** Unique in the cluster. */
  readonly name: string;
  /** The nodes whose ovn-controllers connect to its southbound database. */
  readonly chassis: readonly ChassisPlan[];
  readonly rows: readonly NorthboundRow[];
  /**
   * Chassis of other zones that this one has tunnels to (ovn-architecture(7), "OVN Deployments
   * Interconnection"); none where it is missing.
   */
  readonly remoteChassis?: readonly RemoteChassis[];
  /**
   * What is run once the rows are there, one after the other: programs that write rows of their
   * own, and plug ports. None where it is missing.
   */
  readonly programs?: readonly ProgramCall[];
}

/**
 * A program of harness/programs, run to its end on one node. In `args`, `env` and `stdin`,
 * `{northbound}` stands for the remote of the zone's northbound database, and `{openvswitch}` for
 * that of the node's own. Of an object, the key `{interface PORT}` with the value true stands for
 * the columns `type` and `options` of the interface that a port of the node is on its testbed.
 */
export interface ProgramCall {
  /** `ADD of p1`, for the words of failures. */
  readonly what: string;
  readonly node: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** It kills itself (SIGKILL), as its environment asks: anything else is a failure. */
  readonly dies?: true;
  /** What takes back what it has done: run once a plan does not have the call any more. */
  readonly undo?: Omit<ProgramCall, 'undo'>;
}

export type RemoteChassis = Pick<ChassisPlan, 'node' | 'encapIp'>;

/** A node as OVN sees it (ovn-controller(8), "Configuration"). */
export interface ChassisPlan {
  readonly node: string;
  /** The bridge that ovn-controller programs. */
  readonly bridge: string;
  /** How others reach it, by Geneve. */
  readonly encapIp: string;
  /** Interfaces of the bridge that are bound, by the logical switch port that each is. */
  readonly bindings: readonly Binding[];
  /** Ports of type localnet, each by a cable to the bridge of its network; none where missing. */
  readonly localnets?: readonly Localnet[];
}

/** `port` is the end of the cable at the chassis' bridge, and `bridge` is at the other one. */
export interface Localnet extends Binding {
  /** The network's name (ovn-nb(5), Logical_Switch_Port, "network_name"). */
  readonly network: string;
  readonly bridge: string;
}

export interface Binding {
  readonly port: string;
  readonly logicalPort: string;
}

/** The tables that rows may stand in (ovn-nb(5)). */
export const northboundTables = [
  'NB_Global',
  'Logical_Switch',
  'Logical_Switch_Port',
  'Logical_Router',
  'Logical_Router_Port',
  'Logical_Router_Static_Route',
  'Logical_Router_Policy',
  'ACL',
  'Address_Set',
  'Port_Group',
  'NAT',
  'Load_Balancer',
  'DHCP_Options',
  'DNS',
  'Load_Balancer_Group',
  'Static_MAC_Binding',
  'Gateway_Chassis',
] as const;
export type NorthboundTable = (typeof northboundTables)[number];

export interface NorthboundRow {
  readonly table: NorthboundTable;
  /** Unique in its zone: the row keeps its UUID as long as it keeps this name. */
  readonly id: string;
  readonly columns: Readonly<Record<string, NorthboundValue>>;
}

export type NorthboundValue =
  | NorthboundAtom
  | { readonly set: readonly NorthboundAtom[] }
  | { readonly map: Readonly<Record<string, string>> };
/** `row`: a reference to the row with that id. */
export type NorthboundAtom = string | number | boolean | { readonly row: string };

/** The id that a row of Static_MAC_Binding has to have: the table has nowhere to write another. */
export function staticMacBindingId(logicalPort: string, ip: string): string {
  return `neighbour ${ip} at ${logicalPort}`;
}
