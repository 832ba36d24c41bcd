/**
 * Ports that nodes have for Services: those that were written, held to what the API server would
 * take, and those that it would give.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { Path } from '../../base/text/yaml-problem.js';
import type { KubeObjects } from '../objects.js';
import type { Service } from '../schemas/services.js';
import type { ServiceProblem } from './cluster-ips.js';

/** What the API server allocates by default (Kubernetes, "Service", "type: NodePort"). */
export const nodePortRange = { first: 30_000, last: 32_767 } as const;

/** Types of Services that nodes have ports for. */
export function hasNodePorts({ spec: { type, allocateLoadBalancerNodePorts } }: Service): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts);
}

/**
 * What is wrong with what Services say about traffic from outside: what the API server would
 * refuse, and addresses that are among `own` blocks, the cluster's.
 */
export function externalAccessProblems(
  { services }: KubeObjects,
  own: readonly string[],
): readonly ServiceProblem[] {
  return services.flatMap((service, index) => [
    ...policyProblems(service),
    ...addressProblems(service, own),
    ...nodePortProblems(service, services.slice(0, index)),
  ]);
}

function isExternal({ spec: { type } }: Service): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

function policyProblems(service: Service): readonly ServiceProblem[] {
  const { type, externalTrafficPolicy, externalIPs } = service.spec;
  if (externalTrafficPolicy === undefined || isExternal(service) || externalIPs.length > 0)
    return [];
  return [
    {
      service,
      path: ['spec', 'externalTrafficPolicy'],
      message:
        `nothing comes from outside to a Service of type ${type}: make it NodePort or ` +
        'LoadBalancer',
    },
  ];
}

function addressProblems(service: Service, own: readonly string[]): readonly ServiceProblem[] {
  const {
    spec: { externalIPs },
    status,
  } = service;
  const written: readonly { readonly ip: string | undefined; readonly path: Path }[] = [
    ...externalIPs.map((ip, index) => ({ ip, path: ['spec', 'externalIPs', index] })),
    ...(status.loadBalancer?.ingress ?? []).map(({ ip }, index) => ({
      ip,
      path: ['status', 'loadBalancer', 'ingress', index, 'ip'],
    })),
  ];
  return written.flatMap(({ ip, path }) => {
    const block =
      ip === undefined
        ? undefined
        : own.find((candidate) => cidrContains(parseCidr(candidate), ipv4Number(ip)));
    return block === undefined
      ? []
      : [
          {
            service,
            path,
            message:
              `${ip} is in the cluster's own ${block}: expected an address from outside of ` + 'it',
          },
        ];
  });
}

function nodePortProblems(
  service: Service,
  earlier: readonly Service[],
): readonly ServiceProblem[] {
  const { type, ports } = service.spec;
  return ports.flatMap(({ protocol, nodePort }, index): readonly ServiceProblem[] => {
    if (nodePort === undefined) return [];
    const problem = (message: string): readonly ServiceProblem[] => [
      { service, path: ['spec', 'ports', index, 'nodePort'], message },
    ];
    if (!isExternal(service))
      return problem(
        `nodes have no port for a Service of type ${type}: make it NodePort or LoadBalancer`,
      );
    if (nodePort < nodePortRange.first || nodePort > nodePortRange.last)
      return problem(
        `expected a port from ${nodePortRange.first} to ${nodePortRange.last}, got ${nodePort}`,
      );
    const isSame = (other: { readonly protocol: string; readonly nodePort?: number | undefined }) =>
      other.protocol === protocol && other.nodePort === nodePort;
    if (ports.slice(0, index).some(isSame))
      return problem(`${protocol} port ${nodePort} of nodes is there already`);
    const holder = earlier.find(({ spec }) => spec.ports.some(isSame));
    return holder === undefined
      ? []
      : problem(
          `${protocol} port ${nodePort} of nodes is already taken by Service ` +
            `${holder.metadata.namespace}/${holder.metadata.name}`,
        );
  });
}

/**
 * Ports of Services that nodes have ports for, and that have none yet, get the lowest that is free
 * for their protocol.
 */
export function withNodePorts(services: readonly Service[]): readonly Service[] {
  const taken = new Set(
    services.flatMap(({ spec }) =>
      spec.ports.map(({ protocol, nodePort }) => `${protocol} ${nodePort ?? 0}`),
    ),
  );
  const lowestFree = (protocol: string): number => {
    let candidate: number = nodePortRange.first;
    while (taken.has(`${protocol} ${candidate}`)) candidate++;
    taken.add(`${protocol} ${candidate}`);
    return candidate;
  };
  return services.map((service) => {
    if (!hasNodePorts(service)) return service;
    return {
      ...service,
      spec: {
        ...service.spec,
        ports: service.spec.ports.map((port) => ({
          ...port,
          nodePort: port.nodePort ?? lowestFree(port.protocol),
        })),
      },
    };
  });
}
