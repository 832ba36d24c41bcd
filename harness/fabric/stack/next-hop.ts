/**
 * Which way a host sends a packet: the longest prefix among its connected and configured routes
 * (ip-route(8)).
 */
import {
  addressBlock,
  addressNumber,
  blockContains,
  type AddressBlock,
} from '../../base/addresses/ip-address.js';
import { linkLocalOf } from '../../base/addresses/link-local.js';
import {
  cidrContains,
  ipv4Number,
  parseCidr,
  type Cidr,
} from '../../base/addresses/mac-and-ipv4.js';
import { assert } from '../../base/errors/errors.js';
import { oncePer } from '../../base/once-per.js';
import type { HostPlan, InterfacePlan } from '../../domain/plan/host-plan.js';

export interface NextHop {
  readonly via: InterfacePlan;
  /** Whose MAC address is needed: the gateway's, or the destination's on a connected network. */
  readonly ip: string;
  /** The address that the host sends from by default. */
  readonly source: string;
}

/**
 * Undefined when there is no route. A connected route wins over a configured one of the same
 * length.
 */
export function nextHop(plan: HostPlan, destination: string): NextHop | undefined {
  if (isIpv6Address(destination)) return nextHopOverIpv6(plan, destination);
  const target = ipv4Number(destination);
  const route = routesOf(plan).find(({ cidr }) => cidrContains(cidr, target));
  return route === undefined
    ? undefined
    : { via: route.via, ip: route.gateway ?? destination, source: route.via.ip };
}

export function isIpv6Address(text: string): boolean {
  return text.includes(':');
}

/** On the link alone the host sends from its address there (RFC 6724, section 5, rule 2). */
function nextHopOverIpv6(plan: HostPlan, destination: string): NextHop | undefined {
  const target = addressNumber(destination);
  const route = ipv6RoutesOf(plan).find(({ block }) => blockContains(block, target));
  if (route?.via.ipv6 === undefined) return undefined;
  const source = blockContains(linkLocal, target) ? linkLocalOf(route.via.mac) : route.via.ipv6.ip;
  return { via: route.via, ip: route.gateway ?? destination, source };
}

const linkLocal = addressBlock('fe80::/10');

interface Route {
  readonly cidr: Cidr;
  readonly via: InterfacePlan;
  /** Missing on a connected network. */
  readonly gateway?: string;
}

/** The longest prefixes first. */
const routesOf = oncePer((plan: HostPlan): readonly Route[] => {
  const connected = plan.interfaces.map(
    (via): Route => ({ cidr: parseCidr(`${via.ip}/${via.prefixLength}`), via }),
  );
  const configured = plan.routes
    .filter(({ destination }) => !isIpv6Address(destination))
    .map(
      (route): Route => ({
        cidr: parseCidr(route.destination),
        via: interfaceNamed(plan, route.interface),
        gateway: route.via,
      }),
    );
  return [...connected, ...configured].sort((a, b) => b.cidr.prefixLength - a.cidr.prefixLength);
});

interface Ipv6Route extends Omit<Route, 'cidr'> {
  readonly block: AddressBlock;
}

/** The longest prefixes first. */
const ipv6RoutesOf = oncePer((plan: HostPlan): readonly Ipv6Route[] => {
  const connected = plan.interfaces.flatMap((via): readonly Ipv6Route[] =>
    via.ipv6 === undefined
      ? []
      : [
          { block: addressBlock(`${via.ipv6.ip}/${via.ipv6.prefixLength}`), via },
          { block: linkLocal, via },
        ],
  );
  const configured = plan.routes
    .filter(({ destination }) => isIpv6Address(destination))
    .map(
      (route): Ipv6Route => ({
        block: addressBlock(route.destination),
        via: interfaceNamed(plan, route.interface),
        gateway: route.via,
      }),
    );
  return [...connected, ...configured].sort((a, b) => b.block.prefixLength - a.block.prefixLength);
});

function interfaceNamed(plan: HostPlan, name: string): InterfacePlan {
  const found = plan.interfaces.find((candidate) => candidate.name === name);
  assert(
    found !== undefined,
    `host ${plan.name} has a route by interface ${name}, which it does not have`,
  );
  return found;
}
