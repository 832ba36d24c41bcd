/**
 * How types of tunnels carry a frame: what stands between the outer IP header and it (Open vSwitch
 * lib/netdev-native-tnl.c).
 */
import { assert, Unsupported } from '../../base/errors/errors.js';
import { internetChecksum } from '../../packet/bytes/checksum.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { decodeGeneve, encodeGeneve } from '../../packet/protocols/tunnel/geneve.js';
import { decodeGre, encodeGre } from '../../packet/protocols/tunnel/gre.js';
import { concatBytes, viewOf } from '../../packet/bytes/header-layout.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeVxlan } from '../../packet/protocols/tunnel/vxlan.js';
import type { KnownTunnel, TunnelConfig } from './tunnel-config.js';
import type { OuterHeader } from './outer-header.js';

/** What goes with a frame beside the outer header. */
export interface EncapsulationInput {
  readonly header: OuterHeader;
  readonly config: TunnelConfig;
  /** Geneve's options, and whether one of them must be known. */
  readonly options: Uint8Array;
  readonly isCritical: boolean;
  readonly isOam: boolean;
}

/** What came with one. */
export interface Decapsulated {
  readonly frame: Uint8Array;
  readonly id: bigint;
  readonly isOam?: boolean;
  readonly options?: Uint8Array;
}

interface Encapsulation {
  readonly protocol: number;
  put(frame: Uint8Array, sent: EncapsulationInput): Uint8Array;
  /** Undefined for what is broken, or carries no Ethernet frame. */
  take(payload: Uint8Array, carries: TunnelConfig['carries']): Decapsulated | undefined;
}

const vni = ({ id }: OuterHeader) => Number(id & 0xffffffn);

/** For those over UDP, what is behind its header. */
export const encapsulations: Readonly<Record<KnownTunnel, Encapsulation>> = {
  geneve: {
    protocol: ipProtocols.udp,
    put: (frame, { header, options, isCritical, isOam }) =>
      encodeGeneve(
        {
          vni: vni(header),
          protocolType: etherTypes.transparentEthernetBridging,
          options,
          critical: isCritical,
          oam: isOam,
        },
        frame,
      ),
    take: (payload) => {
      const geneve = decodeGeneve(payload);
      if (geneve?.header.protocolType !== etherTypes.transparentEthernetBridging) return undefined;
      return {
        frame: geneve.payload,
        id: BigInt(geneve.header.vni),
        isOam: geneve.header.oam,
        options: geneve.header.options,
      };
    },
  },
  vxlan: {
    protocol: ipProtocols.udp,
    put: (frame, { header, config }) => {
      const bytes = encodeVxlan({ vni: vni(header) }, frame);
      if (config.extension === 'gpe')
        bytes.set([vxlanFlags.vni | vxlanFlags.gpe, 0, 0, nextProtocols.ethernet]);
      return bytes;
    },
    take: decapsulateVxlan,
  },
  gre: {
    protocol: ipProtocols.gre,
    put: (frame, { header, config }) => {
      const { protocolType, payload } =
        config.carries === 'frames'
          ? { protocolType: etherTypes.transparentEthernetBridging, payload: frame }
          : withoutEthernet(frame);
      return encodeGre(
        {
          protocolType,
          ...(config.outKey === 'none' ? {} : { key: Number(header.id & 0xffffffffn) }),
          ...(header.checksum === 'present' ? { checksum: 'computed' } : {}),
        },
        payload,
      );
    },
    take: (payload, carries) => {
      const gre = decodeGre(payload);
      if (gre === undefined || gre.checksum === 'invalid') return undefined;
      const id = BigInt(gre.header.key ?? 0);
      const isFrame = gre.header.protocolType === etherTypes.transparentEthernetBridging;
      if (carries === 'frames') return isFrame ? { frame: gre.payload, id } : undefined;
      return { frame: withEthernet(gre.header.protocolType, gre.payload), id };
    },
  },
};

/** What such tunnels carry (`packet_type=legacy_l3`), by EtherType. */
const packetTypes: readonly number[] = [
  etherTypes.ipv4,
  etherTypes.ipv6,
  etherTypes.mpls,
  etherTypes.mplsMulticast,
];
const etherTypeAt = 12;

/** @throws Unsupported for what is neither IP nor MPLS. */
function withoutEthernet(frame: Uint8Array): {
  readonly protocolType: number;
  readonly payload: Uint8Array;
} {
  const protocolType = frame.length < ethernetBytes ? 0 : viewOf(frame).getUint16(etherTypeAt);
  if (!packetTypes.includes(protocolType)) throw otherThanPackets();
  return { protocolType, payload: frame.subarray(ethernetBytes) };
}

/** With addresses of zero (Open vSwitch ofproto/ofproto-dpif-xlate.c, xlate_actions). */
function withEthernet(protocolType: number, packet: Uint8Array): Uint8Array {
  if (!packetTypes.includes(protocolType)) throw otherThanPackets();
  const frame = concatBytes(new Uint8Array(ethernetBytes), packet);
  viewOf(frame).setUint16(etherTypeAt, protocolType);
  return frame;
}

export const ethernetBytes = 14;

function otherThanPackets(): Unsupported {
  return new Unsupported(
    'the model does not know what a tunnel with packet_type=legacy_l3 makes of what is neither ' +
      'IP nor MPLS',
  );
}

/** In the first byte; with `gpe` the fourth says what is inside (draft-ietf-nvo3-vxlan-gpe). */
const vxlanFlags = { vni: 0x08, gpe: 0x04, usedByGpe: 0x35, oam: 0x01 } as const;
const nextProtocols = { ethernet: 3 } as const;

/**
 * Everything but the VNI and what is known of GPE has to be zero, and so GBP's group is not
 * understood.
 */
function decapsulateVxlan(payload: Uint8Array): Decapsulated | undefined {
  if (payload.length < 8) return undefined;
  const view = viewOf(payload);
  let flags = view.getUint32(0);
  if ((view.getUint8(0) & vxlanFlags.gpe) !== 0) {
    if ((view.getUint8(0) & vxlanFlags.oam) !== 0 || view.getUint8(3) !== nextProtocols.ethernet)
      return undefined;
    flags = (flags & ~(vxlanFlags.usedByGpe * 0x1000000) & ~0xff) >>> 0;
  }
  if (flags !== vxlanFlags.vni * 0x1000000 || view.getUint8(7) !== 0) return undefined;
  return { frame: payload.subarray(8), id: BigInt(view.getUint32(4) >>> 8) };
}

/**
 * Whether the checksum of UDP is right, or not there, over all bytes to the end of the frame;
 * `pseudo` is the sum of the header that comes with it.
 */
export function isUdpIntact(bytes: Uint8Array, pseudo: number): boolean {
  assert(bytes.length >= 8, 'a whole header of UDP');
  return viewOf(bytes).getUint16(6) === 0 || internetChecksum(bytes, pseudo) === 0;
}
