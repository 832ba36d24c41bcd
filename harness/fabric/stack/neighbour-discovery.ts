/**
 * Neighbour discovery as a host speaks it (RFC 4861, section 7.2). Addresses are the host's from
 * the start: nobody is asked whether others have them (RFC 4862, section 5.4), and routers are not
 * looked for.
 */
import { formatMac } from '../../base/addresses/mac-and-ipv4.js';
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import type { Decoded } from '../../packet/bytes/header-layout.js';
import { icmp6Types, type Icmp6Header } from '../../packet/protocols/ip/icmp6.js';
import { decodeNeighbour, optionTypes } from '../../packet/protocols/ip/neighbour.js';
import {
  advertisementFlags,
  advertisementFrame,
} from '../../packet/protocols/ip/neighbour-frames.js';
import { interfaceWith, type Effect, type Host, type IpHeader } from './host.js';
import { learn } from './neighbours.js';

/**
 * Who asks for an address of ours is learned and answered. An advertisement brings up to date what
 * the host knows or asks for; one that nobody asked for teaches nothing.
 */
export function receiveNeighbour(
  host: Host,
  via: InterfacePlan,
  { src }: IpHeader,
  { header, payload }: Decoded<Icmp6Header>,
): readonly Effect[] {
  const message = decodeNeighbour(payload);
  if (message === undefined) return [];
  const { target, options } = message;
  const isSolicitation = header.type === icmp6Types.neighbourSolicitation;
  const wanted = isSolicitation ? optionTypes.source : optionTypes.target;
  const option = options.find(({ type }) => type === wanted);
  if (option === undefined) return [];
  const mac = formatMac(option.content);
  if (isSolicitation)
    return interfaceWith(host, target) === via ? answer(host, via, { src, mac, target }) : [];
  const before = host.neighbours.get(target);
  const overrides = (header.rest & advertisementFlags.override) !== 0;
  if (before === undefined || (before.kind === 'known' && !overrides)) return [];
  const waited = learn(host, target, mac);
  return before.kind === 'asking'
    ? [{ kind: 'note', note: { kind: 'resolved', ip: target, mac } }, ...waited]
    : waited;
}

function answer(
  host: Host,
  via: InterfacePlan,
  asked: { readonly src: string; readonly mac: string; readonly target: string },
): readonly Effect[] {
  const { src, mac, target } = asked;
  const waited = learn(host, src, mac);
  const flags = advertisementFlags.solicited | advertisementFlags.override;
  const frame = advertisementFrame({ mac: via.mac, ip: target }, { mac, ip: src }, flags);
  return [...waited, { kind: 'send', via, frame }];
}
