/**
 * The flow key: what a switch knows of a packet while it is in the pipeline, as 32-bit words in
 * fixed places, so that matching is masking and comparing words. Packet fields are read from the
 * frame; the rest (registers, connection state, tunnel) starts at zero. As in Open vSwitch, ARP
 * shares the words of IPv4 addresses and protocol, and ICMP type and code those of the ports
 * (ovs-fields(7), struct flow).
 */
import { etherTypes } from '../protocols/link/ethernet.js';

export type FlowKey = Uint32Array;

/**
 * Words a field takes, in their order. What the pipeline knows stands before what is read from the
 * frame.
 */
const widths = {
  inPort: 1,
  reg: 32, // reg0 … reg31; Open vSwitch before 3.7 has 16
  metadata: 2,
  conjId: 1,
  actsetOutput: 1,
  packetType: 1, // zero is Ethernet
  recircId: 1,
  dpHash: 1,
  skbPriority: 1,
  tunId: 2,
  tunSrc: 1,
  tunDst: 1,
  tunIpv6Src: 4,
  tunIpv6Dst: 4,
  tunTos: 1,
  tunTtl: 1,
  tunFlags: 1,
  tunGbpId: 1,
  tunGbpFlags: 1,
  tunErspanVer: 1,
  tunErspanIdx: 1,
  tunErspanDir: 1,
  tunErspanHwid: 1,
  tunGtpuFlags: 1,
  tunGtpuMsgtype: 1,
  tunOptions: 2, // which of them are there, a bit each
  tunMetadata: 64, // of all options together
  ctState: 1,
  ctZone: 1,
  ctMark: 1,
  ctLabel: 4,
  ctNwSrc: 1, // the connection's original direction, as the next five
  ctNwDst: 1,
  ctIpv6Src: 4,
  ctIpv6Dst: 4,
  ctNwProto: 1,
  ctTpSrc: 1,
  ctTpDst: 1,
  pktMark: 1,
  ethSrc: 2,
  ethDst: 2,
  ethType: 1,
  vlanTci: 2, // of the outer tag and of the inner one; with the bit `tagged` where there is one
  vlanTpid: 2, // of the same tags
  // the first label stack entries: label, traffic class, bottom of stack and TTL (RFC 3032)
  mplsLse: 3,
  nwSrc: 1, // or ARP's sender address
  nwDst: 1, // or ARP's target address
  ipv6Src: 4,
  ipv6Dst: 4,
  ipv6Label: 1,
  nwProto: 1, // or ARP's operation
  nwTos: 1,
  nwTtl: 1,
  nwFrag: 1,
  tpSrc: 1, // or ICMP's type
  tpDst: 1, // or ICMP's code
  tcpFlags: 1, // or the type of ND's option
  arpSha: 2, // or ND's source link-layer address
  arpTha: 2, // or ND's target link-layer address
  ndTarget: 4,
  ndReserved: 1,
} as const;

/**
 * First word of each field; a field wider than 32 bits takes several words, most significant first.
 */
export const word = firstWords(widths);
export const keyWords = Object.values(widths).reduce((sum, width) => sum + width, 0);

function firstWords<Name extends string>(
  fields: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  let next = 0;
  const places = Object.entries<number>(fields).map(
    ([name, width]) => [name, (next += width) - width] as const,
  );
  return Object.fromEntries(places) as Record<Name, number>;
}

/**
 * Addresses and ports, word by word: what identifies a connection, and what its packets are
 * translated in.
 */
export const tupleWords: readonly number[] = [
  word.nwSrc,
  word.nwDst,
  word.tpSrc,
  word.tpDst,
  ...[word.ipv6Src, word.ipv6Dst].flatMap((first) => [0, 1, 2, 3].map((index) => first + index)),
];

/**
 * Keys that are still free: many at once are made in a fraction of the time that each of them alone
 * takes.
 */
let spare = { words: new Uint32Array(), next: 0 };
const keysAtOnce = 64;

/** A key of zeros. */
export function emptyKey(): FlowKey {
  if (spare.next === spare.words.length)
    spare = { words: new Uint32Array(keysAtOnce * keyWords), next: 0 };
  const first = spare.next;
  spare.next += keyWords;
  return new Uint32Array(spare.words.buffer, first * spare.words.BYTES_PER_ELEMENT, keyWords);
}

export function copyKey(key: FlowKey): FlowKey {
  const copy = emptyKey();
  copy.set(key);
  return copy;
}

/**
 * Zeros from `first` to before `end`: they are few, and a loop has written them before `fill` has
 * begun.
 */
export function clearWords(key: FlowKey, first: number, end = keyWords): void {
  for (let place = first; place < end; place++) key[place] = 0;
}

/**
 * A key that has of `key` what is read from the frame, and zeros for all else: less to be copied
 * where nobody asks for more.
 */
export function copyFields(key: FlowKey): FlowKey {
  const copy = emptyKey();
  for (let place = word.ethSrc; place < keyWords; place++) copy[place] = key[place] ?? 0;
  return copy;
}

/** Bits of nw_frag: any fragment, and one that is not the first (ovs-fields(7), ip_frag). */
export const fragment = { any: 1, later: 2 } as const;

/**
 * The bit of vlan_tci that says "there is a tag" (ovs-fields(7), vlan_tci): in its place, frames
 * have DEI.
 */
export const tagged = 0x1000;
/** The bit of a label stack entry that says "the last one" (RFC 3032, section 2.1). */
export const bottomOfStack = 0x100;
/** Tags and label stack entries that the flow key has room for. */
export const most = { tags: 2, labels: 3 } as const;

/** How many VLAN tags the key has. */
export function countTags(key: FlowKey): number {
  let count = 0;
  while (count < most.tags && ((key[word.vlanTci + count] ?? 0) & tagged) !== 0) count++;
  return count;
}

/**
 * How many label stack entries the key has. Where none is the last one, entries of zeros do
 * not count: so does Open vSwitch.
 */
export function countLabels(key: FlowKey): number {
  if (!isMpls(key[word.ethType] ?? 0)) return 0;
  let count = 0;
  for (let index = 0; index < most.labels; index++) {
    const entry = key[word.mplsLse + index] ?? 0;
    if ((entry & bottomOfStack) !== 0) return index + 1;
    if (entry !== 0) count++;
  }
  return count;
}

/** Whether an EtherType is that of a VLAN tag. */
export function isTag(type: number): boolean {
  return type === etherTypes.vlan || type === etherTypes.serviceVlan;
}

/** Whether an EtherType is that of a label stack. */
export function isMpls(type: number): boolean {
  return type === etherTypes.mpls || type === etherTypes.mplsMulticast;
}

/** Whether a packet is IPv4 or IPv6. */
export function isIp(type: number): boolean {
  return type === etherTypes.ipv4 || type === etherTypes.ipv6;
}
