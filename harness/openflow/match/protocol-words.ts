/** Words that stand for dl_type and nw_proto (ovs-ofctl(8), "Flow Syntax"). */
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { icmp6 } from './prerequisites.js';

/** What a word asks for: values of fields, by the names they have in a match. */
export type ProtocolWord = readonly (readonly [matchName: string, value: number])[];

const ofType = (type: number, protocol?: number): ProtocolWord => [
  ['dl_type', type],
  ...(protocol === undefined ? [] : [['nw_proto', protocol] as const]),
];
const { ipv4, ipv6 } = etherTypes;

/** A type's own word comes after those of its protocols: the first that says it all is printed. */
export const protocolWords: ReadonlyMap<string, ProtocolWord> = new Map([
  ['icmp', ofType(ipv4, ipProtocols.icmp)],
  ['tcp', ofType(ipv4, ipProtocols.tcp)],
  ['udp', ofType(ipv4, ipProtocols.udp)],
  ['sctp', ofType(ipv4, ipProtocols.sctp)],
  ['ip', ofType(ipv4)],
  ['icmp6', ofType(ipv6, icmp6)],
  ['tcp6', ofType(ipv6, ipProtocols.tcp)],
  ['udp6', ofType(ipv6, ipProtocols.udp)],
  ['sctp6', ofType(ipv6, ipProtocols.sctp)],
  ['ipv6', ofType(ipv6)],
  ['arp', ofType(etherTypes.arp)],
  ['rarp', ofType(etherTypes.rarp)],
  ['mpls', ofType(etherTypes.mpls)],
  ['mplsm', ofType(etherTypes.mplsMulticast)],
  ['ipv4', ofType(ipv4)],
  ['ip4', ofType(ipv4)],
  ['ip6', ofType(ipv6)],
  ['eth', []], // packet_type=(0,0), which is what packets are
]);
