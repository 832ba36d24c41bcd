/**
 * The flow key: what a switch knows of a packet while it is in the pipeline, as 32-bit words in fixed places, so
 * that matching is masking and comparing words. Packet fields are read from the frame; the rest (registers,
 * connection state, tunnel) starts at zero. As in Open vSwitch, ARP shares the words of IPv4 addresses and
 * protocol, and ICMP type and code those of the ports (ovs-fields(7), struct flow).
 */
import { etherTypes } from './ethernet.js';
import { ipProtocols } from './ipv4.js';

export type FlowKey = Uint32Array;

/** Words a field takes, in their order. What the pipeline knows stands before what is read from the frame. */
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
  vlanTci: 1,
  mplsLse: 1, // label, traffic class, bottom of stack and TTL (RFC 3032)
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

/** First word of each field; a field wider than 32 bits takes several words, most significant first. */
export const word = firstWords(widths);
export const keyWords = Object.values(widths).reduce((sum, width) => sum + width, 0);

function firstWords<Name extends string>(fields: Readonly<Record<Name, number>>): Readonly<Record<Name, number>> {
  let next = 0;
  const places = Object.entries<number>(fields).map(([name, width]) => [name, (next += width) - width] as const);
  return Object.fromEntries(places) as Record<Name, number>;
}

/** Bits of nw_frag: any fragment, and one that is not the first (ovs-fields(7), ip_frag). */
export const fragment = { any: 1, later: 2 } as const;

/** Where the layers of a frame start, in bytes from its beginning; -1 where the frame has none. */
export interface Layout {
  readonly l3: number;
  readonly l4: number;
}

/** Reads the packet fields of `frame` into `key`, overwriting what was there, and tells where the layers start. */
export function extract(frame: Uint8Array, key: FlowKey): Layout {
  key.fill(0, word.ethSrc);
  if (frame.length < 14) return { l3: -1, l4: -1 };
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  key[word.ethDst] = view.getUint16(0);
  key[word.ethDst + 1] = view.getUint32(2);
  key[word.ethSrc] = view.getUint16(6);
  key[word.ethSrc + 1] = view.getUint32(8);
  let l3 = 14;
  if (isTag(view.getUint16(12)) && frame.length >= 18) {
    key[word.vlanTci] = view.getUint16(14) | 0x1000; // the bit that says "there is a tag"
    l3 = 18;
  }
  let type = view.getUint16(l3 - 2);
  if (type < 0x600 && isSnap(view, l3)) {
    type = view.getUint16(l3 + 6);
    l3 += 8;
  }
  if (type < 0x600) type = noType;
  key[word.ethType] = type;
  if (type === etherTypes.arp || type === etherTypes.rarp) return extractArp(view, l3, key);
  if (type === etherTypes.ipv4) return extractIpv4(view, l3, key);
  return { l3, l4: -1 };
}

/** What the switch calls the type of frames that have a length in its place (IEEE 802.3) and no type behind it. */
const noType = 0x05ff;

/** Whether an EtherType is that of a VLAN tag. */
export function isTag(type: number): boolean {
  return type === etherTypes.vlan || type === etherTypes.serviceVlan;
}

/** Whether an LLC and SNAP header follows that carries an EtherType (IEEE 802; RFC 1042). */
function isSnap(view: DataView, place: number): boolean {
  return view.byteLength >= place + 8 && view.getUint32(place) === 0xaaaa0300 && view.getUint16(place + 4) === 0;
}

function extractArp(view: DataView, l3: number, key: FlowKey): Layout {
  // Only ARP for IPv4 over Ethernet has fields (RFC 826: hardware 1, protocol 0x0800, lengths 6 and 4).
  if (view.byteLength < l3 + 28 || view.getUint32(l3) !== 0x00010800 || view.getUint16(l3 + 4) !== 0x0604) return { l3, l4: -1 };
  const operation = view.getUint16(l3 + 6);
  key[word.nwProto] = operation <= 0xff ? operation : 0;
  key[word.nwSrc] = view.getUint32(l3 + 14);
  key[word.nwDst] = view.getUint32(l3 + 24);
  key[word.arpSha] = view.getUint16(l3 + 8);
  key[word.arpSha + 1] = view.getUint32(l3 + 10);
  key[word.arpTha] = view.getUint16(l3 + 18);
  key[word.arpTha + 1] = view.getUint32(l3 + 20);
  return { l3, l4: -1 };
}

function extractIpv4(view: DataView, l3: number, key: FlowKey): Layout {
  if (view.byteLength < l3 + 20) return { l3, l4: -1 };
  const headerLength = (view.getUint8(l3) & 0x0f) * 4;
  const totalLength = view.getUint16(l3 + 2);
  if (headerLength < 20 || totalLength < headerLength || view.byteLength < l3 + totalLength) return { l3, l4: -1 };
  const flagsAndOffset = view.getUint16(l3 + 6);
  const later = (flagsAndOffset & 0x1fff) !== 0;
  if (later || (flagsAndOffset & 0x2000) !== 0) key[word.nwFrag] = fragment.any | (later ? fragment.later : 0);
  key[word.nwTos] = view.getUint8(l3 + 1);
  key[word.nwTtl] = view.getUint8(l3 + 8);
  key[word.nwProto] = view.getUint8(l3 + 9);
  key[word.nwSrc] = view.getUint32(l3 + 12);
  key[word.nwDst] = view.getUint32(l3 + 16);
  const l4 = l3 + headerLength;
  if (!later) extractTransport(view, l4, l3 + totalLength, key);
  return { l3, l4 };
}

function extractTransport(view: DataView, l4: number, end: number, key: FlowKey): void {
  const length = end - l4;
  switch (key[word.nwProto]) {
    case ipProtocols.tcp:
      if (length < 20 || (view.getUint8(l4 + 12) >>> 4) * 4 < 20 || (view.getUint8(l4 + 12) >>> 4) * 4 > length) return;
      key[word.tcpFlags] = view.getUint16(l4 + 12) & 0x0fff;
      break;
    case ipProtocols.udp:
      if (length < 8) return;
      break;
    case ipProtocols.sctp:
      if (length < 12) return;
      break;
    case ipProtocols.icmp:
      if (length < 8) return;
      key[word.tpSrc] = view.getUint8(l4);
      key[word.tpDst] = view.getUint8(l4 + 1);
      return;
    default:
      return;
  }
  key[word.tpSrc] = view.getUint16(l4);
  key[word.tpDst] = view.getUint16(l4 + 2);
}
