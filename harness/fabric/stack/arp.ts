/**
 * ARP as a host speaks it (RFC 826; timers are Linux's defaults, arp(7): one second, three
 * requests).
 */
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import {
  arpOperations,
  decodeArp,
  encodeArp,
  type ArpPacket,
} from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { interfaceWith, type Effect, type Host, type Waiting } from './host.js';

const broadcast = 'ff:ff:ff:ff:ff:ff';
const unknownMac = '00:00:00:00:00:00';
const probeIntervalUs = 1_000_000;
const maximumProbes = 3;

/** Sends an IP packet to its next hop, asking for the MAC address first where it is not known. */
export function sendToNeighbour(
  host: Host,
  via: InterfacePlan,
  ip: string,
  packet: Uint8Array,
): readonly Effect[] {
  const neighbour = host.neighbours.get(ip);
  if (neighbour?.kind === 'known') return [ipFrame(via, neighbour.mac, packet)];
  if (neighbour === undefined) return resolve(host, via, ip, [{ via, packet }]);
  host.neighbours.set(ip, { ...neighbour, waiting: [...neighbour.waiting, { via, packet }] });
  return [];
}

/** Asks for the MAC address of `ip`; `waiting` goes out once it is known. */
export function resolve(
  host: Host,
  via: InterfacePlan,
  ip: string,
  waiting: readonly Waiting[],
): readonly Effect[] {
  host.neighbours.set(ip, { kind: 'asking', probes: 1, waiting });
  return sendArpRequest(via, ip, 1);
}

/**
 * A request's time is up: ask again, or give up after the third. Nothing when the answer came
 * meanwhile.
 */
export function probeAgain(
  host: Host,
  via: InterfacePlan,
  ip: string,
  probes: number,
): readonly Effect[] {
  const neighbour = host.neighbours.get(ip);
  if (neighbour?.kind !== 'asking' || neighbour.probes !== probes) return [];
  if (probes >= maximumProbes) {
    host.neighbours.delete(ip);
    return [{ kind: 'note', note: { kind: 'unresolved', ip } }];
  }
  host.neighbours.set(ip, { ...neighbour, probes: probes + 1 });
  return sendArpRequest(via, ip, probes + 1);
}

/** Whether a wake-up still has something to do: one that does not must not make time pass. */
export function stillAsking(host: Host, ip: string, probes: number): boolean {
  const neighbour = host.neighbours.get(ip);
  return neighbour?.kind === 'asking' && neighbour.probes === probes;
}

/**
 * An ARP packet arrived: an address that the host knows or asked for is brought up to date, one
 * that asks for an address of ours is learned and answered. A reply that nobody asked for teaches
 * nothing (arp_accept is off), but is noted.
 */
export function receiveArp(host: Host, via: InterfacePlan, bytes: Uint8Array): readonly Effect[] {
  const arp = decodeArp(bytes);
  if (arp === undefined) return [];
  const before = host.neighbours.get(arp.spa);
  const forUs = isAnsweredAt(host, via, arp.tpa);
  const asksUs = forUs && arp.op === arpOperations.request;
  const answersUs = before?.kind === 'asking' || (forUs && arp.op === arpOperations.reply);
  if (before !== undefined || asksUs) host.neighbours.set(arp.spa, { kind: 'known', mac: arp.sha });
  const effects: Effect[] = [];
  if (answersUs)
    effects.push({ kind: 'note', note: { kind: 'resolved', ip: arp.spa, mac: arp.sha } });
  if (before?.kind === 'asking')
    for (const { via: out, packet } of before.waiting) effects.push(ipFrame(out, arp.sha, packet));
  if (asksUs && !host.deviceAddresses.has(arp.tpa)) effects.push(sendArpReply(via, arp));
  return effects;
}

/**
 * Linux answers for its addresses at whichever interface it is asked (arp_ignore is 0), Windows
 * only where it holds them: it is a strong host (RFC 1122, 3.3.4.2; Microsoft, "Strong and Weak
 * Host Models").
 */
function isAnsweredAt(host: Host, via: InterfacePlan, ip: string): boolean {
  const holder = interfaceWith(host, ip);
  return holder !== undefined && (holder === via || host.plan.kind !== 'windows-node');
}

/** From the interface that was asked. */
function sendArpReply(via: InterfacePlan, { sha, spa, tpa }: ArpPacket): Effect {
  const reply = encodeArp({ op: arpOperations.reply, sha: via.mac, spa: tpa, tha: sha, tpa: spa });
  return {
    kind: 'send',
    via,
    frame: encodeEthernet({ dst: sha, src: via.mac, etherType: etherTypes.arp }, reply),
  };
}

function sendArpRequest(via: InterfacePlan, ip: string, probes: number): readonly Effect[] {
  const request = encodeArp({
    op: arpOperations.request,
    sha: via.mac,
    spa: via.ip,
    tha: unknownMac,
    tpa: ip,
  });
  return [
    {
      kind: 'send',
      via,
      frame: encodeEthernet({ dst: broadcast, src: via.mac, etherType: etherTypes.arp }, request),
    },
    { kind: 'wake', delayUs: probeIntervalUs, timer: { kind: 'neighbour', via, ip, probes } },
  ];
}

function ipFrame(via: InterfacePlan, mac: string, packet: Uint8Array): Effect {
  return {
    kind: 'send',
    via,
    frame: encodeEthernet({ dst: mac, src: via.mac, etherType: etherTypes.ipv4 }, packet),
  };
}
