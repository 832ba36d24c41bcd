/** What the cluster's router does for machines away from their owner, zone by zone. */
import { staticMacBindingId, type NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { joinAddressOf, transitAddressOf } from './addresses.js';
import { migratedMachines, type MigratedMachine } from './machine-location.js';
import { ports } from './names.js';
import { policy, set, staticRoute } from './row.js';

/** Below that of what stays inside ("EgressLiveMigrationReroutePriority"). */
const migratedPriority = 10;

export interface PointToPoint {
  readonly routes: readonly NorthboundRow[];
  readonly policies: readonly NorthboundRow[];
  readonly others: readonly NorthboundRow[];
}

/** @param local the nodes of the zone. */
export function pointToPoint(network: OvnKubernetesTopology, local: readonly Node[]): PointToPoint {
  const migrated = migratedMachines(network);
  const isLocal = ({ node }: MigratedMachine) => local.includes(node);
  const here = migrated.filter(isLocal);
  return {
    routes: [
      ...here.map(ingressRoute),
      ...migrated.filter((one) => !isLocal(one)).map((one) => remoteRoute(network, one)),
      ...(network.zones === 'a-node' ? egressRoutes(network, here) : []),
    ],
    policies: network.zones === 'one' ? here.map((one) => egressPolicy(network, one)) : [],
    others: here.map(neighbourRow),
  };
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

/** "egress n/s traffic from VM's IP via gateway router ip", where there is one zone. */
function egressPolicy(
  network: OvnKubernetesTopology,
  { machine, node }: MigratedMachine,
): NorthboundRow {
  return policy(`egress ${machine.name}`, migratedPriority, `ip4.src == ${machine.ip}`, {
    action: 'reroute',
    nexthops: set(joinAddressOf(network, node)),
  });
}

/** The same in a zone a node: one route for all machines that have come to it. */
function egressRoutes(
  network: OvnKubernetesTopology,
  here: readonly MigratedMachine[],
): readonly NorthboundRow[] {
  const [first] = here;
  return first === undefined
    ? []
    : [
        staticRoute({
          id: 'route out of migrated machines',
          prefix: network.clusterCidr,
          nexthop: joinAddressOf(network, first.node),
          policy: 'src-ip',
        }),
      ];
}

/** "at remote zones a static route … over the transit switch port address". */
function remoteRoute(
  network: OvnKubernetesTopology,
  { machine, node }: MigratedMachine,
): NorthboundRow {
  return staticRoute({
    id: `route to ${machine.name}`,
    prefix: machine.ip,
    nexthop: transitAddressOf(network, node),
    policy: 'dst-ip',
  });
}

/** OVN would ask for it, and remember who answers as long as it likes. */
function neighbourRow({ machine: { ip, mac }, node }: MigratedMachine): NorthboundRow {
  const port = ports.routerToSwitch(node);
  return {
    table: 'Static_MAC_Binding',
    id: staticMacBindingId(port, ip),
    columns: { logical_port: port, ip, mac, override_dynamic_mac: true },
  };
}
