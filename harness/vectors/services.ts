import { podsOf, type Topology } from '../nouns/topology.js';
import type { TestVector } from '../nouns/vector.js';

/** A port of a Service, as its clients know it. */
export interface ServiceAddress {
  readonly name: string;
  readonly clusterIp: string;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly port: number;
  readonly affinityS?: number;
  readonly endpoints: readonly { readonly ip: string }[];
}

/** Every pod to every port of every Service, `service/asker1/default/web:http`, and every node to those that have endpoints elsewhere. */
export function serviceMatrix(topology: Topology, services: readonly ServiceAddress[]): readonly TestVector[] {
  return services.flatMap((service) => {
    const nodes = service.endpoints.length === 0 ? [] : topology.nodes.filter(({ underlay }) => !service.endpoints.some(({ ip }) => ip === underlay.ip));
    return [...podsOf(topology).map(({ pod }) => pod), ...nodes].flatMap(({ name: from }) => once(from, service));
  });
}

/** What is no port of a Service, by a pod of each node: a port that it does not have, an echo request, and an address that no Service has. */
export function noService(topology: Topology, services: readonly ServiceAddress[], unusedIp: string): readonly TestVector[] {
  return topology.nodes.flatMap(({ pods }) => pods.slice(0, 1)).flatMap(({ name: from }) => services.slice(0, 1).flatMap(({ clusterIp }): readonly TestVector[] => [
    { id: `no-port/${from}`, stimulus: { kind: 'probe', from, to: clusterIp, port: 81, transmissions: 1 } },
    { id: `no-port-ping/${from}`, stimulus: { kind: 'ping', from, to: clusterIp } },
    { id: `no-service/${from}`, stimulus: { kind: 'probe', from, to: unusedIp, port: 80, transmissions: 1 } },
  ]));
}

/**
 * Calls by one client, so many that each endpoint is called: `spread/asker1/default/web:http`. Where clients keep their endpoint for long, a few within its time,
 * `kept/…`; where for a few seconds only, many that each come after it, `anew/…`.
 */
export function serviceCalls(clients: readonly string[], services: readonly ServiceAddress[]): readonly TestVector[] {
  return clients.flatMap((from) => services.filter(({ endpoints }) => endpoints.length > 1).flatMap(({ name, clusterIp: to, protocol, port, affinityS, endpoints }): readonly TestVector[] => {
    if (protocol === 'SCTP') return [];
    const calls = (subject: string, count: number, everyMs: number): readonly TestVector[] => [{ id: `${subject}/${from}/${name}`, stimulus: { kind: 'calls', protocol, from, to, port, count, everyMs } }];
    if (affinityS === undefined) return calls('spread', enough(endpoints.length), 10);
    return affinityS > 60 ? calls('kept', enough(endpoints.length), 10) : calls('anew', enough(endpoints.length), (affinityS + 3) * 1000);
  }));
}

/** k (1 - 1/k)^n is one in a million: so seldom one of k endpoints gets none of n calls. */
function enough(endpoints: number): number {
  return Math.ceil(Math.log(1e-6 / endpoints) / Math.log(1 - 1 / endpoints));
}

function once(from: string, { name, clusterIp: to, protocol, port }: ServiceAddress): readonly TestVector[] {
  const id = `service/${from}/${name}`;
  if (protocol === 'SCTP') return [{ id, stimulus: { kind: 'sctp', from, to, port, transmissions: 1 } }];
  return [{ id, stimulus: protocol === 'UDP' ? { kind: 'udp', from, to, port } : { kind: 'tcp', from, to, port, transmissions: 1 } }];
}
