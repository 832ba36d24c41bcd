/** Endpoints of the Host Networking Service: one a sandbox, attached to its containers. */
import {
  changedHost,
  upsert,
  type DnsSettings,
  type HnsEndpoint,
  type HostChange,
  type WindowsHost,
} from './host.js';

export interface EndpointSpec {
  /** Of the endpoint, and of its OVS port. */
  readonly endpoint: string;
  readonly dns: DnsSettings;
  /** Asked for by the runtime (CNI, "ips"); the plugin chooses where it is missing. */
  readonly ip?: string;
  /** What HNS makes of the address where it is missing. */
  readonly mac?: string;
}

/** "we create the HNS Endpoint only when the request is for the sandbox container" */
export function createEndpoint(host: WindowsHost, sandbox: string, pod: EndpointSpec): HostChange {
  if (host.endpoints.some((endpoint) => endpoint.sandbox === sandbox)) return changedHost(host);
  const lease = host.leases.find((candidate) => candidate.sandbox === sandbox);
  if (lease === undefined)
    return { kind: 'refused', why: `${sandbox} has no address to make an endpoint with` };
  const rival = host.endpoints.find(({ name }) => name === pod.endpoint);
  if (rival !== undefined)
    return { kind: 'refused', why: `endpoint ${pod.endpoint} is that of ${rival.sandbox}` };
  return changedHost(host, {
    endpoints: [
      ...host.endpoints,
      {
        name: pod.endpoint,
        ip: lease.ip,
        mac: pod.mac ?? macOf(lease.ip),
        sandbox,
        dns: pod.dns,
        containers: [],
      },
    ],
  });
}

/**
 * "we attach the HNS Endpoint no matter whether it is a sandbox container or a workload container"
 */
export function attachEndpoint(host: WindowsHost, sandbox: string, container: string): HostChange {
  const endpoint = host.endpoints.find((candidate) => candidate.sandbox === sandbox);
  if (endpoint === undefined)
    return { kind: 'refused', why: `sandbox ${sandbox} has no endpoint to attach to ${container}` };
  return changedHost(host, {
    endpoints: upsert(
      host.endpoints,
      { ...endpoint, containers: upsert(endpoint.containers, container, (name) => name) },
      nameOf,
    ),
  });
}

export function detachEndpoint(host: WindowsHost, sandbox: string, container: string): HostChange {
  return changedHost(host, {
    endpoints: host.endpoints.map((endpoint) =>
      endpoint.sandbox === sandbox
        ? { ...endpoint, containers: endpoint.containers.filter((name) => name !== container) }
        : endpoint,
    ),
  });
}

/** Of the sandbox, whatever it is attached to. */
export function deleteEndpoint(host: WindowsHost, sandbox: string): HostChange {
  return changedHost(host, {
    endpoints: host.endpoints.filter((endpoint) => endpoint.sandbox !== sandbox),
  });
}

/**
 * HNS makes a MAC address of its own for an endpoint; this one contains its address: locally
 * administered, 00:15:5d is Hyper-V's.
 */
function macOf(ip: string): string {
  return `02:15:${ip
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join(':')}`;
}

function nameOf({ name }: HnsEndpoint): string {
  return name;
}
