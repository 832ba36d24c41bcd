/**
 * Contrail as a pure function of its cluster: a hypervisor is what HNS holds once the plugin has
 * made its networks and endpoints, and a bridge with the flows of the Forwarding Extension.
 */
import { refuseUnplayed } from '../../kube/handled/refuse-unplayed.js';
import { refuseLinks } from '../refuse-links.js';
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { assert } from '../../base/errors/errors.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { PortPlan } from '../../domain/plan/port-plan.js';
import type { Node } from '../../domain/topology.js';
import { contrailPromises } from '../../intent/contrail/promises.js';
import {
  checkContrailCluster,
  networkOf,
  type ContrailCluster,
} from '../../../topologies/contrail/contrail-cluster.js';
import { allocate } from '../allocate.js';
import { friendlyNameOf } from '../windows/hns-subnet.js';
import type { HnsEndpoint, WindowsHost } from '../windows/host.js';
import { extensionFlows, type ExtensionView } from './forwarding-extension.js';
import { portOfEndpoint } from './hns-names.js';
import { contrailHost, uplinkPort } from './node-host.js';
import { overlayPorts } from './overlay.js';

/** The Hyper-V switch as Open vSwitch has it. */
export const bridgeName = 'br-vrouter';

/** Planning throws InputError when the cluster is not one that could exist. */
export function contrail(): ControlPlane<ContrailCluster> {
  return {
    name: 'contrail',
    promises: contrailPromises,
    plan(cluster, before) {
      refuseLinks(cluster, 'Contrail');
      refuseUnplayed(cluster, 'contrail');
      checkContrailCluster(cluster);
      return {
        nodes: cluster.nodes.map((node) =>
          planNode(
            node,
            cluster,
            before?.nodes.find((held) => held.node === node.name),
          ),
        ),
      };
    },
  };
}

function planNode(node: Node, cluster: ContrailCluster, before: NodePlan | undefined): NodePlan {
  const host = contrailHost(node, cluster);
  const held = before?.bridges[0]?.ports ?? [];
  const numbers = allocate(
    host.endpoints.map(({ name }) => portOfEndpoint(name)),
    Object.fromEntries(
      held.flatMap(({ kind, name, ofport }) => (kind === 'endpoint' ? [[name, ofport]] : [])),
    ),
    firstContainerPort,
  );
  const { ip, prefixLength, mac } = node.underlay;
  const overlay = overlayPorts[cluster.overlay];
  return {
    node: node.name,
    bridges: [
      {
        name: bridgeName,
        mac,
        underlay: {
          ip,
          prefixLength,
          neighbours: cluster.nodes.filter((other) => other !== node).map((peer) => peer.underlay),
        },
        ports: [
          { kind: 'uplink', ...uplinkPort, mac },
          { kind: 'tunnel', ...overlay, options: { ...overlay.options, local_ip: ip } },
          ...Object.entries(numbers).map(
            ([name, ofport]): PortPlan => ({ kind: 'endpoint', name, ofport }),
          ),
        ],
        flows: extensionFlows(viewOf(node, host, cluster, numbers)),
      },
    ],
    hosts: [...host.endpoints.map((endpoint) => containerHost(endpoint, host)), nodeHost(node)],
  };
}

/** Beside the uplink and the tunnel. */
const firstContainerPort = 10;

/** What the extension has seen, and what its agent and the controller have given it. */
function viewOf(
  node: Node,
  host: WindowsHost,
  cluster: ContrailCluster,
  numbers: Readonly<Record<string, number>>,
): ExtensionView {
  const added = cluster.containers.flatMap((container) => {
    const label = networkOf(cluster, container)?.label;
    return container.port === 'added' && label !== undefined ? [{ ...container, label }] : [];
  });
  const isHere = ({ hypervisor }: { readonly hypervisor: string }) => hypervisor === node.name;
  const labels = new Set(added.filter(isHere).map(({ label }) => label));
  return {
    adapters: host.endpoints.map(({ name }) => {
      const ofport = numbers[portOfEndpoint(name)];
      assert(ofport !== undefined, `endpoint ${name} has a port`);
      return { friendlyName: friendlyNameOf(name), ofport };
    }),
    ports: added.filter(isHere).map(({ endpoint, label, ip, mac }) => ({
      friendlyName: friendlyNameOf(endpoint),
      label,
      ip,
      mac,
    })),
    routes: added.flatMap(({ hypervisor, label, ip, mac }) => {
      const via = cluster.nodes.find(({ name }) => name === hypervisor)?.underlay.ip;
      return hypervisor === node.name || via === undefined || !labels.has(label)
        ? []
        : [{ label, ip, mac, via }];
    }),
    networks: cluster.virtualNetworks.filter(({ label }) => labels.has(label)),
    uplink: uplinkPort.ofport,
    overlay: overlayPorts[cluster.overlay],
  };
}

/** As HNS has configured it in its compartment. */
function containerHost(endpoint: HnsEndpoint, { subnets = [] }: WindowsHost): HostPlan {
  const { gateway } = endpoint;
  const subnet = subnets.find(({ id }) => id === endpoint.network)?.subnet;
  assert(gateway !== undefined && subnet !== undefined, `endpoint ${endpoint.name} is on a subnet`);
  return {
    name: endpoint.sandbox,
    kind: 'pod',
    interfaces: [
      {
        name: 'eth0',
        port: portOfEndpoint(endpoint.name),
        mac: endpoint.mac,
        ip: endpoint.ip,
        prefixLength: parseCidr(subnet).prefixLength,
      },
    ],
    routes: [{ destination: '0.0.0.0/0', via: gateway, interface: 'eth0', onlink: false }],
  };
}

function nodeHost({ name, os, underlay }: Node): HostPlan {
  const { ip, prefixLength, mac } = underlay;
  return {
    name,
    kind: os === 'windows' ? 'windows-node' : 'linux-node',
    interfaces: [{ name: 'vEthernet', port: bridgeName, mac, ip, prefixLength }],
    routes: [],
  };
}
