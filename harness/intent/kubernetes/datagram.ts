import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import { nobodyHolds, type Intent } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { Topology } from '../../domain/topology.js';
import { answersOn, hostWithAddress, subnetNode } from './cluster-hosts.js';
import { type ClusterHost } from '../../domain/cluster-host.js';

/** The TTL that hosts send with by default (RFC 1700, "IP TIME TO LIVE PARAMETER"). */
export const defaultTtl = 64;

export interface Datagram {
  readonly to: string;
  readonly ttl: number;
  /** The destination port of a UDP datagram; an ICMP echo request has none. */
  readonly port?: number;
}

/**
 * Everybody on a pod subnet reaches everybody, with the addresses unchanged: no policy and no
 * Service exists at this level. Within a node nothing is routed (the seed, "L3ForwardingTable":
 * "local Pod-to-Pod traffic … only L2 switching"). A router does not forward what would leave with
 * TTL 0 (RFC 1812, 5.3.1).
 */
export function intentOfDatagram(
  topology: Topology,
  from: ClusterHost,
  { to, ttl, port }: Datagram,
  promises: ControlPlanePromises,
): Intent {
  refuseUndefined(topology, from, to);
  const destination = hostWithAddress(topology, to);
  if (destination === undefined) return intentWithoutHolder(topology, from, to);
  const routers = promises.routersBetween(topology, from, destination);
  const source = promises.sourceSeen(topology, from, destination);
  if (ttl <= routers.length)
    return {
      kind: routers[ttl - 1] === 'reports an expired TTL' ? 'rejected' : 'denied',
      why:
        `TTL ${ttl} does not last for the ${routers.length} routers on the way to ` +
        destination.name,
    };
  if (port !== undefined && !answersOn(destination, 'UDP', port))
    return {
      kind: 'delivered',
      to: destination.name,
      source,
      why: `${destination.name} has nobody on UDP port ${port}`,
    };
  const path = promises.pathBetween(topology, from, destination);
  return {
    kind: 'round-trip',
    to: destination.name,
    source,
    ...(path === undefined ? {} : { path }),
  };
}

/**
 * Of what is in no subnet of the cluster a node's own packets leave by its default route, and the
 * router that gets them says that it knows no way; where there is none, nobody says anything.
 */
function intentWithoutHolder(topology: Topology, from: ClusterHost, to: string): Intent {
  const { ip, prefixLength } = from.node.underlay;
  const router = (topology.routers ?? []).find(({ interfaces }) =>
    interfaces.some((one) => cidrContains(parseCidr(`${ip}/${prefixLength}`), ipv4Number(one.ip))),
  );
  if (from.kind !== 'node' || router === undefined || subnetNode(topology, to) !== undefined)
    return { kind: 'denied', ...nobodyHolds(to) };
  return {
    kind: 'rejected',
    why: `${to} is in no subnet of the cluster, and ${router.name} knows no way there`,
    unheld: to,
  };
}

/** @throws InputError for what a host sends to itself, and Unsupported for what goes to nodes. */
export function refuseUndefined(topology: Topology, from: ClusterHost, to: string): void {
  if (to === from.ip)
    throw new InputError(
      `${from.name} itself holds ${to}: what a host sends to itself never leaves it`,
    );
  const node = topology.nodes.find(({ underlay }) => underlay.ip === to);
  if (node !== undefined && (from.kind === 'node' || from.node !== node))
    throw new Unsupported(
      `nothing is promised about ${to}, the address of ${node.name} on the network between nodes`,
    );
}
