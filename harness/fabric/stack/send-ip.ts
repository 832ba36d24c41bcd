/** IP as a host sends it, and what its stack has to say about a packet. */
import { encodeIpv4, ipv4Flags } from '../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import type { IpAddresses } from '../../packet/protocols/ip/pseudo-header.js';
import type { Effect, Host } from './host.js';
import { sendToNeighbour } from './neighbours.js';
import { isIpv6Address, nextHop } from './next-hop.js';
import { prerouting, postrouting, type NatMoment, type NatState } from '../nat/nat-state.js';
import { tupleOf, withTuple, type Tuple } from '../nat/connection-tuple.js';
import { noteUnreachable } from './note-unreachable.js';

export const defaultTtl = 64;

export interface Datagram {
  readonly dst: string;
  readonly protocol: number;
  /** 64 by default. */
  readonly ttl?: number | undefined;
  /** 0 by default. */
  readonly tos?: number;
  /** The outgoing interface's address by default. */
  readonly src?: string;
  /** What the datagram carries, once its addresses are known. */
  readonly encode: (addresses: IpAddresses) => Uint8Array;
}

/** Routes, puts the IP header on and hands the packet to the neighbour. */
export function sendIp(
  host: Host,
  { dst, protocol, ttl = defaultTtl, tos = 0, src, encode }: Datagram,
): readonly Effect[] {
  const hop = nextHop(host.plan, dst);
  if (hop === undefined) return unroutable(host, dst);
  const addresses = { src: src ?? hop.source, dst };
  if (isIpv6Address(dst)) {
    const header = { ...addresses, nextHeader: protocol, hopLimit: ttl, trafficClass: tos };
    return sendToNeighbour(host, hop.via, hop.ip, encodeIpv6(header, encode(addresses)));
  }
  const header = {
    ...addresses,
    protocol,
    ttl,
    tos,
    identification: host.random.identifier,
    flags: ipv4Flags.dontFragment,
  };
  const packet = encodeIpv4(header, encode(addresses));
  const onwards = () => sendToNeighbour(host, hop.via, hop.ip, packet);
  if (host.nat === undefined) return onwards();
  const tuple = tupleOf(packet);
  return tuple === undefined ? onwards() : sendTranslated(host, host.nat, packet, tuple);
}

/**
 * What a host that translates sends itself is asked about like what it forwards, and routed again
 * (iptables(8), chain OUTPUT).
 */
function sendTranslated(
  host: Host,
  translations: NatState,
  packet: Uint8Array,
  tuple: Tuple,
): readonly Effect[] {
  const outbound = prerouting(translations, tuple, momentOf(host));
  if (outbound.kind === 'refused') return noteUnreachable(host, tuple, 'port unreachable');
  if (outbound.kind === 'lost')
    return dropped(noEndpoint, { src: tuple.src.ip, dst: tuple.dst.ip });
  const destination = outbound.tuple.dst.ip;
  const hop = nextHop(host.plan, destination);
  if (hop === undefined) return unroutable(host, destination);
  const translated = postrouting(translations, outbound, hop.via.ip, momentOf(host));
  return translated === undefined
    ? dropped(noPortLeft, { src: tuple.src.ip, dst: tuple.dst.ip })
    : sendToNeighbour(host, hop.via, hop.ip, withTuple(packet, translated));
}

export function momentOf({ clock, random }: Host): NatMoment {
  return { nowUs: clock.nowUs, draw: random.identifier };
}

/** What keeps a connection from being translated. */
export const noEndpoint = 'nobody is there to answer for that address';
export const noPortLeft = 'no port is left to translate it to';

export function dropped(why: string, addresses: IpAddresses | undefined): readonly Effect[] {
  return [
    {
      kind: 'note',
      note: { kind: 'dropped', why, src: addresses?.src ?? '', dst: addresses?.dst ?? '' },
    },
  ];
}

export function unroutable(host: Host, dst: string): readonly Effect[] {
  return dropped(`no route to ${dst}`, { src: host.plan.interfaces[0]?.ip ?? '', dst });
}
