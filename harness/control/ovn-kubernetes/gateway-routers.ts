/** A gateway router a node, with SNAT to its address, and the switch between it and the network. */
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import { isBehindRouter, nextHopOf } from '../../domain/next-hops.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { familiesOf, inFamilies } from './families.js';
import { egressNatRows } from './egress-ips.js';
import { gatewayAddressOf } from './gateway-address.js';
import { joinAddressOf, joinAddressOfCluster } from './addresses.js';
import { balancing, hasServices } from './load-balancers.js';
import { macFor } from './mac-for.js';
import { externalSwitchOf, gatewayRouterOf, physicalNetwork, ports } from './names.js';
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
 * The port to the network is bound to the cable, or of type localnet: at those ovn-controller
 * announces the gateway's addresses. OVN is given who is behind it, and has nothing to learn from
 * packets, unless it is to.
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
  const hop = nextHopOf(network, node.underlay);
  const defaultRoutes =
    hop === undefined
      ? []
      : families.map(({ ofDefault, of, suffix }) =>
          staticRoute({
            id: `default route of ${node.name}${suffix}`,
            prefix: ofDefault,
            nexthop: of(hop.ip),
            policy: 'dst-ip',
            outputPort: outside,
          }),
        );
  return [
    {
      table: 'Logical_Router',
      id: `router ${router}`,
      columns: {
        name: router,
        ports: references(`router port ${toJoin}`, `router port ${outside}`),
        static_routes: references(...[...defaultRoutes, ...routes].map(({ id }) => id)),
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
    ...defaultRoutes,
    ...routes,
    ...nat,
    ...egress,
    logicalSwitch(externalSwitchOf(node), keys.external, [ports.externalToGateway(node), external]),
    portToRouter(ports.externalToGateway(node), outside, 1, announcing(network)),
    externalPort(network, node),
    ...neighbourRows(network, node),
  ];
}

/** Addresses that it translates to are announced beside its own (ovn-nb(5), "nat-addresses"). */
function announcing({ wayOut }: OvnKubernetesTopology): Readonly<Record<string, string>> {
  return wayOut === undefined
    ? {}
    : { 'nat-addresses': 'router', 'exclude-lb-vips-from-garp': 'true' };
}

function externalPort(network: OvnKubernetesTopology, node: Node): NorthboundRow {
  const name = ports.external(node);
  const columns =
    network.wayOut === undefined
      ? {
          addresses: set(...new Set(outsideOf(network, node).map(({ mac }) => mac))),
          options: map(tunnelKey(2)),
        }
      : {
          type: 'localnet',
          addresses: set('unknown'),
          options: map({ ...tunnelKey(2), network_name: physicalNetwork }),
        };
  return { table: 'Logical_Switch_Port', id: `switch port ${name}`, columns: { name, ...columns } };
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
 * Who is asked, or asks, out there: hosts outside, the router to those that are further away, and
 * where there are Services the other nodes, and their pods by the addresses of their gateway
 * routers.
 */
function outsideOf(
  network: OvnKubernetesTopology,
  node: Node,
): readonly { readonly ip: string; readonly mac: string }[] {
  const others = network.nodes.filter(({ name }) => name !== node.name);
  return [
    ...(network.externalHosts ?? []).filter(({ ip }) => !isBehindRouter(network, ip)),
    ...[nextHopOf(network, node.underlay)].flatMap((hop) => hop ?? []),
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
