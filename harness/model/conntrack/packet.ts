/** A packet as the tracker sees it: whose connection it may belong to, and what moves that on. */
import { Unsupported } from '../../base/errors.js';
import { finishChecksum, internetChecksum, sumWords } from '../../packet/checksum.js';
import type { Layout } from '../../packet/extract/extract.js';
import { word, type FlowKey } from '../../packet/flow-key.js';
import { ipProtocols } from '../../packet/ipv4.js';
import { counterpart } from './icmp.js';
import type { TrackedSegment } from './tcp.js';
import { addressesOf, type Address, type Family, type Tuple } from './tuple.js';

export type TrackedPacket = { readonly tuple: Tuple } & (
  | { readonly kind: 'tcp'; readonly segment: TrackedSegment }
  | { readonly kind: 'icmp'; readonly type: number }
  | { readonly kind: 'other' }
);

/** A TCP header without options. */
const tcpLength = 20;

/** What IP carries, and what is known of it from in front of it. */
interface Transport {
  readonly zone: number;
  readonly family: Family;
  readonly src: Address;
  readonly dst: Address;
  readonly protocol: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** What its checksum covers beside its bytes: the sum of the words of a pseudo header (RFC 9293, section 3.1; RFC 8200, section 8.1). */
  readonly pseudoHeader: number;
}

/**
 * Undefined for a packet that can belong to no connection: cut off, with a wrong checksum, or to port 0.
 * @param frame the packet's bytes as they are now, `key` and `layout` what was extracted from them.
 */
export function trackedPacket(frame: Uint8Array, layout: Layout, key: FlowKey, zone: number): TrackedPacket | undefined {
  const transport = transportOf(frame, layout, key, zone);
  if (transport === undefined) return undefined;
  switch (transport.protocol) {
    case ipProtocols.tcp:
      return tcpPacket(transport);
    case ipProtocols.udp:
      return udpPacket(transport);
    case ipProtocols.sctp:
      throw new Unsupported('the model does not track SCTP connections');
    case transport.family === 'ipv4' ? ipProtocols.icmp : ipProtocols.icmp6:
      return icmpPacket(transport);
    default:
      return { kind: 'other', tuple: between(transport, 0, 0) };
  }
}

function transportOf(frame: Uint8Array, { l3, l4 }: Layout, key: FlowKey, zone: number): Transport | undefined {
  const addresses = addressesOf(key);
  if (addresses === undefined || l4 < 0) return undefined;
  if (key[word.nwFrag] !== 0) throw new Unsupported('the model does not reassemble fragments (ct on a fragment)');
  const isIpv4 = addresses.family === 'ipv4';
  if (isIpv4 && internetChecksum(frame.subarray(l3, l4)) !== 0) throw new Unsupported('the model does not track packets with a wrong IPv4 header checksum, which Open vSwitch 3.2 to 3.5 do not look at and others call invalid');
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const bytes = frame.subarray(l4, isIpv4 ? l3 + view.getUint16(l3 + 2) : l3 + 40 + view.getUint16(l3 + 4));
  const protocol = key[word.nwProto] ?? 0;
  const pseudoHeader = sumWords(isIpv4 ? frame.subarray(l3 + 12, l3 + 20) : frame.subarray(l3 + 8, l3 + 40), protocol + bytes.length);
  return { ...addresses, zone, protocol, bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), pseudoHeader };
}

function tcpPacket(transport: Transport): TrackedPacket | undefined {
  const { bytes, view } = transport;
  if (bytes.length < tcpLength) return undefined;
  const headerLength = (view.getUint8(12) >>> 4) * 4;
  if (headerLength < tcpLength || headerLength > bytes.length || !isSound(transport)) return undefined;
  const tuple = betweenPorts(transport);
  const segment = {
    sequence: view.getUint32(4), acknowledgement: view.getUint32(8), flags: view.getUint8(13), window: view.getUint16(14),
    options: bytes.subarray(tcpLength, headerLength), payloadLength: bytes.length - headerLength,
  };
  return tuple && { kind: 'tcp', tuple, segment };
}

/** UDP may do without a checksum over IPv4 (RFC 768), not over IPv6 (RFC 8200, section 8.1). */
function udpPacket(transport: Transport): TrackedPacket | undefined {
  const { bytes, view, family } = transport;
  if (bytes.length < 8 || view.getUint16(4) < 8 || view.getUint16(4) > bytes.length) return undefined;
  if (!(family === 'ipv4' && view.getUint16(6) === 0) && !isSound(transport)) return undefined;
  const tuple = betweenPorts(transport);
  return tuple && { kind: 'other', tuple };
}

function icmpPacket(transport: Transport): TrackedPacket | undefined {
  const { bytes, view, family } = transport;
  if (bytes.length < 8 || (family === 'ipv4' ? internetChecksum(bytes) !== 0 : !isSound(transport))) return undefined;
  const type = view.getUint8(0);
  const answer = counterpart(family, type);
  if (answer === undefined) throw new Unsupported(`the model does not track ${family === 'ipv4' ? 'ICMP' : 'ICMPv6'} type ${type}`);
  if (view.getUint8(1) !== 0) return undefined;
  const identifier = view.getUint16(4);
  return { kind: 'icmp', type, tuple: between(transport, identifier, identifier, type, answer) };
}

/** Whether the checksum over pseudo header and bytes is right. */
function isSound({ bytes, pseudoHeader }: Transport): boolean {
  return finishChecksum(sumWords(bytes, pseudoHeader)) === 0;
}

/** Undefined for port 0, which is none. */
function betweenPorts(transport: Transport): Tuple | undefined {
  const [src, dst] = [transport.view.getUint16(0), transport.view.getUint16(2)];
  return src === 0 || dst === 0 ? undefined : between(transport, src, dst);
}

function between({ zone, family, protocol, src, dst }: Transport, srcPort: number, dstPort: number, srcType = 0, dstType = 0): Tuple {
  return { zone, family, protocol, src: { address: src, port: srcPort, type: srcType }, dst: { address: dst, port: dstPort, type: dstType } };
}
