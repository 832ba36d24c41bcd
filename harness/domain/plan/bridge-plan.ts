/** A bridge of a plan, and what it is made of. */
import type { PortPlan, VlanPlan } from './port-plan.js';

/** Records of OVN's (ovn-sb(5), DNS). */
export interface DnsRecords {
  /** Tunnel keys of the logical datapaths that they are known on. */
  readonly datapaths: readonly number[];
  /** Names in lower case, and what each stands for: addresses with spaces between, or a name. */
  readonly records: Readonly<Record<string, string>>;
  /** What is asked of such a name and not known is refused (ovn-nb(5), DNS, "ovn-owned"). */
  readonly isOwned?: true;
}

/**
 * What OVN's controller makes known by itself, at a port of a logical datapath: by gratuitous ARP,
 * or by RARP where it is a MAC address alone (ovn-nb(5), Logical_Switch_Port, "nat-addresses").
 */
export interface Announcement {
  /** Tunnel keys of both. */
  readonly datapath: number;
  readonly port: number;
  readonly mac: string;
  readonly ip?: string;
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
  /** Names that OVN's controller knows on logical datapaths. None where it is missing. */
  readonly dns?: readonly DnsRecords[];
  /** What it makes known by itself. Nothing where it is missing. */
  readonly announcements?: readonly Announcement[];
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
  /** Ports that NORMAL takes for one, beside those that are alone. */
  readonly bonds?: readonly BondPlan[];
  /**
   * Multicast goes only to those who asked for it; to everybody where it is missing
   * (ovs-vswitchd.conf.db(5), "mcast_snooping_enable").
   */
  readonly multicastSnooping?: SnoopingPlan;
  /** VLANs of the bridge's own port, LOCAL. */
  readonly localVlan?: VlanPlan;
  /** The MTU of LOCAL, as that of other ports. */
  readonly localMtu?: number;
  /** The link of LOCAL, as that of other ports. */
  readonly localLink?: 'down';
  /** Destinations that bridges keep to themselves are forwarded (ovs-vswitchd.conf.db(5)). */
  readonly forwardBpdu?: true;
  /**
   * How IP fragments are looked up: without their ports where it is missing (ovs-ofctl(8),
   * "set-frags").
   */
  readonly fragments?: 'drop' | 'nx-match';
  /** Settings that NORMAL goes by in a way that the model does not know: `flood_vlans=5`. */
  readonly unknownOfNormal?: readonly string[];
  /**
   * The controllers that are connected, at most one an id. A packet that another one should get
   * goes to nobody.
   */
  readonly controllers?: readonly ControllerPlan[];
}

export interface BondPlan {
  readonly name: string;
  readonly mode: 'active-backup' | 'balance-slb' | 'balance-tcp';
  /** Names of ports; the first stands for the bond where addresses are learned. */
  readonly members: readonly string[];
  /** The active one, as far as it is known. */
  readonly active?: string;
  /**
   * Of balance-slb: where the hash begins (ovs-vswitchd.conf.db(5), "bond-hash-basis"), whether
   * multicast comes in at all members ("all-members-active"), and the members of hashes, as far as
   * they are known (ovs-vswitchd(8), "bond/show").
   */
  readonly hashBasis?: number;
  readonly multicast?: 'at all members';
  readonly hashes?: Readonly<Record<string, string>>;
  /** Settings that decide over packets in a way that the model does not know: `lacp=active`. */
  readonly unknown?: readonly string[];
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
 * How a bridge snoops multicast, where it differs from the default (ovs-vswitchd.conf.db(5),
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

/** A controller that listens, and changes nothing but that packets which wait for it go on. */
export interface ControllerPlan {
  /**
   * The connection id that `controller(id=…)` and `dec_ttl(…)` mean; 0 where they name none
   * (ovs-actions(7)).
   */
  readonly id: number;
  /**
   * What happens to a packet that waits (`controller(pause)`): it is resumed as it is, or never.
   */
  readonly paused: 'resumed' | 'kept';
}
