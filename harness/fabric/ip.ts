/** IPv4 as a host sends it, and what its stack has to say about a packet. */
import { encodeIpv4, ipv4Flags } from '../packet/ipv4.js';
import type { IpAddresses } from '../packet/pseudo-header.js';
import type { Effect, Host } from './host.js';
import { sendToNeighbour } from './neighbours.js';
import { nextHop } from './routing.js';

export const defaultTtl = 64;

export interface Datagram {
  readonly dst: string;
  readonly protocol: number;
  /** 64 unless told. */
  readonly ttl?: number | undefined;
  /** The outgoing interface's address unless told. */
  readonly src?: string;
  /** What the datagram carries, once its addresses are known. */
  readonly encode: (addresses: IpAddresses) => Uint8Array;
}

/** Routes, puts the IP header on and hands the packet to the neighbour. */
export function sendIp(host: Host, { dst, protocol, ttl, src, encode }: Datagram): readonly Effect[] {
  const hop = nextHop(host.plan, dst);
  if (hop === undefined) return unroutable(host, dst);
  const addresses = { src: src ?? hop.via.ip, dst };
  const header = { ...addresses, protocol, ttl: ttl ?? defaultTtl, identification: host.random.identifier, flags: ipv4Flags.dontFragment };
  return sendToNeighbour(host, hop.via, hop.ip, encodeIpv4(header, encode(addresses)));
}

export function dropped(why: string, addresses: IpAddresses | undefined): readonly Effect[] {
  return [{ kind: 'note', note: { kind: 'dropped', why, src: addresses?.src ?? '', dst: addresses?.dst ?? '' } }];
}

export function unroutable(host: Host, dst: string): readonly Effect[] {
  return dropped(`no route to ${dst}`, { src: host.plan.interfaces[0]?.ip ?? '', dst });
}
