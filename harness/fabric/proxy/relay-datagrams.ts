/**
 * Datagrams of a proxy: each client has a port of the proxy's own towards its endpoint, until it
 * was silent for long.
 */
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import type { IpAddresses } from '../../packet/protocols/ip/pseudo-header.js';
import { encodeUdp, type UdpHeader } from '../../packet/protocols/transport/udp.js';
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';
import type { AddressAndPort } from '../../domain/plan/nat-plan.js';
import type { Effect, Host } from '../stack/host.js';
import { sendIp } from '../stack/send-ip.js';
import { endpointsFor, portFor, proxyAt, rememberAffinity } from './proxy.js';
import type { DatagramClient } from './proxy-memory.js';
import { nextHop } from '../stack/next-hop.js';

/**
 * What a proxy does with a datagram that came for the host; undefined where none of it is
 * concerned.
 */
export function relayDatagram(
  host: Host,
  { src, dst }: IpAddresses,
  { srcPort, dstPort }: UdpHeader,
  payload: Uint8Array,
): readonly Effect[] | undefined {
  const [from, to] = [
    { ip: src, port: srcPort },
    { ip: dst, port: dstPort },
  ];
  const spokenFor = liveClient(host, keyOf(to, from));
  if (spokenFor !== undefined) {
    touch(host, spokenFor);
    return sendFrom(host, spokenFor.port, spokenFor.client, payload);
  }
  const proxy = proxyAt(host, 'UDP', to);
  if (proxy === undefined) return undefined;
  const known = liveClient(host, keyOf(from, to));
  const met = known ?? openDatagramClient(host, proxy, from, to);
  if (met === undefined) return [];
  touch(host, met);
  const notes: readonly Effect[] =
    known === undefined
      ? [{ kind: 'note', note: { kind: 'relayed', client: from.ip, to: met.endpoint.ip } }]
      : [];
  return [...notes, ...sendFrom(host, met.own.port, met.endpoint, payload)];
}

/** Undefined where there is no endpoint, or no way to it. */
function openDatagramClient(
  host: Host,
  proxy: ProxyPlan,
  client: AddressAndPort,
  asked: AddressAndPort,
): DatagramClient | undefined {
  const [endpoint] = endpointsFor(host, proxy, client);
  if (endpoint === undefined) return undefined;
  const hop = nextHop(host.plan, endpoint.ip);
  if (hop === undefined) return undefined;
  const ownAt = (port: number) => ({ ip: hop.via.ip, port });
  const own = ownAt(
    portFor(host, client, (port) => liveClient(host, keyOf(ownAt(port), endpoint)) === undefined),
  );
  const met: DatagramClient = {
    client,
    port: asked.port,
    own,
    endpoint,
    idleUs: proxy.udpIdleMs * 1000,
    expiresUs: host.clock.nowUs,
  };
  rememberAffinity(host, proxy, client, endpoint);
  host.proxyMemory.datagrams.set(keyOf(client, asked), met);
  host.proxyMemory.datagrams.set(keyOf(own, endpoint), met);
  return met;
}

function liveClient({ proxyMemory, clock }: Host, key: string): DatagramClient | undefined {
  const found = proxyMemory.datagrams.get(key);
  return found === undefined || found.expiresUs <= clock.nowUs ? undefined : found;
}

/** Either way keeps it. */
function touch({ clock }: Host, met: DatagramClient): void {
  met.expiresUs = clock.nowUs + met.idleUs;
}

/**
 * From the address that the way there begins with: the sockets of proxies are of no address in
 * particular.
 */
function sendFrom(
  host: Host,
  srcPort: number,
  { ip, port }: AddressAndPort,
  payload: Uint8Array,
): readonly Effect[] {
  return sendIp(host, {
    dst: ip,
    protocol: ipProtocols.udp,
    encode: (addresses) => encodeUdp({ srcPort, dstPort: port }, payload, addresses),
  });
}

function keyOf(one: AddressAndPort, other: AddressAndPort): string {
  return `${one.ip}:${one.port} ${other.ip}:${other.port}`;
}
