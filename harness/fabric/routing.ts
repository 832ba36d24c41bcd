/** Which way a host sends a packet: the longest prefix among its connected and configured routes (ip-route(8)). */
import { cidrContains, ipv4Number, parseCidr } from '../base/address.js';
import { assert } from '../base/errors.js';
import type { HostPlan, InterfacePlan } from '../nouns/plan.js';

export interface NextHop {
  readonly via: InterfacePlan;
  /** Whom ARP must ask for: the gateway, or the destination itself on a connected network. */
  readonly ip: string;
}

/** Undefined when there is no route. A connected route wins over a configured one of the same length. */
export function nextHop(plan: HostPlan, destination: string): NextHop | undefined {
  const target = ipv4Number(destination);
  const connected = plan.interfaces.map((via) => ({ cidr: parseCidr(`${via.ip}/${via.prefixLength}`), hop: { via, ip: destination } }));
  const configured = plan.routes.map((route) => ({ cidr: parseCidr(route.destination), hop: { via: interfaceNamed(plan, route.interface), ip: route.via } }));
  const covering = [...connected, ...configured].filter(({ cidr }) => cidrContains(cidr, target));
  return covering.sort((a, b) => b.cidr.prefixLength - a.cidr.prefixLength)[0]?.hop;
}

function interfaceNamed(plan: HostPlan, name: string): InterfacePlan {
  const found = plan.interfaces.find((candidate) => candidate.name === name);
  assert(found !== undefined, `host ${plan.name} has a route by interface ${name}, which it does not have`);
  return found;
}
