/**
 * Which way a host sends a packet: the longest prefix among its connected and configured routes
 * (ip-route(8)).
 */
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
  /** Whom ARP must ask for: the gateway, or the destination itself on a connected network. */
  readonly ip: string;
}

/**
 * Undefined when there is no route. A connected route wins over a configured one of the same
 * length.
 */
export function nextHop(plan: HostPlan, destination: string): NextHop | undefined {
  const target = ipv4Number(destination);
  const route = routesOf(plan).find(({ cidr }) => cidrContains(cidr, target));
  return route === undefined ? undefined : { via: route.via, ip: route.gateway ?? destination };
}

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
  const configured = plan.routes.map(
    (route): Route => ({
      cidr: parseCidr(route.destination),
      via: interfaceNamed(plan, route.interface),
      gateway: route.via,
    }),
  );
  return [...connected, ...configured].sort((a, b) => b.cidr.prefixLength - a.cidr.prefixLength);
});

function interfaceNamed(plan: HostPlan, name: string): InterfacePlan {
  const found = plan.interfaces.find((candidate) => candidate.name === name);
  assert(
    found !== undefined,
    `host ${plan.name} has a route by interface ${name}, which it does not have`,
  );
  return found;
}
