/** What the cluster's router does for machines away from their owner, zone by zone. */
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { joinAddressOf, transitAddressOf } from './addresses.js';
import { familiesOf, inFamilies } from './families.js';
import { migratedMachines, type MigratedMachine } from './machine-location.js';
import { ports } from './names.js';
import { policy, set, staticMacBinding, staticRoute } from './row.js';

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
      ...here.flatMap((one) => ingressRoutes(network, one)),
      ...migrated.filter((one) => !isLocal(one)).flatMap((one) => remoteRoutes(network, one)),
      ...(network.zones === 'a-node' ? egressRoutes(network, here) : []),
    ],
    policies: network.zones === 'one' ? here.flatMap((one) => egressPolicies(network, one)) : [],
    others: here.flatMap((one) => neighbourRows(network, one)),
  };
}

/** "ingress traffic to VM's IP via VM's node port" (the seed, "Point to point routing"). */
function ingressRoutes(
  network: OvnKubernetesTopology,
  { machine, node }: MigratedMachine,
): readonly NorthboundRow[] {
  return familiesOf(network).map(({ of, suffix }) =>
    staticRoute({
      id: `route to ${machine.name}${suffix}`,
      prefix: of(machine.ip),
      nexthop: of(machine.ip),
      policy: 'dst-ip',
      outputPort: ports.routerToSwitch(node),
    }),
  );
}

/** "egress n/s traffic from VM's IP via gateway router ip", where there is one zone. */
function egressPolicies(
  network: OvnKubernetesTopology,
  { machine, node }: MigratedMachine,
): readonly NorthboundRow[] {
  return familiesOf(network).map(({ match, of, suffix }) => {
    const isIts = `${match}.src == ${of(machine.ip)}`;
    return policy(`egress ${machine.name}${suffix}`, migratedPriority, isIts, {
      action: 'reroute',
      nexthops: set(of(joinAddressOf(network, node))),
    });
  });
}

/** The same in a zone a node: one route a family for all machines that have come to it. */
function egressRoutes(
  network: OvnKubernetesTopology,
  here: readonly MigratedMachine[],
): readonly NorthboundRow[] {
  const [first] = here;
  if (first === undefined) return [];
  return familiesOf(network).map(({ of, suffix }) =>
    staticRoute({
      id: `route out of migrated machines${suffix}`,
      prefix: of(network.clusterCidr),
      nexthop: of(joinAddressOf(network, first.node)),
      policy: 'src-ip',
    }),
  );
}

/** "at remote zones a static route … over the transit switch port address". */
function remoteRoutes(
  network: OvnKubernetesTopology,
  { machine, node }: MigratedMachine,
): readonly NorthboundRow[] {
  return familiesOf(network).map(({ of, suffix }) =>
    staticRoute({
      id: `route to ${machine.name}${suffix}`,
      prefix: of(machine.ip),
      nexthop: of(transitAddressOf(network, node)),
      policy: 'dst-ip',
    }),
  );
}

/** OVN would ask for it, and remember who answers as long as it likes. */
function neighbourRows(
  network: OvnKubernetesTopology,
  { machine: { ip, mac }, node }: MigratedMachine,
): readonly NorthboundRow[] {
  const port = ports.routerToSwitch(node);
  return inFamilies(network, ip).map((address) => staticMacBinding(port, address, mac));
}
