/**
 * Contrail's hypervisors as its plugin leaves them: the calls of the cluster's Docker engines are
 * played by the plugin's own program. HNS has connected adapters to a bridge, and the agent has
 * programmed it with the flows of the Forwarding Extension.
 */
import { refuseUnplayed } from '../../kube/handled/refuse-unplayed.js';
import { refuseLinks } from '../refuse-links.js';
import { assert } from '../../base/errors/errors.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { PortPlan } from '../../domain/plan/port-plan.js';
import type { Node } from '../../domain/topology.js';
import { contrailPromises } from '../../intent/contrail/promises.js';
import {
  checkContrailCluster,
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
      return {
        nodes: cluster.nodes.map((node) => {
          const played = hypervisors.find(({ name }) => name === node.name);
          assert(played !== undefined, `${node.name} was played`);
          return planNode(node, cluster, played);
        }),
        ...(problems.length === 0 ? {} : { leftWrong: problems }),
      };
    },
  };
}

function planNode(node: Node, cluster: ContrailCluster, played: PlayedHypervisor): NodePlan {
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
          ...played.adapters.map(
            ({ port, ofport }): PortPlan => ({ kind: 'endpoint', name: port, ofport }),
          ),
        ],
        flows: played.flows,
      },
    ],
    hosts: [...played.adapters.flatMap(containerHost), nodeHost(node)],
  };
}

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
