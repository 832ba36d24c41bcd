/** Which fields the model can tell in a packet. Of the others a flow is refused when it might matter, never matched with zeros. */
import { Unsupported } from '../base/errors.js';
import type { Field, Prerequisite } from '../openflow/fields.js';
import type { Flow } from '../openflow/flow.js';
import { etherTypes } from '../packet/ethernet.js';

/** Fields of packets, tunnels and connections that nothing fills in the flow key. */
const unfilled: ReadonlySet<Prerequisite> = new Set(['mpls', 'ipv6', 'icmp6', 'nd', 'nd solicit', 'nd advert', 'ct', 'ct ipv4', 'ct ipv6', 'ct ports', 'erspan 1', 'erspan 2']);
const unfilledByName = /^(conj_id|actset_output|packet_type|recirc_id|dp_hash|skb_priority|tun_(ipv6_src|ipv6_dst|flags|tos|ttl|gbp_.*|erspan_ver|gtpu_.*|metadata\d+))$/;

/** What IPv4 and IPv6 have in common; only that of IPv4 is read. */
const common: ReadonlySet<Prerequisite> = new Set(['ip', 'tcp', 'udp', 'sctp']);

/** Whether packets of an Ethernet type have the field's value in their flow key. */
function isFilled({ name, prerequisite }: Field, etherType: number): boolean {
  return !unfilled.has(prerequisite) && !unfilledByName.test(name) && !(common.has(prerequisite) && etherType === etherTypes.ipv6);
}

/** Whether the frame follows when actions write the field; SCTP's checksum and reverse ARP do not. */
function isRewritten(field: Field, etherType: number): boolean {
  return isFilled(field, etherType) && field.prerequisite !== 'sctp' && !(field.prerequisite === 'arp' && etherType === etherTypes.rarp);
}

/** What of a flow the model does not know, in a word, where there is anything. */
export function unknownOf({ match, idleTimeout, hardTimeout }: Flow): string | undefined {
  if (idleTimeout !== 0 || hardTimeout !== 0) return idleTimeout !== 0 ? 'idle_timeout' : 'hard_timeout';
  const etherType = Number(match.find(({ field }) => field.name === 'eth_type')?.value ?? 0n);
  return match.find(({ field }) => !isFilled(field, etherType))?.field.matchName;
}

/** Whether the entry of a match can be compared. */
export function isComparable(flow: Flow, field: Field): boolean {
  return isFilled(field, Number(flow.match.find((entry) => entry.field.name === 'eth_type')?.value ?? 0n));
}

/** @throws Unsupported where the model does not read the field in such packets. */
export function checkRead(field: Field, etherType: number): void {
  if (!isFilled(field, etherType)) throw new Unsupported(`the model does not read ${field.name} of such packets`);
}

/** @throws Unsupported where the model does not write the field into such packets. */
export function checkWrite(field: Field, etherType: number): void {
  if (!isRewritten(field, etherType)) throw new Unsupported(`the model does not write ${field.name} of such packets`);
}
