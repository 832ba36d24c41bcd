import { podsOf, type Topology } from '../domain/topology.js';
import type { TestVector } from '../domain/test-vector.js';

/** A port of a Service, as its clients know it. */
export interface ServiceAddress {
  readonly name: string;
  readonly clusterIp: string;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly port: number;
  readonly affinityS?: number;
  readonly endpoints: readonly { readonly ip: string }[];
  readonly nodePort?: number;
  readonly loadBalancerIps: readonly string[];
  readonly externalIps: readonly string[];
}

/**
 * Every pod to every port of every Service, `service/asker1/default/web:http`, and every node to
 * those that have endpoints elsewhere.
 */
export function serviceMatrix(
  topology: Topology,
  services: readonly ServiceAddress[],
): readonly TestVector[] {
  return services.flatMap((service) => {
    const nodes =
      service.endpoints.length === 0
        ? []
        : topology.nodes.filter(
            ({ underlay }) => !service.endpoints.some(({ ip }) => ip === underlay.ip),
          );
    return [...podsOf(topology).map(({ pod }) => pod), ...nodes].map(({ name: from }) =>
      once(from, service),
    );
  });
}

/**
 * What is no port of a Service, by every pod: a port that it does not have, an echo request, and an
 * address that no Service has.
 */
export function noService(
  topology: Topology,
  services: readonly ServiceAddress[],
  unusedIp: string,
): readonly TestVector[] {
  return podsOf(topology).flatMap(({ pod: { name: from } }) =>
    services.slice(0, 1).flatMap(({ clusterIp }): readonly TestVector[] => [
      {
        id: `no-port/${from}`,
        stimulus: { kind: 'probe', from, to: clusterIp, port: 81, transmissions: 1 },
      },
      { id: `no-port-ping/${from}`, stimulus: { kind: 'ping', from, to: clusterIp } },
      {
        id: `no-service/${from}`,
        stimulus: { kind: 'probe', from, to: unusedIp, port: 80, transmissions: 1 },
      },
    ]),
  );
}

/**
 * Calls by one client, so many that each endpoint is called: `spread/asker1/default/web:http`.
 * Where clients keep their endpoint for long, a few within its time, `kept/…`; where for a few
 * seconds only, many that each come after it, `anew/…`.
 */
export function serviceCalls(
  clients: readonly string[],
  services: readonly ServiceAddress[],
): readonly TestVector[] {
  return clients.flatMap((from) =>
    services
      .filter(({ endpoints }) => endpoints.length > 1)
      .flatMap(
        ({ name, clusterIp: to, protocol, port, affinityS, endpoints }): readonly TestVector[] => {
          if (protocol === 'SCTP') return [];
          const calls = (
            subject: string,
            count: number,
            everyMs: number,
          ): readonly TestVector[] => [
            {
              id: `${subject}/${from}/${name}`,
              stimulus: { kind: 'calls', protocol, from, to, port, count, everyMs },
            },
          ];
          if (affinityS === undefined) return calls('spread', enough(endpoints.length), 10);
          return affinityS > 60
            ? calls('kept', enough(endpoints.length), 10)
            : calls('anew', enough(endpoints.length), (affinityS + 3) * 1000);
        },
      ),
  );
}

/**
 * Every one of `clients` to every Service, not by its ClusterIP: by its
 * port of every node, `node-port/x1/n2/default/web:http`, and by its addresses from outside,
 * `address/x1/192.0.2.12/default/sticky`. Pods do not ask other nodes for what nobody is behind,
 * nor nodes for what they have an endpoint of.
 */
export function externalAccess(
  topology: Topology,
  clients: readonly string[],
  services: readonly ServiceAddress[],
): readonly TestVector[] {
  return clients.flatMap((from) =>
    services.flatMap((service): readonly TestVector[] => {
      const { name, nodePort } = service;
      if (
        topology.nodes.some(
          ({ name: node, underlay }) =>
            node === from && service.endpoints.some(({ ip }) => ip === underlay.ip),
        )
      )
        return [];
      const pods = topology.nodes.find(({ pods }) => pods.some((pod) => pod.name === from));
      const nodes = topology.nodes.filter(
        (node) =>
          node.name !== from &&
          (service.endpoints.length > 0 || pods === undefined || pods === node),
      );
      return [
        ...(nodePort === undefined
          ? []
          : nodes.map(({ name: node, underlay }) =>
              asking(`node-port/${from}/${node}/${name}`, {
                ...service,
                from,
                to: underlay.ip,
                port: nodePort,
              }),
            )),
        ...[...service.loadBalancerIps, ...service.externalIps].map((to) =>
          asking(`address/${from}/${to}/${name}`, { ...service, from, to }),
        ),
      ];
    }),
  );
}

/**
 * Calls from outside by a port of a node, so many that each endpoint there is called:
 * `spread/x1/n2/default/admin`; or by an address of a load balancer, by clients that keep their
 * endpoint.
 */
export function externalCalls(
  from: string,
  node: { readonly name: string; readonly underlay: { readonly ip: string } },
  services: readonly ServiceAddress[],
): readonly TestVector[] {
  return services.flatMap(
    ({
      name,
      protocol,
      nodePort,
      port,
      affinityS,
      endpoints,
      loadBalancerIps: [address],
    }): readonly TestVector[] => {
      if (protocol === 'SCTP') return [];
      const count = enough(endpoints.length);
      if (affinityS !== undefined)
        return address === undefined
          ? []
          : [
              {
                id: `kept/${from}/${address}/${name}`,
                stimulus: { kind: 'calls', protocol, from, to: address, port, count, everyMs: 10 },
              },
            ];
      return nodePort === undefined
        ? []
        : [
            {
              id: `spread/${from}/${node.name}/${name}`,
              stimulus: {
                kind: 'calls',
                protocol,
                from,
                to: node.underlay.ip,
                port: nodePort,
                count,
                everyMs: 10,
              },
            },
          ];
    },
  );
}

/** k (1 - 1/k)^n is one in a million: so seldom one of k endpoints gets none of n calls. */
function enough(endpoints: number): number {
  return Math.ceil(Math.log(1e-6 / endpoints) / Math.log(1 - 1 / endpoints));
}

function once(from: string, service: ServiceAddress): TestVector {
  return asking(`service/${from}/${service.name}`, { ...service, from, to: service.clusterIp });
}

/**
 * One call. Those that keep no client's endpoint for the next may run as a batch, but by SCTP,
 * which Open vSwitch 3.1 tracks by addresses alone.
 */
function asking(
  id: string,
  {
    from,
    to,
    protocol,
    port,
    affinityS,
  }: Pick<ServiceAddress, 'protocol' | 'port' | 'affinityS'> & {
    readonly from: string;
    readonly to: string;
  },
): TestVector {
  const at = { from, to, port };
  if (protocol === 'SCTP') return { id, stimulus: { kind: 'sctp', ...at, transmissions: 1 } };
  const stimulus =
    protocol === 'UDP'
      ? ({ kind: 'udp', ...at } as const)
      : ({ kind: 'tcp', ...at, transmissions: 1 } as const);
  return { id, stimulus, ...(affinityS === undefined ? { together: 'calls' } : {}) };
}
