/** Native tunnels of the userspace datapath: what is put around a frame, and taken off again. */
import { formatIpv4, formatMac, macBytes, ipv4Number } from '../base/address.js';
import { Unsupported } from '../base/errors.js';
import type { BridgePlan } from '../nouns/plan.js';
import type { TunnelType } from '../nouns/topology.js';
import { decodeEthernet, encodeEthernet, etherTypes } from '../packet/ethernet.js';
import { word, type FlowKey } from '../packet/flow-key.js';
import { decodeGeneve, encodeGeneve, genevePort } from '../packet/geneve.js';
import { decodeGre, encodeGre } from '../packet/gre.js';
import { decodeIpv4, encodeIpv4, ipProtocols, ipv4Flags, isFragment, type Ipv4Header } from '../packet/ipv4.js';
import { decodeUdp, encodeUdp } from '../packet/udp.js';
import { decodeVxlan, encodeVxlan, vxlanPort } from '../packet/vxlan.js';
import { encodeOptions, type OptionFields } from './options.js';
import { departing, type Packet } from './packet.js';

type Underlay = NonNullable<BridgePlan['underlay']>;

/** Source ports of tunnels over UDP: the default range of `tnl/egress_port_range`; the upper bound itself is never used. */
const sourcePorts = { first: 32768, end: 61000 } as const;

const ecn = { mask: 3, congestionExperienced: 3, capable: 2 } as const;

/** How a type of tunnel carries an Ethernet frame inside an IP packet. */
interface Encapsulation {
  readonly protocol: number;
  put(frame: Uint8Array, sent: Sent, srcPort: number): Uint8Array;
  /** Undefined for what is not such a tunnel's. */
  take(header: Ipv4Header, payload: Uint8Array): { readonly frame: Uint8Array; readonly id: number; readonly isOam?: boolean; readonly options?: Uint8Array } | undefined;
}

/** What goes with a frame. */
interface Sent {
  readonly id: number;
  readonly options: Uint8Array;
  readonly isCritical: boolean;
  readonly isOam: boolean;
}

const ethernetInside = etherTypes.transparentEthernetBridging;

const encapsulations: Readonly<Record<TunnelType, Encapsulation | undefined>> = {
  geneve: overUdp(
    genevePort,
    (frame, { id, options, isCritical, isOam }) => encodeGeneve({ vni: id & 0xffffff, protocolType: ethernetInside, options, critical: isCritical, oam: isOam }, frame),
    (bytes) => {
      const geneve = decodeGeneve(bytes);
      return geneve?.header.protocolType === ethernetInside ? { frame: geneve.payload, id: geneve.header.vni, isOam: geneve.header.oam, options: geneve.header.options } : undefined;
    },
  ),
  vxlan: overUdp(
    vxlanPort,
    (frame, { id }) => encodeVxlan({ vni: id & 0xffffff }, frame),
    (bytes) => {
      const vxlan = decodeVxlan(bytes);
      return vxlan === undefined ? undefined : { frame: vxlan.payload, id: vxlan.header.vni };
    },
  ),
  // key=flow: the key is always there, zero where no flow has set tun_id.
  gre: {
    protocol: ipProtocols.gre,
    put: (frame, { id }) => encodeGre({ protocolType: ethernetInside, key: id >>> 0 }, frame),
    take: (_, payload) => {
      const gre = decodeGre(payload);
      return gre?.header.protocolType === ethernetInside ? { frame: gre.payload, id: gre.header.key ?? 0 } : undefined;
    },
  },
  stt: undefined,
};

function overUdp(port: number, put: (frame: Uint8Array, sent: Sent) => Uint8Array, take: (bytes: Uint8Array) => ReturnType<Encapsulation['take']>): Encapsulation {
  return {
    protocol: ipProtocols.udp,
    put: (frame, sent, srcPort) => encodeUdp({ srcPort, dstPort: port }, put(frame, sent), 'no-checksum'),
    take: (header, payload) => {
      const udp = decodeUdp(payload, header);
      return udp?.header.dstPort === port ? take(udp.payload) : undefined;
    },
  };
}

/**
 * The outer frame for a packet that leaves through a flow-based tunnel port: TTL 64, don't fragment, no UDP checksum,
 * ECN copied from inside (ovs-vswitchd.conf.db(5), tunnel options; RFC 8926, 7348, 2784).
 */
export function encapsulate(type: TunnelType, packet: Packet, options: OptionFields, underlay: Underlay, src: string, dst: string): Uint8Array {
  const { key } = packet;
  const encapsulation = encapsulations[type];
  if (encapsulation === undefined) throw new Unsupported(`the model does not know ${type} tunnels`);
  const { protocol, put } = encapsulation;
  const srcPort = sourcePorts.first + Math.floor((packet.hash * (sourcePorts.end - sourcePorts.first)) / 0x1_0000_0000);
  const addresses = { src: underlay.ip, dst: formatIpv4(key[word.tunDst] ?? 0) };
  const { bytes, isCritical } = encodeOptions(key, options);
  const carried = put(departing(packet), { id: key[word.tunId + 1] ?? 0, options: bytes, isCritical, isOam: key[word.tunFlags] !== 0 }, srcPort);
  const ip = encodeIpv4({ ...addresses, protocol, ttl: 64, tos: outerEcn(key), flags: ipv4Flags.dontFragment }, carried);
  return encodeEthernet({ dst, src, etherType: etherTypes.ipv4 }, ip);
}

function outerEcn(key: FlowKey): number {
  if (key[word.ethType] !== etherTypes.ipv4) return 0;
  const inner = (key[word.nwTos] ?? 0) & ecn.mask;
  return inner === ecn.congestionExperienced ? ecn.capable : inner;
}

/** What came through a tunnel: the inner frame, and the addresses and key it came with. */
export interface Decapsulated {
  readonly type: TunnelType;
  readonly frame: Uint8Array;
  readonly src: number;
  readonly dst: number;
  readonly id: number;
  /** Geneve's bit for packets that look after the tunnel itself. */
  readonly isOam?: boolean;
  readonly options?: Uint8Array;
}

/** The inner frame, if `frame` is a tunnel's of one of `types` for the address that `bridge` holds; undefined for everything else. */
export function decapsulate(types: readonly TunnelType[], frame: Uint8Array, bridge: BridgePlan): Decapsulated | undefined {
  if (bridge.underlay === undefined) return undefined;
  const ethernet = decodeEthernet(frame);
  if (ethernet?.header.etherType !== etherTypes.ipv4 || formatMac(macBytes(ethernet.header.dst)) !== bridge.mac) return undefined;
  const ip = decodeIpv4(ethernet.payload);
  if (ip === undefined || ip.header.dst !== bridge.underlay.ip || isFragment(ip.header)) return undefined;
  for (const type of types) {
    const encapsulation = encapsulations[type];
    const carried = encapsulation !== undefined && ip.header.protocol === encapsulation.protocol ? encapsulation.take(ip.header, ip.payload) : undefined;
    if (carried !== undefined) return { type, ...carried, src: ipv4Number(ip.header.src), dst: ipv4Number(ip.header.dst) };
  }
  return undefined;
}
