import { containerPortsOf } from '../container-ports.js';
import type { KubeObjects, Network } from '../objects.js';
import type { PolicyPort } from '../schemas/policies.js';

/** What is asked for to see what policies let through. */
export type ServicePortSpec =
  | { readonly protocol: 'TCP' | 'UDP' | 'SCTP'; readonly port: number }
  | { readonly protocol: 'ICMP' };

/** A port that has no service of its own (RFC 863 is long forgotten). */
const closedPort = 9;

/**
 * The services at which policies may turn out otherwise: every port that a container or a policy
 * has, of ranges both ends and what lies right beside them, one port that none of them has for each
 * protocol, and ICMP; SCTP where one of them has it. In order of protocol and port.
 */
export function servicesOf({ objects }: Network): readonly ServicePortSpec[] {
  const ports = (protocol: 'TCP' | 'UDP' | 'SCTP'): readonly ServicePortSpec[] => {
    const numbers =
      objects === undefined
        ? []
        : [
            ...containerPorts(objects, protocol),
            ...policyPorts(objects)
              .filter((port) => port.protocol === protocol)
              .flatMap(edges),
          ];
    return [...new Set([...numbers, closedPort])]
      .filter((port) => port >= 1 && port <= 65_535)
      .sort((a, b) => a - b)
      .map((port) => ({ protocol, port }));
  };
  const speaksSctp =
    objects !== undefined &&
    (containerPorts(objects, 'SCTP').length > 0 ||
      policyPorts(objects).some(({ protocol }) => protocol === 'SCTP'));
  return [
    ...ports('TCP'),
    ...ports('UDP'),
    ...(speaksSctp ? ports('SCTP') : []),
    { protocol: 'ICMP' },
  ];
}

function containerPorts(
  { pods }: KubeObjects,
  protocol: 'TCP' | 'UDP' | 'SCTP',
): readonly number[] {
  return pods
    .flatMap(containerPortsOf)
    .filter((port) => port.protocol === protocol)
    .map(({ containerPort }) => containerPort);
}

function policyPorts({
  networkPolicies,
  clusterNetworkPolicies,
}: KubeObjects): readonly PolicyPort[] {
  return [...networkPolicies, ...clusterNetworkPolicies]
    .flatMap(({ spec }) => [...(spec.ingress ?? []), ...(spec.egress ?? [])])
    .flatMap(({ ports }) => ports ?? []);
}

function edges({ port, endPort }: PolicyPort): readonly number[] {
  if (typeof port !== 'number') return [];
  return endPort === undefined ? [port] : [port - 1, port, endPort, endPort + 1];
}
