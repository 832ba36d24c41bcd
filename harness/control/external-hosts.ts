import type { HostPlan } from '../nouns/plan.js';
import type { Topology } from '../nouns/topology.js';

/** The network stacks of external hosts, which no control plane programs: they know the network between nodes, and no way into the cluster. */
export function externalHosts({ nodes, externalHosts = [] }: Topology): readonly HostPlan[] {
  const prefixLength = nodes[0]?.underlay.prefixLength ?? 32;
  return externalHosts.map(({ name, ip, mac, listens }) => ({
    name,
    kind: 'external',
    interfaces: [{ name: 'eth0', mac, ip, prefixLength }],
    routes: [],
    ...(listens === undefined ? {} : { listens }),
  }));
}
