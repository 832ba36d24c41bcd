/** Native Geneve tunnels of the userspace datapath: what is put around a frame, and taken off again. */
import { formatIpv4, formatMac, macBytes, ipv4Number } from '../base/address.js';
import type { BridgePlan } from '../nouns/plan.js';
import { decodeEthernet, encodeEthernet, etherTypes } from '../packet/ethernet.js';
import { word, type FlowKey } from '../packet/flow-key.js';
import { decodeGeneve, encodeGeneve, genevePort } from '../packet/geneve.js';
import { decodeIpv4, encodeIpv4, ipProtocols, ipv4Flags, isFragment } from '../packet/ipv4.js';
import { decodeUdp, encodeUdp } from '../packet/udp.js';
import { departing, type Packet } from './packet.js';

type Underlay = NonNullable<BridgePlan['underlay']>;

/** Source ports of tunnels: the default range of `tnl/egress_port_range`; the upper bound itself is never used. */
const sourcePorts = { first: 32768, end: 61000 } as const;

const ecn = { mask: 3, congestionExperienced: 3, capable: 2 } as const;

/**
 * The outer frame for a packet that leaves through a flow-based Geneve port: TTL 64, don't fragment, no UDP checksum,
 * ECN copied from inside (ovs-vswitchd.conf.db(5), tunnel options; RFC 8926).
 */
export function encapsulate(packet: Packet, underlay: Underlay, src: string, dst: string): Uint8Array {
  const { key } = packet;
  const geneve = encodeGeneve(
    { vni: (key[word.tunId + 1] ?? 0) & 0xffffff, protocolType: etherTypes.transparentEthernetBridging, options: new Uint8Array(), critical: false, oam: false },
    departing(packet),
  );
  const srcPort = sourcePorts.first + Math.floor((packet.hash * (sourcePorts.end - sourcePorts.first)) / 0x1_0000_0000);
  const udp = encodeUdp({ srcPort, dstPort: genevePort }, geneve, 'no-checksum');
  const addresses = { src: underlay.ip, dst: formatIpv4(key[word.tunDst] ?? 0) };
  const ip = encodeIpv4({ ...addresses, protocol: ipProtocols.udp, ttl: 64, tos: outerEcn(key), flags: ipv4Flags.dontFragment }, udp);
  return encodeEthernet({ dst, src, etherType: etherTypes.ipv4 }, ip);
}

function outerEcn(key: FlowKey): number {
  if (key[word.ethType] !== etherTypes.ipv4) return 0;
  const inner = (key[word.nwTos] ?? 0) & ecn.mask;
  return inner === ecn.congestionExperienced ? ecn.capable : inner;
}

/** What came through a tunnel: the inner frame, and the addresses and key it came with. */
export interface Decapsulated {
  readonly frame: Uint8Array;
  readonly src: number;
  readonly dst: number;
  readonly vni: number;
}

/** The inner frame, if `frame` is Geneve for the address that `bridge` holds; undefined for everything else. */
export function decapsulate(frame: Uint8Array, bridge: BridgePlan): Decapsulated | undefined {
  if (bridge.underlay === undefined) return undefined;
  const ethernet = decodeEthernet(frame);
  if (ethernet?.header.etherType !== etherTypes.ipv4 || formatMac(macBytes(ethernet.header.dst)) !== bridge.mac) return undefined;
  const ip = decodeIpv4(ethernet.payload);
  if (ip === undefined || ip.header.dst !== bridge.underlay.ip || ip.header.protocol !== ipProtocols.udp || isFragment(ip.header)) return undefined;
  const udp = decodeUdp(ip.payload, ip.header);
  if (udp?.header.dstPort !== genevePort) return undefined;
  const geneve = decodeGeneve(udp.payload);
  if (geneve?.header.protocolType !== etherTypes.transparentEthernetBridging) return undefined;
  return { frame: geneve.payload, src: ipv4Number(ip.header.src), dst: ipv4Number(ip.header.dst), vni: geneve.header.vni };
}
