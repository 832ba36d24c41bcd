/**
 * A cluster whose logical switches and ports the CNI plugin makes, as a container runtime calls it:
 * the plan has the calls, and what the plugin is to answer, in place of northbound rows.
 */
import { northdChoices } from '../ovn/northd-choices.js';
import { refuseUnplayed } from '../../kube/handled/refuse-unplayed.js';
import { refuseLinks } from '../refuse-links.js';
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { assert } from '../../base/errors/errors.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { ChassisPlan, NorthboundPlan } from '../../domain/plan/northbound-plan.js';
import { checkTopology } from '../../domain/topology-check.js';
import type { Node } from '../../domain/topology.js';
import { ovnCniPromises } from '../../intent/ovn-cni/promises.js';
import type { OvnCniCluster } from '../../../topologies/ovn-cni/ovn-cni-topology.js';
import { macOfBridge } from '../ovn/names.js';
import { attachmentsOn, type PodAttachment } from './attachments.js';
import { hostInterfaceOf, integrationBridge, logicalPortOf } from './names.js';
import { programCalls } from './program-calls.js';

/** Planning throws InputError when the topology is not one that could exist. */
export function ovnCni(): ControlPlane<OvnCniCluster> {
  return {
    name: 'ovn-cni',
    promises: ovnCniPromises,
    plan(cluster, before) {
      refuseLinks(cluster, 'ovn_cni');
      refuseUnplayed(cluster, 'ovn-cni');
      checkTopology(cluster);
      const ofportOf = numberPorts(cluster, before);
      return {
        nodes: cluster.nodes.map((node) => planNode(node, cluster, ofportOf)),
        northbound: northboundOf(cluster, ofportOf),
      };
    },
  };
}

type OfportOf = (node: string, port: string) => number;

/** Ports keep the numbers that they have had, and new ones get higher ones. */
function numberPorts(cluster: OvnCniCluster, before: ClusterPlan | undefined): OfportOf {
  const numbers = new Map<string, ReadonlyMap<string, number>>();
  for (const node of cluster.nodes) {
    const had = new Map(
      (before?.nodes.find((one) => one.node === node.name)?.bridges ?? [])
        .filter(({ name }) => name === integrationBridge)
        .flatMap(({ ports }) => ports)
        .flatMap(({ kind, name, ofport }) => (kind === 'endpoint' ? [[name, ofport]] : [])),
    );
    let last = Math.max(0, ...had.values());
    for (const { attachment } of attachmentsOn(node, cluster)) {
      const port = hostInterfaceOf(attachment);
      if (!had.has(port)) had.set(port, ++last);
    }
    numbers.set(node.name, had);
  }
  return (node, port) => {
    const number = numbers.get(node)?.get(port);
    assert(number !== undefined, `port ${port} of node ${node} has a number`);
    return number;
  };
}

function northboundOf(cluster: OvnCniCluster, ofportOf: OfportOf): NorthboundPlan {
  return {
    zones: [
      {
        name: 'global',
        chassis: cluster.nodes.map((node) => chassisOf(node, cluster)),
        rows: [northdChoices],
        programs: programCalls(cluster, ofportOf),
      },
    ],
  };
}

function chassisOf(node: Node, cluster: OvnCniCluster): ChassisPlan {
  return {
    node: node.name,
    bridge: integrationBridge,
    encapIp: node.underlay.ip,
    bindings: attachmentsOn(node, cluster).map(({ attachment }) => ({
      port: hostInterfaceOf(attachment),
      logicalPort: logicalPortOf(attachment),
    })),
  };
}

function planNode(node: Node, cluster: OvnCniCluster, ofportOf: OfportOf): NodePlan {
  const { ip, prefixLength, mac } = node.underlay;
  const attachments = attachmentsOn(node, cluster);
  return {
    node: node.name,
    bridges: [
      {
        name: integrationBridge,
        mac: macOfBridge(node.name),
        origin: 'dumped',
        ports: attachments.map(({ attachment }) => ({
          kind: 'endpoint',
          name: hostInterfaceOf(attachment),
          ofport: ofportOf(node.name, hostInterfaceOf(attachment)),
          plugged: 'by a program',
        })),
        flows: [],
      },
      {
        name: 'br-phys',
        mac,
        underlay: {
          ip,
          prefixLength,
          neighbours: cluster.nodes
            .filter((other) => other !== node)
            .map(({ underlay }) => underlay),
        },
        ports: [{ kind: 'uplink', name: 'uplink', ofport: 1, mac }],
        flows: ['priority=0,actions=NORMAL'],
      },
    ],
    hosts: [
      ...attachments.map((one) => podHost(one, node)),
      {
        name: node.name,
        kind: 'linux-node',
        interfaces: [{ name: 'eth0', port: 'br-phys', mac, ip, prefixLength }],
        routes: [],
        ...(node.listens === undefined ? {} : { listens: node.listens }),
      },
    ],
  };
}

/** The pod's stack, as the result of ADD says. */
function podHost(
  { pod, attachment }: PodAttachment,
  { podCidr, gateway }: Node,
): NodePlan['hosts'][number] {
  const { prefixLength } = parseCidr(podCidr);
  const { ifname } = attachment;
  return {
    name: pod.name,
    kind: 'pod',
    interfaces: [
      { name: ifname, port: hostInterfaceOf(attachment), mac: pod.mac, ip: pod.ip, prefixLength },
    ],
    routes: [{ destination: '0.0.0.0/0', via: gateway.ip, interface: ifname, onlink: false }],
    ...(pod.listens === undefined ? {} : { listens: pod.listens }),
  };
}
