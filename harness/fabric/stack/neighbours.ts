/**
 * Which MAC address a next hop has: asked for by ARP, or by neighbour discovery (timers are Linux's
 * defaults, arp(7) and RFC 4861, section 10: one second, three requests).
 */
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import { arpOperations, encodeArp } from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { solicitationFrame } from '../../packet/protocols/ip/neighbour-frames.js';
import type { Effect, Host, Waiting } from './host.js';
import { isIpv6Address } from './next-hop.js';

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
  return ask(via, ip, 1);
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
  return ask(via, ip, probes + 1);
}

/** Whether a wake-up still has something to do: one that does not must not make time pass. */
export function stillAsking(host: Host, ip: string, probes: number): boolean {
  const neighbour = host.neighbours.get(ip);
  return neighbour?.kind === 'asking' && neighbour.probes === probes;
}

/** It is known now: what has waited for it goes out. */
export function learn(host: Host, ip: string, mac: string): readonly Effect[] {
  const before = host.neighbours.get(ip);
  host.neighbours.set(ip, { kind: 'known', mac });
  return before?.kind === 'asking'
    ? before.waiting.map(({ via, packet }) => ipFrame(via, mac, packet))
    : [];
}

function ask(via: InterfacePlan, ip: string, probes: number): readonly Effect[] {
  const frame =
    isIpv6Address(ip) && via.ipv6 !== undefined
      ? solicitationFrame({ mac: via.mac, ip: via.ipv6.ip }, ip)
      : arpRequest(via, ip);
  return [
    { kind: 'send', via, frame },
    { kind: 'wake', delayUs: probeIntervalUs, timer: { kind: 'neighbour', via, ip, probes } },
  ];
}

function arpRequest(via: InterfacePlan, ip: string): Uint8Array {
  const request = encodeArp({
    op: arpOperations.request,
    sha: via.mac,
    spa: via.ip,
    tha: unknownMac,
    tpa: ip,
  });
  return encodeEthernet({ dst: broadcast, src: via.mac, etherType: etherTypes.arp }, request);
}

function ipFrame(via: InterfacePlan, mac: string, packet: Uint8Array): Effect {
  const etherType = (packet[0] ?? 0) >>> 4 === 6 ? etherTypes.ipv6 : etherTypes.ipv4;
  return {
    kind: 'send',
    via,
    frame: encodeEthernet({ dst: mac, src: via.mac, etherType }, packet),
  };
}
