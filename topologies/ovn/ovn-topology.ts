/** What a network has beside what any has, where OVN's own switches and routers are wanted. */
import type { Topology } from '../../harness/domain/topology.js';

export interface OvnOptions {
  /** What OVN answers by itself; nothing beside ARP where it is missing. */
  readonly answers?: OvnAnswers;
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
