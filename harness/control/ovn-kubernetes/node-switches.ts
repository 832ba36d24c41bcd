/** A logical switch a node: its pods, its machines' virt-launcher pods, and the router's port. */
import { linkLocalOf } from '../../base/addresses/link-local.js';
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node } from '../../domain/topology.js';
import type {
  LauncherPod,
  OvnKubernetesTopology,
  VirtualMachine,
} from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { allocate, type Numbers } from '../allocate.js';
import { familiesOf, inFamilies } from './families.js';
import { poolOf } from './ipam.js';
import { balancing } from './load-balancers.js';
import { isMigratable, runningLaunchers } from './machine-location.js';
import { managementNames, managementRows } from './management-port.js';
import { ports } from './names.js';
import { logicalSwitch, map, portToRouter, references, set, tunnelKey } from './row.js';

/** The first address of a network that routers answer at, whichever node a machine is on. */
export const linkLocalGateway = '169.254.1.1';

/** Where a pod of a node is: a logical port with an address. */
interface Attached {
  readonly name: string;
  readonly ip: string;
  readonly mac: string;
  /** The row with its DHCP options, of a machine that can migrate. */
  readonly dhcp?: string;
}

/** Pods that are no machine, and virt-launcher pods that run there. */
export function attachedTo(network: OvnKubernetesTopology, node: Node): readonly Attached[] {
  const { machines } = network;
  return [
    ...node.pods.filter(({ name }) => machines.every((machine) => machine.name !== name)),
    ...machines.flatMap((machine) =>
      runningLaunchers(machine)
        .filter(({ spec }) => spec.nodeName === node.name)
        .map((launcher) => ({
          name: launcher.metadata.name,
          ip: machine.ip,
          mac: machine.mac,
          ...(isMigratable(launcher) ? { dhcp: dhcpRowOf(machine) } : {}),
        })),
    ),
  ];
}

const dhcpRowOf = ({ name }: VirtualMachine) => `DHCP options ${name}`;

export function nodeSwitchRows(
  network: OvnKubernetesTopology,
  node: Node,
  key: number,
  keysBefore: Numbers,
): readonly NorthboundRow[] {
  const attached = attachedTo(network, node);
  const ids = attached.map(({ name }) => `switch port ${name}`);
  const held = Object.entries(keysBefore).filter(([id]) => ids.includes(id));
  const keys = allocate(ids, Object.fromEntries(held), 2);
  const uplink = ports.switchToRouter(node);
  return [
    logicalSwitch(
      node.name,
      key,
      [uplink, ...attached.map(({ name }) => name), ...managementNames(network, node)],
      balancing(network, 'node_switch', node),
    ),
    portToRouter(uplink, ports.routerToSwitch(node), 1, { arp_proxy: arpProxyOf(network) }),
    ...attached.map(
      ({ name, mac, ip, dhcp }): NorthboundRow => ({
        table: 'Logical_Switch_Port',
        id: `switch port ${name}`,
        columns: {
          name,
          addresses: set([mac, ...inFamilies(network, ip)].join(' ')),
          port_security: set([mac, ...inFamilies(network, ip)].join(' ')),
          options: map(tunnelKey(keys[`switch port ${name}`] ?? 2)),
          ...(dhcp === undefined ? {} : dhcpColumns(network, dhcp)),
        },
      }),
    ),
    ...managementRows(network, node),
  ];
}

/**
 * "the MAC to answer ARPs with, and the link local ipv4 and ipv6 to answer for and the cluster wide
 * pod CIDR" (the seed, "Nodes logical switch ports").
 */
export function arpProxyOf(network: OvnKubernetesTopology): string {
  const { arpProxyMac, clusterCidr } = network;
  return [
    arpProxyMac,
    linkLocalGateway,
    linkLocalOf(arpProxyMac),
    ...inFamilies(network, clusterCidr),
  ].join(' ');
}

/** The options of each family. */
function dhcpColumns(network: OvnKubernetesTopology, dhcp: string): NorthboundRow['columns'] {
  return Object.fromEntries(
    familiesOf(network).map(({ match, suffix }) => [
      match === 'ip4' ? 'dhcpv4_options' : 'dhcpv6_options',
      references(`${dhcp}${suffix}`),
    ]),
  );
}

/** The options of every machine that can migrate (the seed, "VMs logical switch ports"). */
export function dhcpRows(
  network: OvnKubernetesTopology,
  local: readonly Node[],
): readonly NorthboundRow[] {
  const isLocal = ({ spec }: LauncherPod) => local.some(({ name }) => name === spec.nodeName);
  return network.machines
    .filter((machine) => runningLaunchers(machine).filter(isLocal).some(isMigratable))
    .flatMap((machine) =>
      familiesOf(network).map(
        ({ match, of, suffix }): NorthboundRow => ({
          table: 'DHCP_Options',
          id: `${dhcpRowOf(machine)}${suffix}`,
          columns: {
            cidr: of(subnetOf(network, machine)),
            options: map(
              match === 'ip4'
                ? dhcpOptions(network, machine)
                : { server_id: dhcpServerMac, dns_server: of(network.dnsServer) },
            ),
          },
        }),
      ),
    );
}

const dhcpServerMac = 'c0:ff:ee:00:00:01';

function dhcpOptions(
  { dnsServer }: OvnKubernetesTopology,
  { name }: VirtualMachine,
): Readonly<Record<string, string>> {
  return {
    lease_time: '3500',
    router: linkLocalGateway,
    dns_server: dnsServer,
    server_id: linkLocalGateway,
    server_mac: dhcpServerMac,
    hostname: `"${name}"`,
  };
}

/** The subnet that its address is from; all of the cluster's, once no node has that. */
function subnetOf(network: OvnKubernetesTopology, machine: VirtualMachine): string {
  return poolOf(network, machine)?.podCidr ?? network.clusterCidr;
}
