/**
 * A packet that came through a tunnel: whose it is, and what was inside (Open vSwitch
 * lib/tnl-ports.c, lib/netdev-native-tnl.c).
 */
import { formatMac, macBytes } from '../../base/addresses/mac-and-ipv4.js';
import { fromIpv4 } from '../../base/addresses/ip-address.js';
import { internetChecksum, sumWords } from '../../packet/bytes/checksum.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import type { Layout } from '../../packet/flow-key/extract/extract.js';
import { tagged, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import type { ModelBridge } from '../model-bridge.js';
import { readWide } from './tunnel-addresses.js';
import type { TunnelConfig } from './tunnel-config.js';
import { encapsulations, isUdpIntact, type Decapsulated } from './encapsulation.js';
import type { TunnelPort } from './tunnel-ports.js';

/**
 * The tunnels that a packet with these fields ends: those of one type and UDP port, for an address
 * that one of the bridges holds.
 */
export function terminatingTunnel(
  bridges: readonly ModelBridge[],
  ports: readonly TunnelPort[],
  key: FlowKey,
): TunnelConfig | undefined {
  if (ports.length === 0 || key[word.nwFrag] !== 0 || ((key[word.vlanTci] ?? 0) & tagged) !== 0)
    return undefined;
  const destination = ipDestination(key);
  const mac = macOf(key, word.ethDst);
  const isHere = bridges.some(
    ({ plan, addresses }) =>
      addresses.some(({ address }) => address === destination) &&
      formatMac(macBytes(plan.mac)) === mac,
  );
  if (!isHere) return undefined;
  return ports.find(
    ({ config: { type, udpPort } }) =>
      encapsulations[type].protocol === key[word.nwProto] &&
      (udpPort === 0 || udpPort === key[word.tpDst]),
  )?.config;
}

function ipDestination(key: FlowKey): bigint | undefined {
  if (key[word.ethType] === etherTypes.ipv4) return fromIpv4(key[word.nwDst] ?? 0);
  return key[word.ethType] === etherTypes.ipv6 ? readWide(key, word.ipv6Dst) : undefined;
}

/** Who sent it, as far as the outer header says. */
export function ipSource(key: FlowKey): bigint {
  return key[word.ethType] === etherTypes.ipv4
    ? fromIpv4(key[word.nwSrc] ?? 0)
    : readWide(key, word.ipv6Src);
}

/** Six bytes of the key as text. */
export function macOf(key: FlowKey, at: number): string {
  const bytes = new DataView(new ArrayBuffer(6));
  bytes.setUint16(0, key[at] ?? 0);
  bytes.setUint32(2, key[at + 1] ?? 0);
  return formatMac(new Uint8Array(bytes.buffer));
}

export interface DecapsulatedPacket extends Decapsulated {
  readonly source: bigint;
  readonly destination: bigint;
  readonly tos: number;
  readonly ttl: number;
}

/**
 * Undefined for what is broken: then it is dropped. What stands behind the end of the IP packet
 * counts to the packet inside.
 */
export function decapsulate(
  frame: Uint8Array,
  { l3, l4 }: Layout,
  padding: number,
  { type, carries }: TunnelConfig,
): DecapsulatedPacket | undefined {
  if (l3 < 0 || l4 < 0) return undefined;
  const outer = (frame[l3] ?? 0) >>> 4 === 4 ? outerIpv4(frame, l3) : outerIpv6(frame, l3);
  if (outer === undefined) return undefined;
  const segment = frame.subarray(l4);
  const { protocol, take } = encapsulations[type];
  if (protocol !== ipProtocols.udp) return withOuter(outer, take(segment, carries));
  if (segment.length - padding < 16 || !isUdpIntact(segment, outer.pseudo)) return undefined;
  return withOuter(outer, take(segment.subarray(8), carries));
}

interface Outer extends Omit<DecapsulatedPacket, keyof Decapsulated> {
  /** The sum of the pseudo-header, as far as Open vSwitch knows it. */
  readonly pseudo: number;
}

function withOuter(
  { source, destination, tos, ttl }: Outer,
  taken: Decapsulated | undefined,
): DecapsulatedPacket | undefined {
  return taken === undefined ? undefined : { ...taken, source, destination, tos, ttl };
}

function outerIpv4(frame: Uint8Array, l3: number): Outer | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset + l3, frame.length - l3);
  const [headerLength, length] = [(view.getUint8(0) & 15) * 4, view.getUint16(2)];
  if (
    headerLength !== 20 ||
    length > view.byteLength ||
    internetChecksum(frame.subarray(l3, l3 + headerLength)) !== 0
  )
    return undefined;
  const pseudo =
    sumWords(frame.subarray(l3 + 12, l3 + 20)) + view.getUint8(9) + length - headerLength;
  return {
    source: fromIpv4(view.getUint32(12)),
    destination: fromIpv4(view.getUint32(16)),
    tos: view.getUint8(1),
    ttl: view.getUint8(8),
    pseudo,
  };
}

function outerIpv6(frame: Uint8Array, l3: number): Outer {
  const view = new DataView(frame.buffer, frame.byteOffset + l3, frame.length - l3);
  const wide = (at: number) =>
    [0, 4, 8, 12].reduce(
      (value, offset) => (value << 32n) | BigInt(view.getUint32(at + offset)),
      0n,
    );
  const pseudo = sumWords(frame.subarray(l3 + 8, l3 + 40)) + view.getUint8(6) + view.getUint16(4);
  return {
    source: wide(8),
    destination: wide(24),
    tos: (view.getUint16(0) >>> 4) & 0xff,
    ttl: view.getUint8(7),
    pseudo,
  };
}
