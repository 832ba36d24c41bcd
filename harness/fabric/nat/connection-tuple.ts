/**
 * The addresses and ports by which a packet belongs to a connection, and packets with others
 * instead.
 */
import { ipv4Number } from '../../base/addresses/mac-and-ipv4.js';
import type { AddressAndPort } from '../../domain/plan/nat-plan.js';
import type { ByteView } from '../../packet/bytes/byte-view.js';
import { updateChecksum } from '../../packet/bytes/checksum.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import { icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { icmp6Types } from '../../packet/protocols/ip/icmp6.js';
import { decodeIp } from '../../packet/protocols/ip/ip-packet.js';
import { decodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { sctpChecksum, sctpLength } from '../../packet/protocols/transport/sctp.js';
import { tcpFlags } from '../../packet/protocols/transport/tcp.js';

/** Of an ICMP echo, both ports are the identifier. */
export interface Tuple {
  readonly protocol: number;
  readonly src: AddressAndPort;
  readonly dst: AddressAndPort;
}

/** Undefined for packets of no connection: of other protocols, cut off, or errors. */
export function tupleOf(packet: Uint8Array): Tuple | undefined {
  const ip = decodeIp(packet);
  if (ip === undefined) return undefined;
  const { protocol, src, dst, payload } = ip;
  if (payload.length < (protocol === ipProtocols.sctp ? sctpLength : 8)) return undefined;
  const view = viewOf(payload);
  const tuple = (from: number, to: number): Tuple => ({
    protocol,
    src: { ip: src, port: from },
    dst: { ip: dst, port: to },
  });
  if (protocol === ipProtocols.tcp || protocol === ipProtocols.udp || protocol === ipProtocols.sctp)
    return tuple(view.getUint16(0), view.getUint16(2));
  const echoes: readonly number[] =
    protocol === ipProtocols.icmp
      ? [icmpTypes.echoRequest, icmpTypes.echoReply]
      : protocol === ipProtocols.icmp6
        ? [icmp6Types.echoRequest, icmp6Types.echoReply]
        : [];
  return echoes.includes(view.getUint8(0))
    ? tuple(view.getUint16(4), view.getUint16(4))
    : undefined;
}

export function reversed({ protocol, src, dst }: Tuple): Tuple {
  return { protocol, src: dst, dst: src };
}

export function keyOfTuple({ protocol, src, dst }: Tuple): string {
  return `${protocol} ${src.ip}:${src.port} ${dst.ip}:${dst.port}`;
}

/**
 * The packet with the addresses and ports of `tuple`. Checksums are brought up to date word by
 * word, so that a wrong one stays wrong (RFC 1624); SCTP's is computed again.
 */
export function withTuple(packet: Uint8Array, tuple: Tuple): Uint8Array {
  const bytes = Uint8Array.from(packet);
  const view = viewOf(bytes);
  const start = (view.getUint8(0) & 15) * 4;
  const checksums = { ip: 10, ...transportChecksum(view, tuple.protocol, start) };
  const put = (offset: number, value: number, covered: readonly (number | undefined)[]): void => {
    const before = view.getUint16(offset);
    view.setUint16(offset, value);
    for (const place of covered)
      if (place !== undefined)
        view.setUint16(place, updateChecksum(view.getUint16(place), before, value));
  };
  for (const [offset, ip] of [
    [12, tuple.src.ip],
    [16, tuple.dst.ip],
  ] as const) {
    const number = ipv4Number(ip);
    put(offset, number >>> 16, [checksums.ip, checksums.withAddresses]);
    put(offset + 2, number & 0xffff, [checksums.ip, checksums.withAddresses]);
  }
  if (tuple.protocol === ipProtocols.icmp) put(start + 4, tuple.src.port, [checksums.withPorts]);
  else {
    put(start, tuple.src.port, [checksums.withPorts]);
    put(start + 2, tuple.dst.port, [checksums.withPorts]);
  }
  if (
    tuple.protocol === ipProtocols.udp &&
    checksums.withPorts !== undefined &&
    view.getUint16(checksums.withPorts) === 0
  )
    view.setUint16(checksums.withPorts, 0xffff);
  if (tuple.protocol === ipProtocols.sctp)
    view.setUint32(start + 8, sctpChecksum(bytes.subarray(start)));
  return bytes;
}

/**
 * Where the checksum over the ports stands, and over addresses, too; nowhere where UDP has none,
 * and for SCTP, whose is no sum.
 */
function transportChecksum(
  view: ByteView,
  protocol: number,
  start: number,
): { readonly withAddresses?: number; readonly withPorts?: number } {
  if (protocol === ipProtocols.icmp) return { withPorts: start + 2 };
  if (protocol === ipProtocols.sctp) return {};
  const place = protocol === ipProtocols.tcp ? start + 16 : start + 6;
  return protocol === ipProtocols.udp && view.getUint16(place) === 0
    ? {}
    : { withAddresses: place, withPorts: place };
}

/**
 * Whether a packet of no connection may be the first of one: neither an answer nor a reset is
 * (netfilter calls them invalid).
 */
export function opensConnection(packet: Uint8Array): boolean {
  const ip = decodeIpv4(packet);
  if (ip === undefined) return false;
  if (ip.header.protocol === ipProtocols.icmp) return ip.payload[0] === icmpTypes.echoRequest;
  const flags = ip.header.protocol === ipProtocols.tcp ? (ip.payload[13] ?? 0) : 0;
  return (
    (flags & tcpFlags.RST) === 0 &&
    (flags & (tcpFlags.SYN | tcpFlags.ACK)) !== (tcpFlags.SYN | tcpFlags.ACK)
  );
}
