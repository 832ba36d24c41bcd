/** What a node's namespace is set to. */
import { InputError } from '../../base/errors/errors.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';

/**
 * The kernel's own stack sends nothing but tunnelled packets, and ARP: what else a node says, the
 * fabric's host says for it. Nor does it track what it sends and gets itself, so that the tracker
 * holds connections of the switch alone.
 */
export const hostSettings = `
table inet flowbed {
  chain untracked_in { type filter hook prerouting priority raw; notrack; }
  chain untracked_out { type filter hook output priority raw; notrack; }
  chain output {
    type filter hook output priority filter; policy drop;
    udp dport { 4789, 6081, 7471 } accept
    meta l4proto 47 accept
  }
}
`;

/** Lines of ip(8): addresses, routes and neighbours of the bridges where tunnels end. */
export function underlaySettings({ node, bridges }: NodePlan): readonly string[] {
  return bridges.flatMap(({ name, underlay }) => {
    if (underlay === undefined) return [];
    if (underlay.ipv6 !== undefined)
      throw new InputError(
        `node ${node}: bridge ${name}: backend netns has no underlay of IPv6: leave ipv6 away`,
      );
    return [
      `addr replace ${underlay.ip}/${underlay.prefixLength} dev ${name}`,
      ...(underlay.routes ?? []).map((route) => {
        if (route.mark !== undefined)
          throw new InputError(
            `node ${node}: bridge ${name}: route ${route.destination}: backend netns has no ` +
              'routes by mark: leave mark away',
          );
        const via = route.gateway === undefined ? '' : `via ${route.gateway} `;
        return `route replace ${route.destination} ${via}dev ${name}`;
      }),
      ...underlay.neighbours.map(
        ({ ip, mac }) => `neigh replace ${ip} lladdr ${mac} dev ${name} nud permanent`,
      ),
    ];
  });
}
