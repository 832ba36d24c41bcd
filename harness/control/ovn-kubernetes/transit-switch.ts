/** The switch between the routers of zones, each of which knows the others' ports as remote. */
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { placeOf, transitAddressOf } from './addresses.js';
import { familiesOf } from './families.js';
import { macFor } from './mac-for.js';
import { ports, transitSwitch } from './names.js';
import {
  logicalSwitch,
  map,
  portToRouter,
  routerPort,
  set,
  staticRoute,
  tunnelKey,
} from './row.js';

export interface TransitRows {
  readonly routes: readonly NorthboundRow[];
  /** Names of the ports that the cluster's router has there. */
  readonly routerPorts: readonly string[];
  readonly others: readonly NorthboundRow[];
}

/** The same key in all zones: packets carry it from one to the other. */
const datapathKey = 16_711_683;
/** Behind those of the nodes' switches. */
const firstRouterPortKey = 10_000;

/** Nothing where there is one zone. @param local the nodes of the zone. */
export function transitRows(network: OvnKubernetesTopology, local: readonly Node[]): TransitRows {
  if (network.zones === 'one') return { routes: [], routerPorts: [], others: [] };
  const { nodes, transit } = network;
  const remote = nodes.filter((node) => !local.includes(node));
  return {
    routes: remote.flatMap((node) =>
      familiesOf(network).map(({ of, suffix }) =>
        staticRoute({
          id: `route to ${node.name}${suffix}`,
          prefix: of(node.podCidr),
          nexthop: of(transitAddressOf(network, node)),
          policy: 'dst-ip',
        }),
      ),
    ),
    routerPorts: local.map(ports.routerToTransit),
    others: [
      withInterconnection(
        logicalSwitch(transitSwitch, datapathKey, nodes.map(ports.transitToRouter)),
      ),
      ...local.flatMap((node) => [
        routerPort({
          name: ports.routerToTransit(node),
          mac: macFor(transitAddressOf(network, node)),
          networks: familiesOf(network).map(({ ofInterface }) =>
            ofInterface(transitAddressOf(network, node), transit.prefixLength),
          ),
          key: firstRouterPortKey + placeOf(network, node),
        }),
        portToRouter(
          ports.transitToRouter(node),
          ports.routerToTransit(node),
          placeOf(network, node) + 1,
        ),
      ]),
      ...remote.map((node) => remotePort(network, node)),
    ],
  };
}

function withInterconnection(row: NorthboundRow): NorthboundRow {
  return {
    ...row,
    columns: {
      ...row.columns,
      other_config: map({ ...tunnelKey(datapathKey), 'interconn-ts': transitSwitch }),
    },
  };
}

/** It is up at another zone's chassis, and never here. */
function remotePort(network: OvnKubernetesTopology, node: Node): NorthboundRow {
  const address = transitAddressOf(network, node);
  const name = ports.transitToRouter(node);
  const networks = familiesOf(network).map(({ ofInterface }) =>
    ofInterface(address, network.transit.prefixLength),
  );
  return {
    table: 'Logical_Switch_Port',
    id: `switch port ${name}`,
    columns: {
      name,
      type: 'remote',
      addresses: set([macFor(address), ...networks].join(' ')),
      options: map({
        ...tunnelKey(placeOf(network, node) + 1),
        'requested-chassis': node.name,
      }),
    },
  };
}
