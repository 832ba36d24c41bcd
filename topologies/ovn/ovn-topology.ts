/** What a network has beside what any has, where OVN's own switches and routers are wanted. */
import type { Topology } from '../../harness/domain/topology.js';

export interface OvnOptions {
  /** What OVN answers by itself; nothing beside ARP where it is missing. */
  readonly answers?: OvnAnswers;
  /** One that moves from chassis to chassis; none where it is missing. */
  readonly machine?: MovingMachine;
}

/**
 * A virtual machine with one logical port, on the switch that its address belongs to, wherever its
 * guest runs: that is the node that has a pod of this name.
 */
export interface MovingMachine {
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  /** The nodes that have an interface for it, and those of them that bind it to its port. */
  readonly interfaces: readonly string[];
  readonly boundAt: readonly string[];
  /** The chassis that may have it at once, the main one first; any one where there are none. */
  readonly requested: readonly string[];
  /**
   * A chassis that is not the main one lets nothing through before the guest has sent RARP there.
   */
  readonly activation?: 'rarp';
  /** Where ovn-controller has had that. */
  readonly activeAt: readonly string[];
}

export type OvnTopology = Topology & OvnOptions;

export interface OvnAnswers {
  /** The UDP and TCP port of every pod that is rejected, and the sender gets an error. */
  readonly rejectedPort: number;
  /** Names that are known on every switch, and what they stand for. */
  readonly names: Readonly<Record<string, string>>;
  /** The DNS server that DHCPv6 and the names are for. */
  readonly dnsServer: { readonly ipv4: string; readonly ipv6: string };
}

/** Every host has an address of IPv6 beside its own: 10.10.1.2 has fd00:10:10:1::2. */
export function ipv6Of(ip: string): string {
  const [a, b, c, d] = ip.split('.');
  return `fd00:${a}:${b}:${c}::${Number(d).toString(16)}`;
}
