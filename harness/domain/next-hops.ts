/** Which router joins the network of nodes with others, and who is behind it. */
import { cidrContains, ipv4Number, parseCidr } from '../base/addresses/mac-and-ipv4.js';
import type { Node, Router, Topology } from './topology.js';

interface Station {
  readonly ip: string;
  readonly prefixLength: number;
}

function isOnNetworkOf({ ip, prefixLength }: Station, address: string): boolean {
  return cidrContains(parseCidr(`${ip}/${prefixLength}`), ipv4Number(address));
}

/** The router's interface on the network of a host; undefined where no router is there. */
export function nextHopOf(
  { routers = [] }: Pick<Topology, 'routers'>,
  station: Station,
): (Router['interfaces'][number] & { readonly router: string }) | undefined {
  for (const { name, interfaces } of routers)
    for (const one of interfaces)
      if (isOnNetworkOf(station, one.ip)) return { ...one, router: name };
  return undefined;
}

/** Whether the host with the address is on no network of nodes: a router is on the way. */
export function isBehindRouter(
  { nodes }: { readonly nodes: readonly Node[] },
  ip: string,
): boolean {
  return !nodes.some(({ underlay, adapters = [] }) =>
    [underlay, ...adapters].some((network) => isOnNetworkOf(network, ip)),
  );
}
