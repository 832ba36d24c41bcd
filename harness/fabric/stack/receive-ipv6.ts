/** IPv6 as a host takes it (RFC 8200), with neighbour discovery (RFC 4861). */
import { groupMac, linkLocalOf, solicitedNodeOf } from '../../base/addresses/link-local.js';
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import { decodeIcmp6, encodeIcmp6, icmp6Types } from '../../packet/protocols/ip/icmp6.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { decodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import { neighbourHopLimit } from '../../packet/protocols/ip/neighbour-frames.js';
import { receiveDhcpv6 } from './dhcpv6.js';
import { interfaceWith, type Effect, type Host, type IpHeader } from './host.js';
import { receiveNeighbour } from './neighbour-discovery.js';
import { noteUnreachable } from './note-unreachable.js';
import { received, receiveUdp } from './receive-udp.js';
import { receiveSctp } from './sctp/sctp.js';
import { dropped, sendIp } from './send-ip.js';
import { receiveTcp } from './tcp/tcp.js';
import { tupleOf } from '../nat/connection-tuple.js';

const allNodes = 'ff02::1';

/** Whether the interface takes part in a group that has this MAC address. */
export function hearsGroup(via: InterfacePlan, mac: string): boolean {
  return groupsOf(via).some((group) => groupMac(group) === mac);
}

/** RFC 4291, section 2.8. */
function groupsOf({ ipv6, mac }: InterfacePlan): readonly string[] {
  return ipv6 === undefined
    ? []
    : [allNodes, solicitedNodeOf(ipv6.ip), solicitedNodeOf(linkLocalOf(mac))];
}

/** Hosts with no address of IPv6 have no stack for it, and those that forward do so with IPv4. */
export function receiveIpv6(host: Host, via: InterfacePlan, bytes: Uint8Array): readonly Effect[] {
  const ip = decodeIpv6(bytes);
  if (ip === undefined || via.ipv6 === undefined) return [];
  const { src, dst, hopLimit, nextHeader } = ip.header;
  const header: IpHeader = { src, dst, ttl: hopLimit };
  const isForUs = interfaceWith(host, dst) !== undefined || groupsOf(via).includes(dst);
  if (!isForUs) return dropped(`no route to ${dst}`, header);
  host.own.packets += 1;
  switch (nextHeader) {
    case ipProtocols.icmp6:
      return receiveIcmp6(host, via, header, ip.payload);
    case ipProtocols.udp:
      return receiveDhcpv6(host, header, ip.payload) ?? receiveUdp(host, header, ip.payload);
    case ipProtocols.tcp:
      return receiveTcp(host, header, ip.payload);
    case ipProtocols.sctp:
      return receiveSctp(host, header, ip.payload);
    default:
      return dropped(`nobody takes protocol ${nextHeader}`, header);
  }
}

function receiveIcmp6(
  host: Host,
  via: InterfacePlan,
  header: IpHeader,
  bytes: Uint8Array,
): readonly Effect[] {
  const icmp = decodeIcmp6(bytes, header);
  if (icmp?.checksum !== 'valid') return dropped('a broken ICMPv6 message', header);
  const { type, code, rest } = icmp.header;
  switch (type) {
    case icmp6Types.neighbourSolicitation:
    case icmp6Types.neighbourAdvertisement:
      return header.ttl === neighbourHopLimit
        ? receiveNeighbour(host, via, header, icmp)
        : dropped('neighbour discovery from far away', header);
    case icmp6Types.echoReply:
      return [received('echo-reply', header)];
    case icmp6Types.destinationUnreachable:
    case icmp6Types.timeExceeded:
      return receiveError(host, type, code, icmp.payload);
    case icmp6Types.echoRequest:
      return [
        received('echo-request', header),
        ...sendIp(host, {
          dst: header.src,
          src: header.dst,
          protocol: ipProtocols.icmp6,
          encode: (addresses) =>
            encodeIcmp6({ type: icmp6Types.echoReply, code: 0, rest }, icmp.payload, addresses),
        }),
      ];
    default:
      return dropped(`ICMPv6 type ${type}`, header);
  }
}

/** RFC 4443, section 3. What is quoted is the head of the packet that it is about. */
function receiveError(
  host: Host,
  type: number,
  code: number,
  quoted: Uint8Array,
): readonly Effect[] {
  const sent = tupleOf(quoted);
  const why =
    type === icmp6Types.timeExceeded
      ? 'time exceeded'
      : (unreachable[code] ?? `destination unreachable, code ${code}`);
  return sent === undefined ? [] : noteUnreachable(host, sent, why);
}

const unreachable: Readonly<Record<number, string>> = {
  0: 'network unreachable',
  1: 'administratively prohibited',
  3: 'host unreachable',
  4: 'port unreachable',
};
