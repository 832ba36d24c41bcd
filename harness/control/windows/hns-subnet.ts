/**
 * Networks of the Host Networking Service beside the one that made the Hyper-V switch: each is a
 * subnet on that switch, with endpoints that containers get compartments for (Microsoft, "Windows
 * container networking", "Transparent").
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import {
  changedHost,
  type HnsEndpoint,
  type HnsSubnet,
  type HostChange,
  type WindowsHost,
} from './host.js';

/** Where an endpoint of such a network is, beside what any endpoint has. */
export interface SubnetEndpoint {
  /** A GUID. */
  readonly id: string;
  /** The network's id. */
  readonly network: string;
  readonly ip: string;
  readonly mac: string;
  readonly gateway: string;
  /** For whom it is. */
  readonly sandbox: string;
}

export function createSubnet(host: WindowsHost, subnet: HnsSubnet): HostChange {
  const { network, subnets = [] } = host;
  if (network === undefined)
    return {
      kind: 'refused',
      missed: 'HNS network',
      why: `there is no Hyper-V switch on ${host.node} to put network "${subnet.name}" on`,
    };
  if (subnets.some(({ name }) => name === subnet.name))
    return { kind: 'refused', why: `there is a network "${subnet.name}" on ${host.node} already` };
  if (!cidrContains(parseCidr(subnet.subnet), ipv4Number(subnet.gateway)))
    return {
      kind: 'refused',
      why: `gateway ${subnet.gateway} is not in ${subnet.subnet} of network "${subnet.name}"`,
    };
  return changedHost(host, { subnets: [...subnets, subnet] });
}

export function deleteSubnet(host: WindowsHost, id: string): HostChange {
  const held = host.endpoints.find(({ network }) => network === id);
  if (held !== undefined)
    return {
      kind: 'refused',
      why: `network ${id} of ${host.node} has endpoint ${held.name} on it`,
    };
  return changedHost(host, { subnets: (host.subnets ?? []).filter((other) => other.id !== id) });
}

/**
 * Makes the endpoint and its compartment, the lowest that is free: 1 is the host's own. "The moment
 * the interface is created, the Forwarding Extension receives an event".
 */
export function connectEndpoint(host: WindowsHost, spec: SubnetEndpoint): HostChange {
  const subnet = host.subnets?.find(({ id }) => id === spec.network);
  if (subnet === undefined)
    return {
      kind: 'refused',
      missed: 'HNS network',
      why: `there is no network ${spec.network} on ${host.node} for endpoint ${spec.id}`,
    };
  const misplaced = [spec.ip, spec.gateway].find(
    (ip) => !cidrContains(parseCidr(subnet.subnet), ipv4Number(ip)),
  );
  if (misplaced !== undefined)
    return {
      kind: 'refused',
      why: `${misplaced} is not in ${subnet.subnet} of network "${subnet.name}"`,
    };
  const rival = host.endpoints.find(
    ({ name, network, ip }) => name === spec.id || (network === spec.network && ip === spec.ip),
  );
  if (rival !== undefined)
    return {
      kind: 'refused',
      why: `endpoint ${rival.name} of ${rival.sandbox} has ${rival.ip} on ${host.node} already`,
    };
  const taken = new Set(host.endpoints.map(({ compartment }) => compartment));
  let compartment = 2;
  while (taken.has(compartment)) compartment += 1;
  const endpoint: HnsEndpoint = {
    name: spec.id,
    ip: spec.ip,
    mac: spec.mac,
    sandbox: spec.sandbox,
    dns: { servers: [], search: [] },
    containers: [spec.sandbox],
    network: spec.network,
    gateway: spec.gateway,
    compartment,
    friendlyName: friendlyNameOf(spec.id),
  };
  return changedHost(host, { endpoints: [...host.endpoints, endpoint] });
}

/** Nothing where there is none. */
export function disconnectEndpoint(host: WindowsHost, id: string): HostChange {
  return changedHost(host, { endpoints: host.endpoints.filter(({ name }) => name !== id) });
}

/** Windows calls a container's adapter by the first part of its endpoint's GUID. */
export function friendlyNameOf(endpoint: string): string {
  return `Container NIC ${endpoint.split('-')[0] ?? endpoint}`;
}
