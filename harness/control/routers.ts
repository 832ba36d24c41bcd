import type { HostPlan } from '../domain/plan/host-plan.js';
import type { Topology } from '../domain/topology.js';

/**
 * The network stacks of routers between networks of nodes, which no control plane programs: they
 * know those networks, and translate nothing.
 */
export function routers({ routers: all = [] }: Topology): readonly HostPlan[] {
  return all.map(({ name, interfaces }) => ({
    name,
    kind: 'external',
    interfaces: interfaces.map((one, index) => ({ name: `eth${index}`, ...one })),
    routes: [],
    forwarding: { destinations: [], sources: [] },
  }));
}
