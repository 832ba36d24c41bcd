/** The router between all nodes' switches, and what it does for machines away from their owner. */
import { addressAfter } from './address-after.js';
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { migratedMachines, type MigratedMachine } from './machine-location.js';
import { clusterRouter, gatewayRouterOf, joinSwitch, ports } from './names.js';
import { macFor } from './mac-for.js';
import {
  logicalSwitch,
  map,
  portToRouter,
  references,
  routerPort,
  set,
  staticRoute,
  tunnelKey,
} from './row.js';

/** The addresses of the cluster's router and of a node's gateway router on the network of both. */
export const joinAddressOfCluster = ({ join }: OvnKubernetesTopology) => join.first;
export function joinAddressOf({ join, nodes }: OvnKubernetesTopology, node: Node): string {
  return addressAfter(join.first, 1 + nodes.findIndex(({ name }) => name === node.name));
}

/** What goes from pod to pod stays inside (ovn-kubernetes, "DefaultNoReroutePriority"). */
const stayPriority = 102;
/** Below it ("EgressLiveMigrationReroutePriority"). */
const migratedPriority = 10;

export function clusterRouterRows(
  network: OvnKubernetesTopology,
  keys: { readonly router: number; readonly join: number },
): readonly NorthboundRow[] {
  const { nodes, clusterCidr, join } = network;
  const routes = [
    ...nodes.map((node) => gatewayRoute(network, node)),
    ...migratedMachines(network).map(ingressRoute),
  ];
  const policies = [
    policy('stay', stayPriority, `ip4.src == ${clusterCidr} && ip4.dst == ${clusterCidr}`, {
      action: 'allow',
    }),
    ...migratedMachines(network).map(({ machine, node }) =>
      policy(`egress ${machine.name}`, migratedPriority, `ip4.src == ${machine.ip}`, {
        action: 'reroute',
        nexthops: set(joinAddressOf(network, node)),
      }),
    ),
  ];
  const toJoin = ports.routerToJoin(clusterRouter);
  const routers = [clusterRouter, ...nodes.map(gatewayRouterOf)];
  return [
    {
      table: 'Logical_Router',
      id: `router ${clusterRouter}`,
      columns: {
        name: clusterRouter,
        ports: references(
          ...[toJoin, ...nodes.map(ports.routerToSwitch)].map((port) => `router port ${port}`),
        ),
        static_routes: references(...routes.map(({ id }) => id)),
        policies: references(...policies.map(({ id }) => id)),
        // Who asks is not remembered: all pods are known (ovn-nb(5), Logical_Router).
        options: map({ ...tunnelKey(keys.router), always_learn_from_arp_request: 'false' }),
      },
    },
    ...nodes.map((node, index) =>
      routerPort({
        name: ports.routerToSwitch(node),
        mac: node.gateway.mac,
        network: `${node.gateway.ip}/${parseCidr(node.podCidr).prefixLength}`,
        key: index + 2,
      }),
    ),
    routerPort({
      name: toJoin,
      mac: macFor(joinAddressOfCluster(network)),
      network: `${joinAddressOfCluster(network)}/${join.prefixLength}`,
      key: 1,
    }),
    ...routes,
    ...policies,
    ...migratedMachines(network).map(neighbourRow),
    logicalSwitch(joinSwitch, keys.join, routers.map(ports.joinToRouter)),
    ...routers.map((router, index) =>
      portToRouter(ports.joinToRouter(router), ports.routerToJoin(router), index + 1),
    ),
  ];
}

/** What a node's pods send out of the cluster goes to the gateway router of that node. */
function gatewayRoute(network: OvnKubernetesTopology, node: Node): NorthboundRow {
  return staticRoute({
    id: `route out of ${node.name}`,
    prefix: node.podCidr,
    nexthop: joinAddressOf(network, node),
    policy: 'src-ip',
  });
}

/** "ingress traffic to VM's IP via VM's node port" (the seed, "Point to point routing"). */
function ingressRoute({ machine, node }: MigratedMachine): NorthboundRow {
  return staticRoute({
    id: `route to ${machine.name}`,
    prefix: machine.ip,
    nexthop: machine.ip,
    policy: 'dst-ip',
    outputPort: ports.routerToSwitch(node),
  });
}

/** OVN would ask for it, and remember who answers as long as it likes. */
function neighbourRow({ machine: { name, ip, mac }, node }: MigratedMachine): NorthboundRow {
  return {
    table: 'Static_MAC_Binding',
    id: `neighbour ${name} of ${clusterRouter}`,
    columns: { logical_port: ports.routerToSwitch(node), ip, mac, override_dynamic_mac: true },
  };
}

function policy(
  what: string,
  priority: number,
  match: string,
  columns: NorthboundRow['columns'],
): NorthboundRow {
  return {
    table: 'Logical_Router_Policy',
    id: `policy ${what}`,
    columns: { priority, match, ...columns },
  };
}
