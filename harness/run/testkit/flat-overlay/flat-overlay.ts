/**
 * A control plane for tests, and nobody's: pods of all nodes are on one Ethernet, by a learning
 * switch a node and a VXLAN tunnel to the other node. It shows what a system has to bring along: a
 * plan, and its promises.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import { formatIpv4, ipv4Number } from '../../../base/addresses/mac-and-ipv4.js';
import type { ClusterHost } from '../../../domain/cluster-host.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../../domain/plan/control-plane.js';
import type { HostPlan } from '../../../domain/plan/host-plan.js';
import type { ControlPlanePromises } from '../../../domain/promises.js';
import { checkTopology } from '../../../domain/topology-check.js';
import type { Node, Topology } from '../../../domain/topology.js';

/** What only this system has to know of a network. */
export interface FlatOverlayTopology extends Topology {
  readonly vni: number;
}

export const flatOverlay: ControlPlane<FlatOverlayTopology> = {
  name: 'flat-overlay',
  get promises() {
    return promises;
  },
  plan(topology) {
    checkTopology(topology);
    return { nodes: topology.nodes.map((node) => planNode(node, topology)) };
  },
};

function planNode(node: Node, { nodes, vni }: FlatOverlayTopology): NodePlan {
  const { ip, prefixLength, mac } = node.underlay;
  const peers = nodes.filter((other) => other !== node);
  return {
    node: node.name,
    bridges: [
      {
        name: 'br-flat',
        mac: node.gateway.mac,
        ports: [
          ...peers.map((peer, index) => ({
            kind: 'tunnel' as const,
            name: `to-${peer.name}`,
            ofport: 100 + index,
            tunnel: 'vxlan' as const,
            options: { remote_ip: peer.underlay.ip, key: String(vni) },
          })),
          ...node.pods.map(({ name }, index) => ({
            kind: 'endpoint' as const,
            name: `port-${name}`,
            ofport: index + 1,
          })),
        ],
        flows: ['priority=0,actions=NORMAL'],
      },
      {
        name: 'br-wire',
        mac,
        underlay: { ip, prefixLength, neighbours: peers.map(({ underlay }) => underlay) },
        ports: [{ kind: 'uplink', name: 'wire', ofport: 1, mac }],
        flows: ['priority=0,actions=NORMAL'],
      },
    ],
    hosts: [
      ...node.pods.map(
        (pod): HostPlan => ({
          name: pod.name,
          kind: 'pod',
          interfaces: [
            { name: 'eth0', port: `port-${pod.name}`, mac: pod.mac, ip: pod.ip, prefixLength: 16 },
          ],
          routes: [],
        }),
      ),
      {
        name: node.name,
        kind: 'linux-node',
        interfaces: [{ name: 'eth0', port: 'br-wire', mac, ip, prefixLength }],
        routes: [],
      },
    ],
  };
}

const silent = (what: string) => (): never => {
  throw new Unsupported(`nothing is promised about ${what} on a flat overlay`);
};

const promises: ControlPlanePromises<FlatOverlayTopology> = {
  sourceSeen: (_, from) => from.ip,
  sourcesAtEndpoint: silent('Services'),
  routersBetween: (_, from, to) => (bothPods(from, to) ? [] : silent('nodes')()),
  pathBetween: () => undefined,
  underlayPath: () => [],
  arp(network, from, target) {
    const holder = network.nodes
      .flatMap(({ pods }) => pods)
      .find(({ ip }) => ip === formatIpv4(ipv4Number(target)));
    return holder === undefined || holder.name === from.name
      ? { kind: 'denied', why: `no other pod holds ${target}` }
      : { kind: 'resolves', ip: target, mac: holder.mac };
  },
  frame: silent('frames that bypass the stack'),
  interjection: silent('segments that do not belong'),
  egress: () => undefined,
  nodePort: () => undefined,
  service: silent('Services'),
};

function bothPods(...hosts: readonly ClusterHost[]): boolean {
  return hosts.every(({ kind }) => kind === 'pod');
}
