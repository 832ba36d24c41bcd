/**
 * Contrail's hypervisors as its plugin leaves them: the calls of the cluster's Docker engines are
 * played by the plugin's own program. HNS has connected adapters to a bridge, and the agent has
 * programmed it with the flows of the Forwarding Extension.
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
  subnetOf,
  type AttachedContainer,
  type ContrailCluster,
} from '../../../topologies/contrail/contrail-cluster.js';
import {
  courseProgram,
  momentOf,
  type PlayCourse,
  type PlayedAdapter,
  type PlayedHypervisor,
} from './course.js';
import { overlayPorts } from './overlay.js';
import { uplinkPort } from './uplink-port.js';

/** The Hyper-V switch as Open vSwitch has it. */
export const bridgeName = 'br-vrouter';

/**
 * Planning throws InputError when the cluster is not one that could exist, and Unavailable where
 * the program fails.
 */
export function contrail(playCourse: PlayCourse = courseProgram()): ControlPlane<ContrailCluster> {
  return {
    name: 'contrail',
    promises: contrailPromises,
    plan(cluster) {
      refuseLinks(cluster, 'Contrail');
      refuseUnplayed(cluster, 'contrail');
      checkContrailCluster(cluster);
      const { hypervisors, problems } = momentOf(cluster, playCourse);
      const wrong = [...problems, ...hypervisors.flatMap((one) => adaptersUnlike(cluster, one))];
      return {
        nodes: cluster.nodes.map((node) => {
          const played = hypervisors.find(({ name }) => name === node.name);
          assert(played !== undefined, `${node.name} was played`);
          return planNode(node, cluster, played);
        }),
        ...(wrong.length === 0 ? {} : { leftWrong: wrong }),
      };
    },
  };
}

function planNode(node: Node, cluster: ContrailCluster, played: PlayedHypervisor): NodePlan {
  const { ip, prefixLength, mac } = node.underlay;
  const overlay = overlayPorts[cluster.overlay];
  const adapters = [...played.adapters, ...lostAdapters(cluster, played)];
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
          ...adapters.map(
            ({ port, ofport }): PortPlan => ({ kind: 'endpoint', name: port, ofport }),
          ),
        ],
        flows: played.flows,
      },
    ],
    hosts: [...adapters.flatMap(containerHost), nodeHost(node)],
  };
}

/** Containers that are promised an adapter here, and have none. */
function withoutAdapter(
  { containers }: ContrailCluster,
  { name: hypervisor, adapters }: PlayedHypervisor,
): readonly AttachedContainer[] {
  return containers.filter(
    (one) =>
      one.hypervisor === hypervisor &&
      one.adapter === 'connected' &&
      !adapters.some(({ container }) => container === one.name),
  );
}

/** Adapters that are missing, or there too early or too long; a sentence each. */
function adaptersUnlike(cluster: ContrailCluster, played: PlayedHypervisor): readonly string[] {
  const absent = cluster.containers.filter(({ adapter }) => adapter === 'absent');
  return [
    ...withoutAdapter(cluster, played).map(
      ({ name }) => `${name} has no adapter on ${played.name}, and should have one`,
    ),
    ...absent
      .filter(({ name }) => played.adapters.some(({ container }) => container === name))
      .map(({ name }) => `${name} has an adapter on ${played.name}, and should have none`),
  ];
}

/** What such a container sends goes into a port that nobody has programmed. */
function lostAdapters(
  cluster: ContrailCluster,
  played: PlayedHypervisor,
): readonly PlayedAdapter[] {
  return withoutAdapter(cluster, played).map((container, index) => {
    const subnet = subnetOf(cluster, container);
    assert(subnet !== undefined, `${container.name} is on a subnet`);
    return {
      port: `lost-${index + 1}`,
      ofport: firstLostPort + index,
      ip: container.ip,
      mac: container.mac,
      prefixLength: parseCidr(subnet.cidr).prefixLength,
      gateway: subnet.gateway,
      container: container.name,
    };
  });
}

const firstLostPort = 60_000;

/** As HNS has configured it in its compartment; nobody where Docker has the container no more. */
function containerHost(adapter: PlayedAdapter): readonly HostPlan[] {
  const { container, port, mac, ip, prefixLength, gateway } = adapter;
  if (container === undefined) return [];
  return [
    {
      name: container,
      kind: 'pod',
      interfaces: [{ name: 'eth0', port, mac, ip, prefixLength }],
      routes: [{ destination: '0.0.0.0/0', via: gateway, interface: 'eth0', onlink: false }],
    },
  ];
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
