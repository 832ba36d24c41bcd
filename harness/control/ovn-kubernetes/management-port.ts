/**
 * The node's own port on its logical switch, by which pods' traffic leaves the cluster in gateway
 * mode `local`: the node's stack routes it, and puts the node's address in the sender's place
 * (ovn-kubernetes, docs/design/topology, "Local Gateway Mode").
 */
import { formatIpv4, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { Binding, NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { PortPlan } from '../../domain/plan/port-plan.js';
import type { Node } from '../../domain/topology.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { macFor } from './mac-for.js';
import { map, set, tunnelKey } from './row.js';

const port = { name: 'ovn-k8s-mp0', ofport: 1 } as const;

/** Behind those of pods. */
const key = 30_000;

const logicalPortOf = ({ name }: Node) => `k8s-${name}`;

export const isLocal = ({ gatewayMode }: OvnKubernetesTopology) => gatewayMode === 'local';

/** The last address of its subnet: pods have those from the first on. */
export function managementAddressOf({ podCidr }: Node): string {
  const { number, prefixLength } = parseCidr(podCidr);
  return formatIpv4(number + 2 ** (32 - prefixLength) - 2);
}

/** Of its logical ports: none in gateway mode `shared`, as of all else here. */
export function managementNames(network: OvnKubernetesTopology, node: Node): readonly string[] {
  return isLocal(network) ? [logicalPortOf(node)] : [];
}

export function managementRows(
  network: OvnKubernetesTopology,
  node: Node,
): readonly NorthboundRow[] {
  const ip = managementAddressOf(node);
  return managementNames(network, node).map((name) => ({
    table: 'Logical_Switch_Port',
    id: `switch port ${name}`,
    columns: { name, addresses: set(`${macFor(ip)} ${ip}`), options: map(tunnelKey(key)) },
  }));
}

export function managementBindings(network: OvnKubernetesTopology, node: Node): readonly Binding[] {
  return isLocal(network) ? [{ port: port.name, logicalPort: logicalPortOf(node) }] : [];
}

export function managementPorts(network: OvnKubernetesTopology, node: Node): readonly PortPlan[] {
  return isLocal(network)
    ? [{ kind: 'internal', ...port, mac: macFor(managementAddressOf(node)) }]
    : [];
}

/** What the node's stack has more: the port, the way to all pods by it, and masquerading. */
export function throughTheNode(
  network: OvnKubernetesTopology,
  node: Node,
  stack: HostPlan,
): HostPlan {
  if (!isLocal(network)) return stack;
  const { clusterCidr } = network;
  const ip = managementAddressOf(node);
  return {
    ...stack,
    interfaces: [
      ...stack.interfaces,
      {
        name: port.name,
        port: port.name,
        mac: macFor(ip),
        ip,
        prefixLength: parseCidr(node.podCidr).prefixLength,
      },
    ],
    routes: [
      ...stack.routes,
      { destination: clusterCidr, via: node.gateway.ip, interface: port.name, onlink: false },
    ],
    forwarding: { destinations: [], sources: [{ from: [clusterCidr], except: [clusterCidr] }] },
  };
}
