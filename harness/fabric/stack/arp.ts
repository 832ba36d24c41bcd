/** ARP as a host speaks it (RFC 826). */
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import {
  arpOperations,
  decodeArp,
  encodeArp,
  type ArpPacket,
} from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { interfaceWith, type Effect, type Host } from './host.js';
import { learn } from './neighbours.js';

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
  const waited = before !== undefined || asksUs ? learn(host, arp.spa, arp.sha) : [];
  const effects: Effect[] = [];
  if (answersUs)
    effects.push({ kind: 'note', note: { kind: 'resolved', ip: arp.spa, mac: arp.sha } });
  effects.push(...waited);
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
