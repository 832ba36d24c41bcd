/** A gateway router a node, with SNAT to its address, and the switch between it and the network. */
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { familiesOf, inFamilies } from './families.js';
import { egressNatRows } from './egress-ips.js';
import { gatewayAddressOf } from './gateway-address.js';
import { joinAddressOf, joinAddressOfCluster } from './addresses.js';
import { balancing, hasServices } from './load-balancers.js';
import { macFor } from './mac-for.js';
import { externalSwitchOf, gatewayRouterOf, ports } from './names.js';
import {
  logicalSwitch,
  map,
  portToRouter,
  references,
  routerPort,
  set,
  staticMacBinding,
  staticRoute,
  tunnelKey,
} from './row.js';

/**
 * The port to the network is bound to the cable, and not of type localnet: at those ovn-controller
 * announces the gateway's addresses whenever the real clock says so. OVN is given who is behind
 * it, and has nothing to learn from packets, unless it is to.
 * @param keys of the two datapaths.
 */
export function gatewayRows(
  network: OvnKubernetesTopology,
  node: Node,
  keys: { readonly router: number; readonly external: number },
): readonly NorthboundRow[] {
  const router = gatewayRouterOf(node);
  const toJoin = ports.routerToJoin(router);
  const outside = ports.gatewayToExternal(node);
  const external = ports.external(node);
  const egress = egressNatRows(network, node);
  const families = familiesOf(network);
  const routes = families.map(({ of, suffix }) =>
    staticRoute({
      id: `route into the cluster from ${node.name}${suffix}`,
      prefix: of(network.clusterCidr),
      nexthop: of(joinAddressOfCluster(network)),
      policy: 'dst-ip',
    }),
  );
  const nat = natRows(network, node);
  return [
    {
      table: 'Logical_Router',
      id: `router ${router}`,
      columns: {
        name: router,
        ports: references(`router port ${toJoin}`, `router port ${outside}`),
        static_routes: references(...routes.map(({ id }) => id)),
        nat: references(...[...nat, ...egress].map(({ id }) => id)),
        options: map({
          ...tunnelKey(keys.router),
          always_learn_from_arp_request: 'false',
          chassis: node.name,
          ...(hasServices(network) ? { lb_force_snat_ip: 'router_ip' } : {}),
        }),
        ...balancing(network, 'node_router', node),
      },
    },
    routerPort({
      name: toJoin,
      mac: macFor(joinAddressOf(network, node)),
      networks: families.map(({ ofInterface }) =>
        ofInterface(joinAddressOf(network, node), network.join.prefixLength),
      ),
      key: 1,
    }),
    routerPort({
      name: outside,
      mac: node.underlay.mac,
      networks: families.map(({ ofInterface }) =>
        ofInterface(gatewayAddressOf(network, node), node.underlay.prefixLength),
      ),
      key: 2,
    }),
    ...routes,
    ...nat,
    ...egress,
    logicalSwitch(externalSwitchOf(node), keys.external, [ports.externalToGateway(node), external]),
    portToRouter(ports.externalToGateway(node), outside, 1),
    {
      table: 'Logical_Switch_Port',
      id: `switch port ${external}`,
      columns: {
        name: external,
        addresses: set(...new Set(outsideOf(network, node).map(({ mac }) => mac))),
        options: map(tunnelKey(2)),
      },
    },
    ...neighbourRows(network, node),
  ];
}

/** Who leaves the cluster by the node is seen as its gateway router. */
function natRows(network: OvnKubernetesTopology, node: Node): readonly NorthboundRow[] {
  return familiesOf(network).map(({ of, suffix }) => ({
    table: 'NAT',
    id: `SNAT of ${node.name}${suffix}`,
    columns: {
      type: 'snat',
      external_ip: of(gatewayAddressOf(network, node)),
      logical_ip: of(network.clusterCidr),
    },
  }));
}

/**
 * Who is asked, or asks, out there: hosts outside, and where there are Services the other nodes,
 * and their pods by the addresses of their gateway routers.
 */
function outsideOf(
  network: OvnKubernetesTopology,
  node: Node,
): readonly { readonly ip: string; readonly mac: string }[] {
  const others = network.nodes.filter(({ name }) => name !== node.name);
  return [
    ...(network.externalHosts ?? []),
    ...(hasServices(network)
      ? others.flatMap((other) =>
          [other.underlay.ip, gatewayAddressOf(network, other)].map((ip) => ({
            ip,
            mac: other.underlay.mac,
          })),
        )
      : []),
  ];
}

/**
 * OVN would ask for who is outside, and remember who answers as long as it likes; where it is to
 * learn, it does.
 */
function neighbourRows(network: OvnKubernetesTopology, node: Node): readonly NorthboundRow[] {
  if (network.hostsOutside === 'learned') return [];
  const port = ports.gatewayToExternal(node);
  return outsideOf(network, node).flatMap(({ ip, mac }) =>
    inFamilies(network, ip).map((address) => staticMacBinding(port, address, mac)),
  );
}
