/**
 * The CNI plugin host-local: one address a sandbox, from the subnet of the HNS network, in turn
 * (the plugin's documentation, "host-local IP address management plugin").
 */
import { formatIpv4, parseCidr, prefixMask } from '../../base/addresses/mac-and-ipv4.js';
import { changedHost, type HostChange, type WindowsHost } from './host.js';

/**
 * Reserves an address for the sandbox: the one it has, the one it asks for, or the first free one
 * behind that which was given out last. The subnet's own address, its first, which is the
 * gateway's, and its last are never given out.
 */
export function reserve(host: WindowsHost, sandbox: string, asked?: string): HostChange {
  const { network } = host;
  if (network === undefined)
    return {
      kind: 'refused',
      missed: 'HNS network',
      why: `there is no HNS network on ${host.node} to take an address from`,
    };
  if (host.leases.some((lease) => lease.sandbox === sandbox)) return changedHost(host);
  const ip = asked ?? nextFree(host, network.subnet);
  if (ip === undefined)
    return {
      kind: 'refused',
      why: `no address is left in ${network.subnet}: sandboxes hold all ${host.leases.length}`,
    };
  const holder = host.leases.find((lease) => lease.ip === ip);
  if (holder !== undefined)
    return {
      kind: 'refused',
      why: `${ip}, which ${sandbox} asks for, is held by ${holder.sandbox}`,
    };
  return changedHost(host, { leases: [...host.leases, { ip, sandbox }], lastLeased: ip });
}

/** Nothing where the sandbox holds none. */
export function release(host: WindowsHost, sandbox: string): HostChange {
  return changedHost(host, { leases: host.leases.filter((lease) => lease.sandbox !== sandbox) });
}

function nextFree({ leases, lastLeased }: WindowsHost, subnet: string): string | undefined {
  const { number, prefixLength } = parseCidr(subnet);
  const [first, last] = [number + 2, ((number | ~prefixMask(prefixLength)) >>> 0) - 1];
  const taken = new Set(leases.map(({ ip }) => ip));
  const size = last - first + 1;
  const start = lastLeased === undefined ? first : parseCidr(lastLeased).number + 1;
  for (let offset = 0; offset < size; offset++) {
    const candidate = formatIpv4(first + ((start - first + offset) % size));
    if (!taken.has(candidate)) return candidate;
  }
  return undefined;
}
