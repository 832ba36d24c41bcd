/** Addresses of IPv6 that stand beside those of IPv4. */
import { parseCidr } from '../base/addresses/mac-and-ipv4.js';
import { oncePer } from '../base/once-per.js';
import { InputError } from '../base/errors/errors.js';
import type { HostPlan, InterfacePlan, RoutePlan } from './plan/host-plan.js';
import type { Stimulus } from './test-vector.js';
import { formatCidr } from './topology-problem.js';
import type { Topology } from './topology.js';

/** By addresses, and blocks, of IPv4. */
export type Ipv6Addresses = NonNullable<Topology['ipv6']>;

/** Beside an address or a block. @throws InputError where nothing stands there. */
export function besideIpv4(ipv6: Ipv6Addresses, text: string): string {
  const found = ipv6[text];
  if (found === undefined) throw new InputError(`no address of IPv6 stands beside ${text}`);
  return found;
}

/** Beside 10.10.1.1 in the block of that many bits: fd00:10:10:1::1/64. */
export function interfaceAddress(
  ipv6: Ipv6Addresses,
  ip: string,
  prefixLength: number,
): { readonly ip: string; readonly prefixLength: number } {
  const block = besideIpv4(ipv6, formatCidr(parseCidr(`${ip}/${prefixLength}`)));
  return { ip: besideIpv4(ipv6, ip), prefixLength: Number(block.split('/')[1]) };
}

/** A host that speaks IPv6, too: with an address at each interface, and ways by each gateway. */
export function withIpv6(ipv6: Ipv6Addresses, host: HostPlan): HostPlan {
  const interfaces = host.interfaces.map(
    (one): InterfacePlan =>
      ipv6[one.ip] === undefined
        ? one
        : { ...one, ipv6: interfaceAddress(ipv6, one.ip, one.prefixLength) },
  );
  const routes = host.routes.flatMap((route): readonly RoutePlan[] => {
    const via = ipv6[route.via];
    const destination = route.destination === '0.0.0.0/0' ? '::/0' : ipv6[route.destination];
    return via === undefined || destination === undefined ? [] : [{ ...route, destination, via }];
  });
  return { ...host, interfaces, routes: [...host.routes, ...routes] };
}

const byIpv6 = oncePer(
  (ipv6: Ipv6Addresses): ReadonlyMap<string, string> =>
    new Map(Object.entries(ipv6).map(([ip, beside]) => [beside, ip])),
);

/**
 * The same between the same hosts over IPv4; undefined where it is no stimulus over IPv6 to an
 * address that stands beside another one.
 */
export function overIpv4({ ipv6 = {} }: Topology, stimulus: Stimulus): Stimulus | undefined {
  if (stimulus.kind === 'frame' || stimulus.kind === 'dhcp' || stimulus.kind === 'announcement')
    return undefined;
  if (stimulus.kind === 'arp') {
    const target = byIpv6(ipv6).get(stimulus.target);
    return target === undefined ? undefined : { ...stimulus, target };
  }
  const to = byIpv6(ipv6).get(stimulus.to);
  return to === undefined ? undefined : { ...stimulus, to };
}
