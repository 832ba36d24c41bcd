/** A packet as the tracker sees it: whose connection it may belong to, and what moves that on. */
import { formatIpv4 } from '../../base/address.js';
import { Unsupported } from '../../base/errors.js';
import { finishChecksum, internetChecksum, sumWords } from '../../packet/checksum.js';
import { etherTypes } from '../../packet/ethernet.js';
import type { Layout } from '../../packet/extract/extract.js';
import { word, type FlowKey } from '../../packet/flow-key.js';
import { ipProtocols } from '../../packet/ipv4.js';
import { decodeTcp } from '../../packet/tcp.js';
import { counterpart } from './icmp.js';
import type { TrackedSegment } from './tcp.js';

/** The two directions of a connection, each as `dpctl/dump-conntrack` prints it (ovs-dpctl(8)). */
export interface Tuples {
  readonly protocol: number;
  /** As this packet goes. */
  readonly forward: string;
  /** As an answer to it goes. */
  readonly backward: string;
}

export type TrackedPacket = Tuples & (
  | { readonly kind: 'tcp'; readonly segment: TrackedSegment }
  | { readonly kind: 'icmp'; readonly type: number }
  | { readonly kind: 'other' }
);

/**
 * Undefined for a packet that can belong to no connection: cut off, with a wrong checksum, or to port 0.
 * @param frame the packet's bytes as they are now, `key` and `layout` what was extracted from them.
 */
export function trackedPacket(frame: Uint8Array, { l3, l4 }: Layout, key: FlowKey): TrackedPacket | undefined {
  if (key[word.ethType] === etherTypes.ipv6) throw new Unsupported('the model does not track IPv6 connections');
  if (key[word.ethType] !== etherTypes.ipv4 || l4 < 0) return undefined;
  if (key[word.nwFrag] !== 0) throw new Unsupported('the model does not reassemble fragments (ct on a fragment)');
  if (internetChecksum(frame.subarray(l3, l4)) !== 0) throw new Unsupported('the model does not track packets with a wrong IPv4 header checksum, which Open vSwitch 3.2 to 3.5 do not look at and others call invalid');
  const totalLength = ((frame[l3 + 2] ?? 0) << 8) | (frame[l3 + 3] ?? 0);
  const transport = frame.subarray(l4, l3 + totalLength);
  switch (key[word.nwProto]) {
    case ipProtocols.tcp:
      return tcpPacket(transport, key);
    case ipProtocols.udp:
      return udpPacket(frame.subarray(l3 + 12, l3 + 20), transport, key);
    case ipProtocols.icmp:
      return icmpPacket(transport, key);
    case ipProtocols.sctp:
      throw new Unsupported('the model does not track SCTP connections');
    default:
      return { kind: 'other', ...between(key, 'sport=0,dport=0', 'sport=0,dport=0') };
  }
}

function tcpPacket(bytes: Uint8Array, key: FlowKey): TrackedPacket | undefined {
  const tcp = decodeTcp(bytes, { src: formatIpv4(key[word.nwSrc] ?? 0), dst: formatIpv4(key[word.nwDst] ?? 0) });
  if (tcp?.checksum !== 'valid' || tcp.header.srcPort === 0 || tcp.header.dstPort === 0) return undefined;
  return { kind: 'tcp', ...betweenPorts(key), segment: { ...tcp.header, payloadLength: tcp.payload.length } };
}

/** UDP may do without a checksum (RFC 768). */
function udpPacket(addresses: Uint8Array, bytes: Uint8Array, key: FlowKey): TrackedPacket | undefined {
  if (bytes.length < 8) return undefined;
  const length = ((bytes[4] ?? 0) << 8) | (bytes[5] ?? 0);
  if (length < 8 || length > bytes.length || key[word.tpSrc] === 0 || key[word.tpDst] === 0) return undefined;
  const hasChecksum = bytes[6] !== 0 || bytes[7] !== 0;
  if (hasChecksum && finishChecksum(sumWords(bytes, sumWords(addresses, ipProtocols.udp + bytes.length))) !== 0) return undefined;
  return { kind: 'other', ...betweenPorts(key) };
}

function icmpPacket(bytes: Uint8Array, key: FlowKey): TrackedPacket | undefined {
  if (bytes.length < 8 || internetChecksum(bytes) !== 0) return undefined;
  const type = key[word.tpSrc] ?? 0;
  const other = counterpart(type);
  if (other === undefined) throw new Unsupported(`the model does not track ICMP type ${type}`);
  if (key[word.tpDst] !== 0) return undefined;
  const identifier = ((bytes[4] ?? 0) << 8) | (bytes[5] ?? 0);
  return { kind: 'icmp', type, ...between(key, `id=${identifier},type=${type},code=0`, `id=${identifier},type=${other},code=0`) };
}

function betweenPorts(key: FlowKey): Tuples {
  const [src, dst] = [key[word.tpSrc], key[word.tpDst]];
  return between(key, `sport=${src},dport=${dst}`, `sport=${dst},dport=${src}`);
}

function between(key: FlowKey, there: string, back: string): Tuples {
  const [src, dst] = [formatIpv4(key[word.nwSrc] ?? 0), formatIpv4(key[word.nwDst] ?? 0)];
  return { protocol: key[word.nwProto] ?? 0, forward: `src=${src},dst=${dst},${there}`, backward: `src=${dst},dst=${src},${back}` };
}
