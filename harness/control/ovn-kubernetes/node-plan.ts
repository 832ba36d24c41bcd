/** Bridges and hosts of a node. */
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { PortPlan } from '../../domain/plan/port-plan.js';
import { nextHopOf } from '../../domain/next-hops.js';
import type { Node } from '../../domain/topology.js';
import { besideIpv4, withIpv6 } from '../../domain/dual-stack.js';
import { linkLocalOf } from '../../base/addresses/link-local.js';
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type {
  OvnKubernetesTopology,
  VirtualMachine,
} from '../../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { allocate } from '../allocate.js';
import { podHost } from '../pod-host.js';
import { egressAddressesOf } from './egress-ips.js';
import { gatewayAddressOf } from './gateway-address.js';
import { nodePortMatches } from './load-balancers.js';
import { managementPorts, throughTheNode } from './management-port.js';
import { runningLaunchers } from './machine-location.js';
import {
  cableOf,
  externalBridge,
  integrationBridge,
  interfaceOf,
  interfaceOfLauncher,
  macOfBridge,
} from './names.js';
import { attachedTo, linkLocalGateway } from './node-switches.js';

/** Of the cable between both bridges, at both of them. */
const cableNumber = 2;
const firstPodPort = 3;

export function planNode(
  node: Node,
  network: OvnKubernetesTopology,
  before: NodePlan | undefined,
): NodePlan {
  return {
    node: node.name,
    bridges: [integrationBridgeOf(node, network, before), externalBridgeOf(node, network)],
    hosts: hostsOf(node, network).map((host) =>
      network.ipv6 === undefined || host.kind === 'linux-node'
        ? host
        : withIpv6(network.ipv6, host),
    ),
  };
}

function integrationBridgeOf(
  node: Node,
  network: OvnKubernetesTopology,
  before: NodePlan | undefined,
): BridgePlan {
  const held = before?.bridges.find(({ name }) => name === integrationBridge)?.ports ?? [];
  const numbers = allocate(
    attachedTo(network, node).map(interfaceOf),
    Object.fromEntries(
      held.flatMap(({ kind, name, ofport }) => (kind === 'endpoint' ? [[name, ofport]] : [])),
    ),
    firstPodPort,
  );
  const cable = cableOf(node);
  return {
    name: integrationBridge,
    mac: macOfBridge(node.name),
    origin: 'dumped',
    ports: [
      {
        kind: 'patch',
        name: cable.integration,
        ofport: cableNumber,
        peer: { bridge: externalBridge, port: cable.external },
      },
      ...managementPorts(network, node),
      ...Object.entries(numbers).map(
        ([name, ofport]): PortPlan => ({
          kind: 'endpoint',
          name,
          ofport,
        }),
      ),
    ],
    flows: [],
  };
}

/**
 * The node's own network card is in it. Who asks for the gateway router gets to OVN, and so does
 * what is for its address; all else is between the network and the node itself.
 */
function externalBridgeOf(node: Node, network: OvnKubernetesTopology): BridgePlan {
  const { ip, prefixLength, mac } = node.underlay;
  const { ipv6 } = network;
  const gateway = gatewayAddressOf(network, node);
  const cable = cableOf(node);
  return {
    name: externalBridge,
    mac,
    underlay: {
      ip,
      prefixLength,
      neighbours: network.nodes
        .filter(({ name }) => name !== node.name)
        .map(({ underlay }) => underlay),
    },
    ports: [
      { kind: 'uplink', name: 'uplink', ofport: 1, mac },
      {
        kind: 'patch',
        name: cable.external,
        ofport: cableNumber,
        peer: { bridge: integrationBridge, port: cable.integration },
        flood: 'never',
      },
    ],
    flows: [
      `priority=100,in_port=${cableNumber},actions=output:1`,
      ...[gateway, ...egressAddressesOf(network, node)].flatMap((address) => [
        `priority=100,in_port=1,arp,arp_tpa=${address},actions=output:${cableNumber}`,
        `priority=100,in_port=1,ip,nw_dst=${address},actions=output:${cableNumber}`,
      ]),
      ...(ipv6 === undefined ? [] : flowsOverIpv6(besideIpv4(ipv6, gateway))),
      ...(ipv6 === undefined || network.hostsOutside !== 'learned' ? [] : [answersTo(mac)]),
      ...nodePortMatches(network, node).map(
        (match) => `priority=110,in_port=1,${match},actions=output:${cableNumber}`,
      ),
      'priority=0,actions=NORMAL',
    ],
  };
}

function flowsOverIpv6(gateway: string): readonly string[] {
  return [`icmp6,icmp_type=135,nd_target=${gateway}`, `ipv6,ipv6_dst=${gateway}`].map(
    (match) => `priority=100,in_port=1,${match},actions=output:${cableNumber}`,
  );
}

/** The gateway router, which has the node's MAC address, asks for neighbours by its link-local. */
function answersTo(mac: string): string {
  return `priority=100,in_port=1,ipv6,ipv6_dst=${linkLocalOf(mac)},actions=output:${cableNumber}`;
}

/** Machines know the gateway that they have everywhere; other pods know that of their node. */
function hostsOf(node: Node, network: OvnKubernetesTopology): readonly HostPlan[] {
  const { machines } = network;
  const { ip, prefixLength, mac } = node.underlay;
  return [
    ...node.pods.map((pod) => {
      const machine = machines.find(({ name }) => name === pod.name);
      return machine === undefined
        ? podHost(pod, node, interfaceOf(pod))
        : machineHost(machine, node);
    }),
    throughTheNode(network, node, {
      name: node.name,
      kind: 'linux-node',
      interfaces: [{ name: 'eth0', port: externalBridge, mac, ip, prefixLength }],
      routes: [nextHopOf(network, node.underlay)].flatMap((hop) =>
        hop === undefined
          ? []
          : [{ destination: '0.0.0.0/0', via: hop.ip, interface: 'eth0', onlink: false }],
      ),
      ...(node.listens === undefined ? {} : { listens: node.listens }),
    }),
  ];
}

/** It runs behind the interface of its virt-launcher pod there; none where that is gone. */
function machineHost(machine: VirtualMachine, { name, podCidr }: Node): HostPlan {
  const launcher = runningLaunchers(machine).find(({ spec }) => spec.nodeName === name);
  const { prefixLength } = parseCidr(podCidr);
  return {
    name: machine.name,
    kind: 'pod',
    interfaces:
      launcher === undefined
        ? []
        : [
            {
              name: 'eth0',
              port: interfaceOfLauncher(launcher),
              mac: machine.mac,
              ip: machine.ip,
              prefixLength,
            },
          ],
    routes: [{ destination: '0.0.0.0/0', via: linkLocalGateway, interface: 'eth0', onlink: true }],
  };
}
