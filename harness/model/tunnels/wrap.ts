/** A packet inside a tunnel: the frame around it, and what the switch takes for its fields before it reads them. */
import { macBytes } from '../../base/address.js';
import { Unsupported } from '../../base/errors.js';
import { formatAddress, isIpv4Address, toIpv4 } from '../../base/ip-address.js';
import { encodeEthernet, etherTypes } from '../../packet/ethernet.js';
import { extract } from '../../packet/extract/extract.js';
import { copyKey, emptyKey, word, type FlowKey } from '../../packet/flow-key.js';
import { encodeIpv4, ipProtocols, ipv4Flags } from '../../packet/ipv4.js';
import { encodeIpv6 } from '../../packet/ipv6.js';
import { encodeUdp } from '../../packet/udp.js';
import type { OptionFields } from '../options.js';
import { encodeOptions } from '../options.js';
import type { Packet } from '../packet.js';
import { writeWide } from './addresses.js';
import type { TunnelConfig } from './config.js';
import { encapsulations } from './encapsulation.js';
import type { OuterHeader } from './outer.js';

/** Where the frame goes first. */
export interface Link {
  readonly src: string;
  readonly dst: string;
}

/** Source ports of tunnels over UDP: the default range of `tnl/egress_port_range`; the upper bound itself is never used. */
const sourcePorts = { first: 32768, end: 61000 } as const;

const longest = { datagram: 0xffff, options: 252 } as const;

/**
 * The outer frame; the packet's changes are in its bytes, of which the first `length` go.
 * @throws Unsupported where it is longer than an IP packet can be.
 */
export function wrap(packet: Packet, length: number, config: TunnelConfig, header: OuterHeader, options: OptionFields, link: Link): Uint8Array {
  const { key } = packet;
  const { bytes, isCritical } = encodeOptions(key, options);
  if (length + bytes.length + 100 > longest.datagram || bytes.length > longest.options) throw new Unsupported('the model does not know what a tunnel makes of what is too long for it');
  const { protocol, put } = encapsulations[config.type];
  const carried = put(packet.frame.subarray(0, length), { header, config, options: bytes, isCritical, isOam: key[word.tunFlags] !== 0 });
  const addresses = { src: formatAddress(header.source), dst: formatAddress(header.destination) };
  const payload = protocol === ipProtocols.udp ? encodeUdp({ srcPort: sourcePort(packet), dstPort: config.udpPort }, carried, header.checksum === 'present' ? addresses : 'no-checksum') : carried;
  if (!isIpv4Address(header.destination)) return encodeEthernet({ ...link, etherType: etherTypes.ipv6 }, encodeIpv6({ ...addresses, nextHeader: protocol, hopLimit: header.ttl, trafficClass: header.tos }, payload));
  const flags = header.fragments === 'forbidden' ? ipv4Flags.dontFragment : 0;
  return encodeEthernet({ ...link, etherType: etherTypes.ipv4 }, encodeIpv4({ ...addresses, protocol, ttl: header.ttl, tos: header.tos, flags }, payload));
}

function sourcePort({ hash }: Packet): number {
  return sourcePorts.first + Math.floor((hash * (sourcePorts.end - sourcePorts.first)) / 0x1_0000_0000);
}

/**
 * The packet as the underlay's flows see it: it is not read anew, so that its source port is not known, and what the outer header does
 * not have is still the inner one's (Open vSwitch ofproto/ofproto-dpif-xlate.c, propagate_tunnel_data_to_flow).
 */
export function wrapped(packet: Packet, frame: Uint8Array, config: TunnelConfig, header: OuterHeader, link: Link): Packet {
  const key = copyKey(packet.key);
  const isIpv4 = isIpv4Address(header.destination);
  writeMac(key, word.ethDst, link.dst);
  writeMac(key, word.ethSrc, link.src);
  key.fill(0, word.vlanTci, word.mplsLse);
  key[word.packetType] = 0;
  key[word.ethType] = isIpv4 ? etherTypes.ipv4 : etherTypes.ipv6;
  key[word.nwSrc] = isIpv4 ? toIpv4(header.source) : 0;
  key[word.nwDst] = isIpv4 ? toIpv4(header.destination) : 0;
  writeWide(key, word.ipv6Src, isIpv4 ? 0n : header.source);
  writeWide(key, word.ipv6Dst, isIpv4 ? 0n : header.destination);
  key[word.nwProto] = encapsulations[config.type].protocol;
  key[word.nwFrag] = 0;
  key[word.nwTos] = header.tos;
  key[word.nwTtl] = header.ttl;
  key[word.tpSrc] = 0;
  key[word.tpDst] = config.udpPort;
  return { frame, layout: extract(frame, emptyKey()), arrived: copyKey(key), key, hash: packet.hash, padding: 0, isWrapped: true };
}

function writeMac(key: FlowKey, at: number, mac: string): void {
  const view = new DataView(macBytes(mac).buffer);
  key[at] = view.getUint16(0);
  key[at + 1] = view.getUint32(2);
}
