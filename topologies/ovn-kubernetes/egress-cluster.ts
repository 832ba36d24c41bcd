import { ovnKubernetesCluster } from './ovn-kubernetes-cluster.js';
import { withWayOut } from './way-out.js';
import type { GatewayMode, OvnKubernetesTopology, ZoneLayout } from './ovn-kubernetes-topology.js';

/**
 * Two pods a node and three hosts outside, one of them behind a router. p1 on n1 leaves by an
 * EgressIP of n2, p4 on n2 by one of its own node, and p2 and p3 by the addresses of their nodes.
 */
export function egressCluster(
  zones: ZoneLayout,
  gatewayMode: GatewayMode = 'shared',
): OvnKubernetesTopology {
  return {
    ...withWayOut(ovnKubernetesCluster({ nodes: 2, podsPerNode: 2, externalHosts: 2 }, zones)),
    ...(gatewayMode === 'shared' ? {} : { gatewayMode }),
    egressIps: [
      { name: 'elsewhere', ip: '172.30.129.1', node: 'n2', pods: ['p1'] },
      { name: 'at-home', ip: '172.30.129.2', node: 'n2', pods: ['p4'] },
    ],
  };
}
