/** What a host does with a frame it gets, and how it starts what a vector asks of it. */
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import { decodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import {
  decodeIcmp,
  encodeIcmp,
  icmpTypes,
  type IcmpHeader,
} from '../../packet/protocols/ip/icmp.js';
import {
  decodeIpv4,
  ipProtocols,
  isFragment,
  type Ipv4Header,
} from '../../packet/protocols/ip/ipv4.js';
import { decodeUdp } from '../../packet/protocols/transport/udp.js';
import { receiveDhcp } from './dhcp.js';
import { discoverAgain, isDhcpUnanswered } from './dhcp-transmission.js';
import { forwardPacket } from './forward.js';
import { interfaceWith, type Effect, type Host, type Timer } from './host.js';
import { dropped, sendIp } from './send-ip.js';
import { receiveArp } from './arp.js';
import { hearsGroup, receiveIpv6 } from './receive-ipv6.js';
import { received, receiveUdp } from './receive-udp.js';
import { probeAgain, stillAsking } from './neighbours.js';
import { dialTimedOut, stillDialing } from '../proxy/relay.js';
import { retransmitChunk, receiveSctp } from './sctp/sctp.js';
import { isChunkUnanswered } from './sctp/sctp-timer.js';
import { receiveTcp, retransmit, stillUnacknowledged } from './tcp/tcp.js';
import { tupleOf } from '../nat/connection-tuple.js';
import { noteUnreachable } from './note-unreachable.js';
import { startCall, startStimulus } from './start-stimulus.js';

const broadcast = 'ff:ff:ff:ff:ff:ff';

/** Time is up for what the host waits for. */
export function fireTimer(host: Host, timer: Timer): readonly Effect[] {
  switch (timer.kind) {
    case 'neighbour':
      return probeAgain(host, timer.via, timer.ip, timer.probes);
    case 'retransmission':
      return retransmit(host, timer);
    case 'sctp':
      return retransmitChunk(host, timer);
    case 'dial':
      return dialTimedOut(host, timer);
    case 'dhcp':
      return discoverAgain(host, timer.transmissions);
    case 'later':
      return startStimulus(host, timer.stimulus);
    case 'call':
      return startCall(host, timer.stimulus, timer.index);
  }
}

/** Whether a wake-up still has something to do: one that does not must not make time pass. */
export function isTimerPending(host: Host, timer: Timer): boolean {
  switch (timer.kind) {
    case 'neighbour':
      return stillAsking(host, timer.ip, timer.probes);
    case 'retransmission':
      return stillUnacknowledged(host, timer);
    case 'sctp':
      return isChunkUnanswered(host, timer);
    case 'dial':
      return stillDialing(host, timer.connection);
    case 'dhcp':
      return isDhcpUnanswered(host, timer.transmissions);
    case 'later':
    case 'call':
      return true;
  }
}

/** A frame arrived at one of the host's interfaces. */
export function receive(host: Host, via: InterfacePlan, frame: Uint8Array): readonly Effect[] {
  const ethernet = decodeEthernet(frame);
  if (ethernet === undefined) return [];
  const { dst } = ethernet.header;
  if (dst !== via.mac && dst !== broadcast && !hearsGroup(via, dst)) return [];
  if (ethernet.header.etherType === etherTypes.arp) return receiveArp(host, via, ethernet.payload);
  if (ethernet.header.etherType === etherTypes.ipv4)
    return receiveIpv4(host, via, ethernet.payload);
  if (ethernet.header.etherType === etherTypes.ipv6)
    return receiveIpv6(host, via, ethernet.payload);
  return [];
}

function receiveIpv4(host: Host, via: InterfacePlan, bytes: Uint8Array): readonly Effect[] {
  const ip = decodeIpv4(bytes);
  if (ip === undefined || ip.checksum !== 'valid')
    return dropped('a broken IPv4 header', ip?.header);
  if (isFragment(ip.header)) return dropped('a fragment', ip.header);
  if (host.nat !== undefined) {
    const routed = forwardPacket(
      host,
      via,
      host.nat,
      bytes.subarray(0, 20 + ip.header.options.length + ip.payload.length),
      ip.header,
    );
    return routed.kind === 'elsewhere' ? routed.effects : receiveOwn(host, routed.packet);
  }
  return receiveOwn(host, bytes);
}

/** A whole packet for the host itself, or for nobody that it knows. */
function receiveOwn(host: Host, bytes: Uint8Array): readonly Effect[] {
  const ip = decodeIpv4(bytes);
  if (ip === undefined) return [];
  const leased = receiveLease(host, ip.header, ip.payload);
  if (leased === undefined && interfaceWith(host, ip.header.dst) === undefined)
    return dropped(`no route to ${ip.header.dst}`, ip.header);
  host.own.packets += 1;
  if (leased !== undefined) return leased;
  if (ip.header.protocol === ipProtocols.icmp) return receiveIcmp(host, ip.header, ip.payload);
  if (ip.header.protocol === ipProtocols.udp) return receiveUdp(host, ip.header, ip.payload);
  if (ip.header.protocol === ipProtocols.sctp) return receiveSctp(host, ip.header, ip.payload);
  if (ip.header.protocol === ipProtocols.tcp) return receiveTcp(host, ip.header, ip.payload);
  return dropped(`nobody takes protocol ${ip.header.protocol}`, ip.header);
}

/** What a server answers to a host that may have no address yet: undefined for all else. */
function receiveLease(
  host: Host,
  header: Ipv4Header,
  bytes: Uint8Array,
): readonly Effect[] | undefined {
  if (host.dhcp.client === undefined || header.protocol !== ipProtocols.udp) return undefined;
  const udp = decodeUdp(bytes, header);
  if (udp === undefined || udp.checksum === 'invalid' || udp.checksum === 'unverifiable')
    return undefined;
  return receiveDhcp(host, header, udp.header, udp.payload);
}

function receiveIcmp(host: Host, header: Ipv4Header, bytes: Uint8Array): readonly Effect[] {
  const icmp = decodeIcmp(bytes);
  if (icmp === undefined || icmp.checksum !== 'valid')
    return dropped('a broken ICMP message', header);
  if (icmp.header.type === icmpTypes.echoReply) return [received('echo-reply', header)];
  if (
    icmp.header.type === icmpTypes.destinationUnreachable ||
    icmp.header.type === icmpTypes.timeExceeded
  )
    return receiveError(host, icmp.header, icmp.payload);
  if (icmp.header.type !== icmpTypes.echoRequest)
    return dropped(`ICMP type ${icmp.header.type}`, header);
  const reply = encodeIcmp({ ...icmp.header, type: icmpTypes.echoReply }, icmp.payload);
  return [
    received('echo-request', header),
    ...sendIp(host, {
      dst: header.src,
      src: header.dst,
      protocol: ipProtocols.icmp,
      encode: () => reply,
    }),
  ];
}

/** RFC 792. What is quoted is the head of the packet that it is about. */
function receiveError(
  host: Host,
  { type, code }: IcmpHeader,
  quoted: Uint8Array,
): readonly Effect[] {
  const sent = tupleOf(quoted);
  return sent === undefined
    ? []
    : noteUnreachable(
        host,
        sent,
        type === icmpTypes.timeExceeded
          ? 'time exceeded'
          : (unreachable[code] ?? `destination unreachable, code ${code}`),
      );
}

const unreachable: Readonly<Record<number, string>> = {
  0: 'network unreachable',
  1: 'host unreachable',
  3: 'port unreachable',
};
