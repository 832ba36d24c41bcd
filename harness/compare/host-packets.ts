/** What frames at hosts' interfaces carry, as far as promises are about it. */
import type { HostFrame } from '../domain/observation.js';
import { decodeArp, arpOperations } from '../packet/protocols/link/arp.js';
import { decodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { viewOf } from '../packet/bytes/header-layout.js';
import { icmp6Types } from '../packet/protocols/ip/icmp6.js';
import { icmpTypes } from '../packet/protocols/ip/icmp.js';
import { decodeIp, type IpPacket } from '../packet/protocols/ip/ip-packet.js';
import { ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { mldTypes } from '../packet/protocols/ip/mld.js';
import { neighbourTypes } from '../packet/protocols/ip/neighbour.js';
import { tcpFlags } from '../packet/protocols/transport/tcp.js';

export type HostPacket =
  | { readonly kind: 'ip'; readonly packet: IpPacket }
  /** ARP, RARP, neighbour discovery, group members: hosts say such on their own account. */
  | { readonly kind: 'neighbour'; readonly says: 'asks' | 'answers' }
  | { readonly kind: 'other'; readonly etherType: number };

/** The content of a frame behind its VLAN tags (IEEE 802.1Q); undefined for less than a header. */
export function hostPacketIn(frame: Uint8Array): HostPacket | undefined {
  const ethernet = decodeEthernet(frame);
  if (ethernet === undefined) return undefined;
  return contentOf(ethernet.header.etherType, ethernet.payload);
}

/** RFC 903: hosts learn an address by it, and answer nothing. */
const rarp = 0x8035;

const tags: ReadonlySet<number> = new Set([0x8100, 0x88a8]);

function contentOf(etherType: number, bytes: Uint8Array): HostPacket {
  if (tags.has(etherType) && bytes.length >= 4)
    return contentOf(viewOf(bytes).getUint16(2), bytes.subarray(4));
  if (etherType === etherTypes.arp) {
    const isReply = decodeArp(bytes)?.op === arpOperations.reply;
    return { kind: 'neighbour', says: isReply ? 'answers' : 'asks' };
  }
  if (etherType === rarp) return { kind: 'neighbour', says: 'asks' };
  const packet =
    etherType === etherTypes.ipv4 || etherType === etherTypes.ipv6 ? decodeIp(bytes) : undefined;
  if (packet === undefined) return { kind: 'other', etherType };
  const isIcmp6 = packet.protocol === ipProtocols.icmp6;
  const type = isIcmp6 ? (packet.payload[0] ?? 0) : undefined;
  if (type === icmp6Types.neighbourAdvertisement) return { kind: 'neighbour', says: 'answers' };
  return type !== undefined && ownAccount.has(type)
    ? { kind: 'neighbour', says: 'asks' }
    : { kind: 'ip', packet };
}

const ownAccount: ReadonlySet<number> = new Set([
  ...Object.values(neighbourTypes),
  ...Object.values(mldTypes),
]);

/** The IP packet that has arrived, where it is one and no neighbour discovery. */
export function ipPacketOf({ frame }: HostFrame): IpPacket | undefined {
  const content = hostPacketIn(frame);
  return content?.kind === 'ip' ? content.packet : undefined;
}

/** RFC 792, RFC 4443: destination unreachable, time exceeded and their like. */
export function isIcmpError({ protocol, payload }: IpPacket): boolean {
  const [type = 0] = payload;
  if (protocol === ipProtocols.icmp) return icmpErrors.has(type);
  return protocol === ipProtocols.icmp6 && type < 128;
}

const icmpErrors: ReadonlySet<number> = new Set([
  icmpTypes.destinationUnreachable,
  icmpTypes.timeExceeded,
  // Source quench, redirect, parameter problem.
  4,
  5,
  12,
]);

/** RFC 9293, section 3.5.2. */
export function isReset({ protocol, payload }: IpPacket): boolean {
  return protocol === ipProtocols.tcp && ((payload[13] ?? 0) & tcpFlags.RST) !== 0;
}

/**
 * Text that two packets share when one is a copy of the other, also behind a router or an address
 * translation: the protocol and its payload without ports, identifiers and checksums.
 */
export function fingerprint({ protocol, payload }: IpPacket): string {
  const bytes = Uint8Array.from(payload);
  for (const [from, to] of translated(protocol)) bytes.fill(0, from, to);
  return `${protocol} ${Buffer.from(bytes).toString('latin1')}`;
}

/** Which bytes of a transport header an address translation may rewrite. */
function translated(protocol: number): readonly (readonly [number, number])[] {
  const ports = [0, 4] as const;
  switch (protocol) {
    case ipProtocols.tcp:
      return [ports, [16, 18]];
    case ipProtocols.udp:
      return [ports, [6, 8]];
    case ipProtocols.sctp:
      return [ports, [8, 12]];
    case ipProtocols.icmp:
    case ipProtocols.icmp6:
      return [[2, 6]];
    default:
      return [];
  }
}
