/**
 * A control plane of ovn-kubernetes' shape: a logical switch a node, ovn_cluster_router between
 * them, and by way of the switch `join` a gateway router a node, with SNAT; machines of KubeVirt
 * keep their address where they migrate (the seed, "KubeVirt virtual machine bridge binding pod
 * network seamless live migration"). As a pure function of the network.
 */
import { northdChoices } from '../ovn/northd-choices.js';
import { refuseUnplayed } from '../../kube/handled/refuse-unplayed.js';
import { refuseLinks } from '../refuse-links.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type {
  ChassisPlan,
  NorthboundPlan,
  NorthboundRow,
  ZonePlan,
} from '../../domain/plan/northbound-plan.js';
import { withIpv6 } from '../../domain/dual-stack.js';
import type { Node, Topology } from '../../domain/topology.js';
import { checkTopology } from '../../domain/topology-check.js';
import { ovnKubernetesPromises } from '../../intent/ovn-kubernetes/promises.js';
import type { OvnKubernetesTopology } from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { externalHosts } from '../external-hosts.js';
import { routers } from '../routers.js';
import { tunnelKeysIn } from '../ovn/tunnel-keys.js';
import { placeOf } from './addresses.js';
import { refuseOverIpv6 } from './families.js';
import { clusterRouterRows } from './cluster-router.js';
import { gatewayRows } from './gateway-routers.js';
import { loadBalancerRows } from './load-balancers.js';
import {
  cableOf,
  externalBridge,
  integrationBridge,
  interfaceOf,
  physicalNetwork,
  ports,
} from './names.js';
import { knownDivergences } from './known-divergences.js';
import { managementBindings } from './management-port.js';
import { policyRows } from './network-policies.js';
import { planNode } from './node-plan.js';
import { attachedTo, dhcpRows, nodeSwitchRows } from './node-switches.js';

/** Planning throws InputError when the topology is not one that could exist. */
export function ovnKubernetes(): ControlPlane<Topology> {
  return {
    name: 'ovn-kubernetes',
    promises: ovnKubernetesPromises,
    known: knownDivergences,
    plan(topology, before) {
      refuseLinks(topology, 'ovn-kubernetes');
      refuseUnplayed(topology, 'ovn-kubernetes');
      checkTopology(topology);
      const network = topology as OvnKubernetesTopology;
      refuseOverIpv6(network);
      const { ipv6 } = network;
      const outside = [...externalHosts(network), ...routers(network)].map((host) =>
        ipv6 === undefined ? host : withIpv6(ipv6, host),
      );
      return {
        nodes: network.nodes.map((node) =>
          planNode(
            node,
            network,
            before?.nodes.find((held) => held.node === node.name),
          ),
        ),
        northbound: northboundOf(network, before?.northbound),
        ...(outside.length === 0 ? {} : { externalHosts: outside }),
      };
    },
  };
}

function northboundOf(
  network: OvnKubernetesTopology,
  before: NorthboundPlan | undefined,
): NorthboundPlan {
  const { nodes } = network;
  if (network.zones === 'one') return { zones: [zoneOf('global', network, nodes, before)] };
  return {
    zones: nodes.map((node) => ({
      ...zoneOf(node.name, network, [node], before),
      remoteChassis: nodes
        .filter((other) => other !== node)
        .map(({ name, underlay }) => ({ node: name, encapIp: underlay.ip })),
    })),
  };
}

/** @param local the nodes whose chassis share its southbound database. */
function zoneOf(
  name: string,
  network: OvnKubernetesTopology,
  local: readonly Node[],
  before: NorthboundPlan | undefined,
): ZonePlan {
  const held = before?.zones.find((zone) => zone.name === name)?.rows ?? [];
  const heard = { ...network, machines: network.heardMachines?.[name] ?? network.machines };
  return {
    name,
    chassis: local.map((node) => chassisOf(node, network, heard)),
    rows: northboundRows(heard, local, held),
  };
}

/** Keys of datapaths: those of nodes in blocks of three. */
const keys = { router: 1, join: 2, firstNode: 3 } as const;

export function northboundRows(
  network: OvnKubernetesTopology,
  local: readonly Node[],
  before: readonly NorthboundRow[],
): readonly NorthboundRow[] {
  const keysBefore = tunnelKeysIn(before);
  return [
    northdChoices,
    ...clusterRouterRows(network, local, keys),
    ...dhcpRows(network, local),
    ...loadBalancerRows(network, local),
    ...(network.objects === undefined
      ? []
      : policyRows({ ...network, objects: network.objects }, local)),
    ...local.flatMap((node) => {
      const first = keys.firstNode + 3 * placeOf(network, node);
      return [
        ...nodeSwitchRows(network, node, first, keysBefore),
        ...gatewayRows(network, node, { router: first + 1, external: first + 2 }),
      ];
    }),
  ];
}

/** @param heard what its zone knows by now: it binds what is there, and known to be. */
function chassisOf(
  node: Node,
  network: OvnKubernetesTopology,
  heard: OvnKubernetesTopology,
): ChassisPlan {
  const known = new Set(attachedTo(heard, node).map(({ name }) => name));
  const bound = attachedTo(network, node).filter(({ name }) => known.has(name));
  const wayOut = { port: cableOf(node).integration, logicalPort: ports.external(node) };
  return {
    node: node.name,
    bridge: integrationBridge,
    encapIp: node.underlay.ip,
    bindings: [
      ...(network.wayOut === undefined ? [wayOut] : []),
      ...bound.map((attached) => ({ port: interfaceOf(attached), logicalPort: attached.name })),
      ...managementBindings(network, node),
    ],
    ...(network.wayOut === undefined
      ? {}
      : { localnets: [{ ...wayOut, network: physicalNetwork, bridge: externalBridge }] }),
  };
}
