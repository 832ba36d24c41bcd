/**
 * What a host's proxies do alike, whatever they carry: who listens, who is tried, and from which
 * port.
 */
import { sha256 } from '../../base/files/digest.js';
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';
import type { AddressAndPort } from '../../domain/plan/nat-plan.js';
import type { Host } from '../stack/host.js';
import type { ProxyMemory } from './proxy-memory.js';

/** The proxy that listens on an address of the host's. */
export function proxyAt(
  { plan }: Host,
  protocol: ProxyPlan['at']['protocol'],
  { ip, port }: AddressAndPort,
): ProxyPlan | undefined {
  return plan.proxies?.find(
    ({ at }) => at.protocol === protocol && at.port === port && (at.ip ?? ip) === ip,
  );
}

/**
 * Endpoints in the order in which they are tried: from the one that the client had last, or from
 * the one whose turn it is. Where turns begin Kubernetes leaves to chance (kube-proxy's
 * "round-robin", on endpoints that were shuffled).
 */
export function endpointsFor(
  { proxyMemory, clock, random }: Host,
  { to, at, affinityS = 0 }: ProxyPlan,
  client: AddressAndPort,
): readonly AddressAndPort[] {
  const kept = proxyMemory.affinity.get(clientOf(at, client));
  const isStill = kept !== undefined && clock.nowUs - kept.atUs < affinityS * 1_000_000;
  const last = to.findIndex(
    ({ ip, port }) => isStill && ip === kept.endpoint.ip && port === kept.endpoint.port,
  );
  const first =
    last >= 0
      ? last
      : (number(`${random.identifier} ${at.protocol} ${at.port}`) +
          turn(proxyMemory, listenerOf(at))) %
        to.length;
  return [...to.slice(first), ...to.slice(0, first)];
}

function turn({ roundRobin }: ProxyMemory, key: string): number {
  const taken = roundRobin.get(key) ?? 0;
  roundRobin.set(key, taken + 1);
  return taken;
}

/** An endpoint has taken the client's connection. */
export function rememberAffinity(
  { proxyMemory, clock }: Host,
  { at }: ProxyPlan,
  client: AddressAndPort,
  endpoint: AddressAndPort,
): void {
  proxyMemory.affinity.set(clientOf(at, client), { endpoint, atUs: clock.nowUs });
}

/** A port of the host's own for what it opens for this client, and `isFree`; they go round. */
export function portFor(
  { random }: Host,
  client: AddressAndPort,
  isFree: (port: number) => boolean,
): number {
  const first = number(`${random.identifier} ${client.ip}:${client.port}`) % dynamicPorts.count;
  for (let offset = 0; offset < dynamicPorts.count; offset++) {
    const port = dynamicPorts.first + ((first + offset) % dynamicPorts.count);
    if (isFree(port)) return port;
  }
  return dynamicPorts.first + first;
}

/** RFC 6335, section 6. */
const dynamicPorts = { first: 49_152, count: 16_384 } as const;

function clientOf(at: ProxyPlan['at'], { ip }: AddressAndPort): string {
  return JSON.stringify([ip, listenerOf(at)]);
}

function listenerOf({ protocol, ip, port }: ProxyPlan['at']): string {
  return JSON.stringify([protocol, ip, port]);
}

function number(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 8), 16);
}
