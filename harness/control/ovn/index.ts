/**
 * A logical switch for each node's pods, and one logical router between them: the shape that OVN's
 * own tutorials begin with, and the core of what its Kubernetes integrations make. As a pure
 * function of the network.
 */
import { refuseUnplayed } from '../../kube/handled/refuse-unplayed.js';
import { refuseLinks } from '../refuse-links.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { ChassisPlan, NorthboundPlan } from '../../domain/plan/northbound-plan.js';
import { checkTopology } from '../../domain/topology-check.js';
import type { Node, Topology } from '../../domain/topology.js';
import { ovnPromises } from '../../intent/ovn/promises.js';
import { allocate } from '../allocate.js';
import { externalHosts } from '../external-hosts.js';
import type { OvnTopology } from '../../../topologies/ovn/ovn-topology.js';
import { hosts } from './hosts.js';
import { machineBindings, machineInterfaces, stayingPods } from './moving-machine.js';
import { northboundRows } from './northbound-rows.js';
import { integrationBridge, interfaceOf, macOfBridge } from './names.js';

/** Planning throws InputError when the topology is not one that could exist. */
export function ovn(): ControlPlane<Topology> {
  return {
    name: 'ovn',
    promises: ovnPromises,
    plan(network, before) {
      refuseLinks(network, 'OVN');
      refuseUnplayed(network, 'ovn');
      checkTopology(network);
      const outside = externalHosts(network);
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

/** One zone: all chassis share a southbound database. */
function northboundOf(network: OvnTopology, before: NorthboundPlan | undefined): NorthboundPlan {
  const held = before?.zones.flatMap(({ rows }) => rows) ?? [];
  return {
    zones: [
      {
        name: 'global',
        chassis: network.nodes.map((node) => chassisOf(node, network)),
        rows: northboundRows(network, held),
      },
    ],
  };
}

function chassisOf(node: Node, network: OvnTopology): ChassisPlan {
  const pods = stayingPods(network, node);
  return {
    node: node.name,
    bridge: integrationBridge,
    encapIp: node.underlay.ip,
    bindings: [
      ...pods.map((pod) => ({ port: interfaceOf(pod), logicalPort: pod.name })),
      ...machineBindings(network, node),
    ],
  };
}

/** The bridge that ovn-controller programs, and the node's own network card behind another one. */
function planNode(node: Node, network: OvnTopology, before: NodePlan | undefined): NodePlan {
  const { nodes } = network;
  const { ip, prefixLength, mac } = node.underlay;
  const held = before?.bridges.find(({ name }) => name === integrationBridge)?.ports ?? [];
  const numbers = allocate(
    [...stayingPods(network, node).map(interfaceOf), ...machineInterfaces(network, node)],
    Object.fromEntries(
      held.flatMap(({ kind, name, ofport }) => (kind === 'endpoint' ? [[name, ofport]] : [])),
    ),
    1,
  );
  return {
    node: node.name,
    bridges: [
      {
        name: integrationBridge,
        mac: macOfBridge(node.name),
        origin: 'dumped',
        ports: Object.entries(numbers).map(([name, ofport]) => ({
          kind: 'endpoint',
          name,
          ofport,
        })),
        flows: [],
      },
      {
        name: 'br-phys',
        mac,
        underlay: {
          ip,
          prefixLength,
          neighbours: nodes.filter((other) => other !== node).map(({ underlay }) => underlay),
        },
        ports: [{ kind: 'uplink', name: 'uplink', ofport: 1, mac }],
        flows: ['priority=0,actions=NORMAL'],
      },
    ],
    hosts: hosts(node, network),
  };
}
