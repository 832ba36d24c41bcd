/**
 * Addresses of Services: those that were written, held to what the API server would take, and those
 * that it would give.
 */
import {
  cidrContains,
  formatIpv4,
  ipv4Number,
  parseCidr,
} from '../../base/addresses/mac-and-ipv4.js';
import type { Path } from '../../base/text/yaml-problem.js';
import type { KubeObjects } from '../objects.js';
import type { Service } from '../schemas/services.js';

export interface ServiceProblem {
  readonly service: Service;
  readonly path: Path;
  readonly message: string;
}

/**
 * What the API server would refuse (Kubernetes, "Service"): addresses from elsewhere or given
 * twice, ports that cannot be distinguished.
 */
export function serviceProblems(
  { services }: KubeObjects,
  serviceCidr: string,
): readonly ServiceProblem[] {
  return services.flatMap((service, index) => [
    ...addressProblems(service, services.slice(0, index), serviceCidr),
    ...portProblems(service),
  ]);
}

function addressProblems(
  service: Service,
  earlier: readonly Service[],
  serviceCidr: string,
): readonly ServiceProblem[] {
  const ip = writtenAddress(service);
  if (ip === undefined) return [];
  const twin = earlier.find((other) => writtenAddress(other) === ip);
  const problem = (message: string): ServiceProblem => ({
    service,
    path: ['spec', 'clusterIP'],
    message,
  });
  if (!cidrContains(parseCidr(serviceCidr), ipv4Number(ip)))
    return [problem(`${ip} is no address of Services: these are in ${serviceCidr}`)];
  return twin === undefined
    ? []
    : [
        problem(
          `${ip} is already taken by Service ${twin.metadata.namespace}/${twin.metadata.name}`,
        ),
      ];
}

function portProblems(service: Service): readonly ServiceProblem[] {
  const { ports } = service.spec;
  return ports.flatMap(({ name, protocol, port }, index): readonly ServiceProblem[] => {
    const earlier = ports.slice(0, index);
    const problem = (field: string, message: string): ServiceProblem => ({
      service,
      path: ['spec', 'ports', index, field],
      message,
    });
    if (name === undefined && ports.length > 1)
      return [
        { service, path: ['spec', 'ports', index], message: 'one of several ports needs a name' },
      ];
    if (name !== undefined && earlier.some((other) => other.name === name))
      return [problem('name', `another port is called "${name}"`)];
    return earlier.some((other) => other.protocol === protocol && other.port === port)
      ? [problem('port', `${protocol} port ${port} is there already`)]
      : [];
  });
}

function writtenAddress({ spec: { clusterIP } }: Service): string | undefined {
  return clusterIP === undefined || clusterIP === '' || clusterIP === 'None'
    ? undefined
    : clusterIP;
}

/**
 * Services without an address get the lowest that is free behind the first, which is the API
 * server's own. Those that want none, or are a name for something else, get none.
 */
export function withClusterIps(
  services: readonly Service[],
  serviceCidr: string,
): readonly Service[] {
  const taken = new Set(services.map(writtenAddress));
  let next = parseCidr(serviceCidr).number + 2;
  return services.map((service) => {
    const { clusterIP, type } = service.spec;
    if (type === 'ExternalName' || (clusterIP !== undefined && clusterIP !== '')) return service;
    while (taken.has(formatIpv4(next))) next++;
    return { ...service, spec: { ...service.spec, clusterIP: formatIpv4(next++) } };
  });
}
