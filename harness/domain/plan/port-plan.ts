/**
 * Types of tunnels that are brought up (ovs-vswitchd.conf.db(5), table Interface, "type"). STT and
 * Bareudp exist in kernels only: the userspace datapath says so itself.
 */
export type TunnelType = 'geneve' | 'vxlan' | 'gre' | 'stt' | 'bareudp';

/**
 * A port beside LOCAL, which every bridge has. `ofport` is the OpenFlow port number asked for;
 * floods may be kept from it (ovs-ofctl(8), "mod-port", no-flood).
 */
export type PortPlan = PortSettings &
  /** A pod's or machine's interface; one that is `plugged` is there once a program has run. */ (
    | {
        readonly kind: 'endpoint';
        readonly name: string;
        readonly ofport: number;
        readonly plugged?: 'by a program';
      }
    /** An internal port whose other end is the node's own network stack. */
    | {
        readonly kind: 'internal';
        readonly name: string;
        readonly ofport: number;
        readonly mac: string;
      }
    /** A tunnel; flow-based where no options are given. */
    | {
        readonly kind: 'tunnel';
        readonly name: string;
        readonly ofport: number;
        readonly tunnel: TunnelType;
        readonly options?: TunnelOptions;
      }
    /**
     * The way out to the network between nodes; `mac` is what that network delivers here, beside
     * broadcast.
     */
    | {
        readonly kind: 'uplink';
        readonly name: string;
        readonly ofport: number;
        readonly mac: string;
      }
    /** One end of a cable between two bridges of the node. */
    | {
        readonly kind: 'patch';
        readonly name: string;
        readonly ofport: number;
        readonly peer: { readonly bridge: string; readonly port: string };
      }
  );
/** Settings of a port beside its kind; the default where one is missing. */
export interface PortSettings {
  readonly vlan?: VlanPlan;
  /** Floods, all packets out of it, and all into it, are dropped (ovs-ofctl(8), "mod-port"). */
  readonly flood?: 'never';
  readonly forward?: 'never';
  readonly receive?: 'never';
  /** The longest frame without Ethernet's header and a tag, in bytes: 1500 where it is missing. */
  readonly mtu?: number;
  /**
   * What is written into the DSCP of IP packets that go into its queues, by the queue's number
   * (ovs-vswitchd.conf.db(5), table Queue, "dscp").
   */
  readonly queueDscp?: Readonly<Record<string, number>>;
  /** The state of its link at first, and after each reset: up where it is missing. */
  readonly link?: 'down';
  /**
   * Protocols that the switch itself speaks there: it takes their packets, and some of them say
   * whether the port is alive.
   */
  readonly speaks?: readonly SpokenProtocol[];
  /** In the dumped switch packets go into a tunnel there, which is not followed. */
  readonly leadsInto?: 'a tunnel';
}
export type SpokenProtocol = 'bfd' | 'cfm' | 'lacp' | 'lldp';
/**
 * Options of a tunnel's port, by the names and in the words of the database
 * (ovs-vswitchd.conf.db(5), table Interface, "Tunnel Options").
 */
export interface TunnelOptions {
  readonly remote_ip: string;
  readonly local_ip?: string;
  readonly key?: string;
  readonly in_key?: string;
  readonly out_key?: string;
  readonly dst_port?: string;
  readonly tos?: string;
  readonly ttl?: string;
  readonly df_default?: string;
  readonly csum?: string;
  readonly seq?: string;
  readonly exts?: string;
  readonly egress_pkt_mark?: string;
  readonly packet_type?: string;
  readonly payload_type?: string;
}
/** Everything that a tunnel leaves to flows. */
export const flowBased: TunnelOptions = { remote_ip: 'flow', key: 'flow' };
/**
 * How NORMAL treats the port's VLANs (ovs-vswitchd.conf.db(5), table Port, "VLAN Configuration");
 * flows do not ask.
 */
export interface VlanPlan {
  /**
   * Open vSwitch takes `access` for a port with a tag and no trunks, `trunk` for all others, where
   * it is missing.
   */
  readonly mode?: 'access' | 'native-tagged' | 'native-untagged' | 'trunk' | 'dot1q-tunnel';
  readonly tag?: number;
  /** Empty: all of them. */
  readonly trunks: readonly number[];
  /**
   * Whether a packet without a VLAN leaves with a tag for its priority: never where it is missing
   * (other_config:priority-tags).
   */
  readonly priorityTags?: 'if-nonzero' | 'always';
  /** Of a dot1q-tunnel: customers' VLANs that it takes; all where it is missing. */
  readonly customerVlans?: readonly number[];
  /** Of a dot1q-tunnel: the type of the tag that it pushes, 802.1ad where it is missing. */
  readonly outerTag?: '802.1q';
}
