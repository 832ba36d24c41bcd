import { cidrContains, ipv4Number, parseCidr } from '../base/address.js';
import type { HostPlan } from '../nouns/plan.js';
import type { Topology } from '../nouns/topology.js';

/** The network stacks of external hosts, which no control plane programs: they know the network between nodes, and no way into the cluster. */
export function externalHosts({ nodes, externalHosts = [] }: Topology): readonly HostPlan[] {
  const networks = nodes.flatMap(({ underlay, adapters = [] }) => [underlay, ...adapters]);
  const lengthOf = (ip: string) => networks.find((network) => cidrContains(parseCidr(`${network.ip}/${network.prefixLength}`), ipv4Number(ip)))?.prefixLength ?? 32;
  return externalHosts.map(({ name, ip, mac, listens }) => ({
    name,
    kind: 'external',
    interfaces: [{ name: 'eth0', mac, ip, prefixLength: lengthOf(ip) }],
    routes: [],
    ...(listens === undefined ? {} : { listens }),
  }));
}
