/** What a host does with a frame it gets, and how it starts what a vector asks of it. */
import { assertNever, unknownName } from '../base/errors.js';
import type { HostPlan, InterfacePlan } from '../nouns/plan.js';
import type { Stimulus } from '../nouns/vector.js';
import { decodeEthernet, etherTypes } from '../packet/ethernet.js';
import { decodeIcmp, encodeIcmp, icmpTypes } from '../packet/icmp.js';
import { decodeIpv4, encodeIpv4, ipProtocols, ipv4Flags, isFragment, type Ipv4Header } from '../packet/ipv4.js';
import { decodeUdp, encodeUdp } from '../packet/udp.js';
import { encodeSpec } from './frames.js';
import { interfaceWith, type Effect, type Host } from './host.js';
import { receiveArp, resolve, sendToNeighbour } from './neighbours.js';
import { nextHop } from './routing.js';

/** The echo service (RFC 862) that every host runs. */
const echoPort = 7;
const defaultTtl = 64;
const broadcast = 'ff:ff:ff:ff:ff:ff';

/** A stimulus begins at the host it names. @throws InputError when the host has no interface of the name that the stimulus gives. */
export function begin(host: Host, stimulus: Stimulus): readonly Effect[] {
  const { identifier, srcPort, payload } = host.random;
  switch (stimulus.kind) {
    case 'ping':
      return sendIp(host, stimulus.to, ipProtocols.icmp, stimulus.ttl, () => encodeIcmp({ type: icmpTypes.echoRequest, code: 0, identifier, sequence: 1 }, payload));
    case 'udp':
      return sendIp(host, stimulus.to, ipProtocols.udp, stimulus.ttl, (addresses) => encodeUdp({ srcPort, dstPort: stimulus.port }, payload, addresses));
    case 'arp': {
      const hop = nextHop(host.plan, stimulus.target);
      return hop === undefined ? unroutable(host, stimulus.target) : resolve(host, hop.via, stimulus.target, []);
    }
    case 'frame':
      return [{ kind: 'send', via: interfaceNamed(host.plan, stimulus.interface), frame: encodeSpec(stimulus.frame, host.random) }];
    default:
      return assertNever(stimulus);
  }
}

/** The first interface when there is no `name`. */
function interfaceNamed({ name: host, interfaces }: HostPlan, name: string | undefined): InterfacePlan {
  const found = interfaces.find((candidate) => name === undefined || candidate.name === name);
  if (found === undefined) throw unknownName(`interface of ${host}`, name ?? '', interfaces.map((candidate) => candidate.name));
  return found;
}

/** A frame arrived at one of the host's interfaces. */
export function receive(host: Host, via: InterfacePlan, frame: Uint8Array): readonly Effect[] {
  const ethernet = decodeEthernet(frame);
  if (ethernet === undefined || (ethernet.header.dst !== via.mac && ethernet.header.dst !== broadcast)) return [];
  if (ethernet.header.etherType === etherTypes.arp) return receiveArp(host, via, ethernet.payload);
  if (ethernet.header.etherType === etherTypes.ipv4) return receiveIpv4(host, ethernet.payload);
  return [];
}

function receiveIpv4(host: Host, bytes: Uint8Array): readonly Effect[] {
  const ip = decodeIpv4(bytes);
  if (ip === undefined || ip.checksum !== 'valid') return dropped('a broken IPv4 header', ip?.header);
  if (isFragment(ip.header)) return dropped('a fragment', ip.header);
  if (interfaceWith(host, ip.header.dst) === undefined) return dropped(`no route to ${ip.header.dst}`, ip.header);
  if (ip.header.protocol === ipProtocols.icmp) return receiveIcmp(host, ip.header, ip.payload);
  if (ip.header.protocol === ipProtocols.udp) return receiveUdp(host, ip.header, ip.payload);
  return dropped(`nobody takes protocol ${ip.header.protocol}`, ip.header);
}

function receiveIcmp(host: Host, header: Ipv4Header, bytes: Uint8Array): readonly Effect[] {
  const icmp = decodeIcmp(bytes);
  if (icmp === undefined || icmp.checksum !== 'valid') return dropped('a broken ICMP message', header);
  if (icmp.header.type === icmpTypes.echoReply) return [received('echo-reply', header)];
  if (icmp.header.type !== icmpTypes.echoRequest) return dropped(`ICMP type ${icmp.header.type}`, header);
  const reply = encodeIcmp({ ...icmp.header, type: icmpTypes.echoReply }, icmp.payload);
  return [received('echo-request', header), ...sendIp(host, header.src, ipProtocols.icmp, defaultTtl, () => reply, header.dst)];
}

function receiveUdp(host: Host, header: Ipv4Header, bytes: Uint8Array): readonly Effect[] {
  const udp = decodeUdp(bytes, header);
  if (udp === undefined || udp.checksum === 'invalid' || udp.checksum === 'unverifiable') return dropped('a broken UDP datagram', header);
  if (udp.header.dstPort !== echoPort) return [received('udp', header)];
  const ports = { srcPort: udp.header.dstPort, dstPort: udp.header.srcPort };
  return [received('udp', header), ...sendIp(host, header.src, ipProtocols.udp, defaultTtl, (addresses) => encodeUdp(ports, udp.payload, addresses), header.dst)];
}

/** Routes, puts the IP header on and hands the packet to the neighbour; `src` is the outgoing interface's address unless told. */
function sendIp(host: Host, dst: string, protocol: number, ttl: number | undefined, encode: (addresses: { src: string; dst: string }) => Uint8Array, src?: string): readonly Effect[] {
  const hop = nextHop(host.plan, dst);
  if (hop === undefined) return unroutable(host, dst);
  const addresses = { src: src ?? hop.via.ip, dst };
  const header = { ...addresses, protocol, ttl: ttl ?? defaultTtl, identification: host.random.identifier, flags: ipv4Flags.dontFragment };
  return sendToNeighbour(host, hop.via, hop.ip, encodeIpv4(header, encode(addresses)));
}

function received(what: 'echo-request' | 'echo-reply' | 'udp', header: Ipv4Header): Effect {
  return { kind: 'note', note: { kind: 'received', what, src: header.src, dst: header.dst, ttl: header.ttl } };
}

function dropped(why: string, header: Ipv4Header | undefined): readonly Effect[] {
  return [{ kind: 'note', note: { kind: 'dropped', why, src: header?.src ?? '', dst: header?.dst ?? '' } }];
}

function unroutable(host: Host, dst: string): readonly Effect[] {
  return [{ kind: 'note', note: { kind: 'dropped', why: `no route to ${dst}`, src: host.plan.interfaces[0]?.ip ?? '', dst } }];
}
