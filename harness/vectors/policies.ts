import { podsOf, type Pod, type Topology } from '../domain/topology.js';
import type { FrameSpec, TestVector } from '../domain/test-vector.js';
import { orderedPairs } from './targets.js';

/** What a cell of the truth table asks for. */
type Service =
  | { readonly protocol: 'TCP' | 'UDP' | 'SCTP'; readonly port: number }
  | { readonly protocol: 'ICMP' };

/**
 * Every ordered pair of pods on every service: `tcp-80/p1/p2`, `icmp/p1/p2`. A connection that
 * nobody answers is given up after one segment.
 */
export function podMatrix(topology: Topology, services: readonly Service[]): readonly TestVector[] {
  return services.flatMap((service) =>
    orderedPairs(podsOf(topology)).map(([from, to]) => cell(service, from.pod, to.pod)),
  );
}

/** Every node to every pod on every service: `tcp-80/n1/p2`. */
export function nodeMatrix(
  topology: Topology,
  services: readonly Service[],
): readonly TestVector[] {
  return services.flatMap((service) =>
    topology.nodes.flatMap((node) => podsOf(topology).map(({ pod }) => cell(service, node, pod))),
  );
}

/** Every pod to the gateway of every node: `tcp-80/p1/n2`. */
export function gatewayMatrix(
  topology: Topology,
  services: readonly Service[],
): readonly TestVector[] {
  return services.flatMap((service) =>
    podsOf(topology).flatMap(({ pod }) =>
      topology.nodes.map(({ name, gateway }) => cell(service, pod, { name, ip: gateway.ip })),
    ),
  );
}

/** Every pod to every external host, on every service: `tcp-80/p1/x1`. */
export function externalMatrix(
  topology: Topology,
  services: readonly Service[],
): readonly TestVector[] {
  return services.flatMap((service) =>
    podsOf(topology).flatMap(({ pod }) =>
      (topology.externalHosts ?? []).map((host) => cell(service, pod, host)),
    ),
  );
}

/**
 * Every pod to its node by the node's own address, on every service: where pods on the host's
 * network answer. `tcp-80/p1/n1/host`.
 */
export function hostMatrix(
  topology: Topology,
  services: readonly Service[],
): readonly TestVector[] {
  return services.flatMap((service) =>
    podsOf(topology).map(({ pod, node }) =>
      cell(service, pod, { name: `${node.name}/host`, ip: node.underlay.ip }),
    ),
  );
}

function cell(
  service: Service,
  { name: from }: { readonly name: string },
  to: { readonly name: string; readonly ip: string },
): TestVector {
  const at = { from, to: to.ip };
  switch (service.protocol) {
    case 'TCP':
      return {
        id: `tcp-${service.port}/${from}/${to.name}`,
        stimulus: { kind: 'probe', ...at, port: service.port, transmissions: 1 },
      };
    case 'UDP':
      return {
        id: `udp-${service.port}/${from}/${to.name}`,
        stimulus: { kind: 'udp', ...at, port: service.port },
      };
    case 'SCTP':
      return {
        id: `sctp-${service.port}/${from}/${to.name}`,
        stimulus: { kind: 'sctp', ...at, port: service.port, transmissions: 1 },
      };
    case 'ICMP':
      return { id: `icmp/${from}/${to.name}`, stimulus: { kind: 'ping', ...at } };
  }
}

/**
 * A pod that lies to get past policies, against every other pod of its node: that one's MAC with
 * the address of a third, `wrong-ip/p1/p2`; the addresses of a third from its own port,
 * `stolen-addresses/p1/p2`; answers to what nobody asked, `unasked-udp/p1/p2`, `unasked-tcp/p1/p2`.
 */
export function policyEvasions(topology: Topology, port: number): readonly TestVector[] {
  return topology.nodes.flatMap(({ pods }) =>
    orderedPairs(pods).flatMap(([from, to]) => {
      const third = pods.find((pod) => pod !== from && pod !== to);
      const datagram = (src: Pod, dst: Pod, ip: string): FrameSpec => ({
        src: src.mac,
        dst: dst.mac,
        payload: { kind: 'udp', src: src.ip, dst: ip, ttl: 64, srcPort: 49152, dstPort: port },
      });
      const answers: readonly TestVector[] = [
        evasion('unasked-udp', from, to, `UDP from port ${port} that answers nothing`, {
          src: from.mac,
          dst: to.mac,
          payload: {
            kind: 'udp',
            src: from.ip,
            dst: to.ip,
            ttl: 64,
            srcPort: port,
            dstPort: 49152,
          },
        }),
        evasion('unasked-tcp', from, to, 'SYN and ACK that answers no SYN', {
          src: from.mac,
          dst: to.mac,
          payload: {
            kind: 'tcp',
            src: from.ip,
            dst: to.ip,
            ttl: 64,
            srcPort: port,
            dstPort: 49152,
            flags: ['SYN', 'ACK'],
            checksum: 'right',
          },
        }),
      ];
      if (third === undefined) return answers;
      return [
        evasion(
          'wrong-ip',
          from,
          to,
          `UDP to the MAC of ${to.name} and the address of ${third.name}`,
          datagram(from, to, third.ip),
        ),
        evasion(
          'stolen-addresses',
          from,
          to,
          `UDP with the addresses of ${third.name}`,
          datagram(third, to, to.ip),
        ),
        ...answers,
      ];
    }),
  );
}

function evasion(subject: string, from: Pod, to: Pod, what: string, frame: FrameSpec): TestVector {
  return {
    id: `${subject}/${from.name}/${to.name}`,
    stimulus: { kind: 'frame', from: from.name, what, frame },
  };
}
