/** The router between nodes' switches, and the switch between it and the gateway routers. */
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { joinAddressOf, joinAddressOfCluster, placeOf, transitAddressOf } from './addresses.js';
import { familiesOf } from './families.js';
import { egressIpRows } from './egress-ips.js';
import { hasServices } from './load-balancers.js';
import { isLocal, managementAddressOf } from './management-port.js';
import { clusterRouter, gatewayRouterOf, joinSwitch, ports } from './names.js';
import { macFor } from './mac-for.js';
import { pointToPoint } from './point-to-point.js';
import {
  logicalSwitch,
  map,
  policy,
  portToRouter,
  references,
  routerPort,
  staticRoute,
  tunnelKey,
} from './row.js';
import { transitRows } from './transit-switch.js';

/** What goes from pod to pod stays inside (ovn-kubernetes, "DefaultNoReroutePriority"). */
const stayPriority = 102;

/** @param local the nodes of the zone. */
export function clusterRouterRows(
  network: OvnKubernetesTopology,
  local: readonly Node[],
  keys: { readonly router: number; readonly join: number },
): readonly NorthboundRow[] {
  const { clusterCidr, join } = network;
  const families = familiesOf(network);
  const machines = pointToPoint(network, local);
  const transit = transitRows(network, local);
  const egress = egressIpRows(network, local);
  const routes = [
    ...local.flatMap((node) => gatewayRoutes(network, node)),
    ...joinRoutes(network, local),
    ...transit.routes,
    ...machines.routes,
    ...egress.routes,
  ];
  const policies = [
    ...families.map(({ match, suffix, of }) => {
      const inside = of(clusterCidr);
      const isInside = `${match}.src == ${inside} && ${match}.dst == ${inside}`;
      return policy(`stay${suffix}`, stayPriority, isInside, { action: 'allow' });
    }),
    ...machines.policies,
    ...egress.policies,
  ];
  const toJoin = ports.routerToJoin(clusterRouter);
  const routerPorts = [toJoin, ...local.map(ports.routerToSwitch), ...transit.routerPorts];
  return [
    {
      table: 'Logical_Router',
      id: `router ${clusterRouter}`,
      columns: {
        name: clusterRouter,
        ports: references(...routerPorts.map((port) => `router port ${port}`)),
        static_routes: references(...routes.map(({ id }) => id)),
        policies: references(...policies.map(({ id }) => id)),
        // Who asks is not remembered: all pods are known (ovn-nb(5), Logical_Router).
        options: map({ ...tunnelKey(keys.router), always_learn_from_arp_request: 'false' }),
      },
    },
    ...local.map((node) =>
      routerPort({
        name: ports.routerToSwitch(node),
        mac: node.gateway.mac,
        networks: families.map(({ ofInterface }) =>
          ofInterface(node.gateway.ip, parseCidr(node.podCidr).prefixLength),
        ),
        key: placeOf(network, node) + 2,
      }),
    ),
    routerPort({
      name: toJoin,
      mac: macFor(joinAddressOfCluster(network)),
      networks: families.map(({ ofInterface }) =>
        ofInterface(joinAddressOfCluster(network), join.prefixLength),
      ),
      key: 1,
    }),
    ...routes,
    ...policies,
    ...machines.others,
    ...transit.others,
    ...joinRows(local, keys.join),
  ];
}

function joinRows(local: readonly Node[], key: number): readonly NorthboundRow[] {
  const routers = [clusterRouter, ...local.map(gatewayRouterOf)];
  return [
    logicalSwitch(joinSwitch, key, routers.map(ports.joinToRouter)),
    ...routers.map((router, index) =>
      portToRouter(ports.joinToRouter(router), ports.routerToJoin(router), index + 1),
    ),
  ];
}

/** What a node's pods send out of the cluster goes to its gateway router, or to its stack. */
function gatewayRoutes(network: OvnKubernetesTopology, node: Node): readonly NorthboundRow[] {
  const nexthop = isLocal(network) ? managementAddressOf(node) : joinAddressOf(network, node);
  return familiesOf(network).map(({ of, suffix }) =>
    staticRoute({
      id: `route out of ${node.name}${suffix}`,
      prefix: of(node.podCidr),
      nexthop: of(nexthop),
      policy: 'src-ip',
    }),
  );
}

/**
 * Answers to whom a gateway router let in as itself go back to it: routes by who sends precede that
 * to the network of all gateway routers, which is shorter.
 */
function joinRoutes(
  network: OvnKubernetesTopology,
  local: readonly Node[],
): readonly NorthboundRow[] {
  if (!hasServices(network)) return [];
  return network.nodes.map((node) =>
    staticRoute({
      id: `route to ${gatewayRouterOf(node)}`,
      prefix: joinAddressOf(network, node),
      nexthop: local.includes(node)
        ? joinAddressOf(network, node)
        : transitAddressOf(network, node),
      policy: 'dst-ip',
    }),
  );
}
