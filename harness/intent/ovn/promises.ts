/**
 * What OVN promises of pods on logical switches, a switch a node, with one logical router between
 * them: from ovn-architecture(7) and ovn-nb(5) alone. It knows no logical flow.
 */
import { Unsupported } from '../../base/errors/errors.js';
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import type { Intent, PathIntent } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { FrameSpec } from '../../domain/test-vector.js';
import type { Topology } from '../../domain/topology.js';
import { tunnelPath } from './tunnel-path.js';

export const ovnPromises: ControlPlanePromises = {
  sourceSeen: (_, from) => from.ip,
  sourcesAtEndpoint: silent('Services'),
  routersBetween: (_, from, to) => {
    onlyPods(from, to);
    return from.node === to.node ? 0 : 1;
  },
  pathBetween: (_, from, to) => pathBetween(from, to),
  underlayPath: () => [],
  arp: arpIntent,
  frame: frameIntent,
  interjection: silent('segments that do not belong'),
  egress: () => undefined,
  nodePort: () => undefined,
  service: silent('Services'),
};

function silent(what: string): () => never {
  return () => {
    throw new Unsupported(`nothing is promised about ${what} where OVN has switches and a router`);
  };
}

/** Nodes have no port on a logical switch. */
function onlyPods(...ends: readonly ClusterHost[]): void {
  if (ends.some(({ kind }) => kind !== 'pod')) silent('nodes')();
}

/**
 * A pod sends from its own addresses alone (ovn-nb(5), Logical_Switch_Port, "port_security"): what
 * claims others gets no further than its port.
 */
function frameIntent(_: Topology, from: ClusterHost, { src, payload }: FrameSpec): Intent {
  onlyPods(from);
  const blocked = (why: string): Intent => ({ kind: 'blocked', why: `port security: ${why}` });
  if (src.toLowerCase() !== from.mac.toLowerCase()) return blocked(`${src} is not its MAC`);
  switch (payload.kind) {
    case 'udp':
    case 'tcp':
    case 'echo-request':
      if (payload.src !== from.ip) return blocked(`${payload.src} is not its address`);
      break;
    case 'arp':
      if (payload.sha.toLowerCase() !== from.mac.toLowerCase())
        return blocked(`${payload.sha} is not its MAC`);
      if (payload.spa !== from.ip) return blocked(`${payload.spa} is not its address`);
      break;
    case 'other':
      break;
  }
  return silent('frames that bypass the stack and claim nothing wrong')();
}

/**
 * Neighbours on the switch and the router's port there are answered for; who is on another switch
 * is not (ovn-nb(5), Logical_Switch_Port, "addresses").
 */
function arpIntent({ nodes }: Topology, from: ClusterHost, target: string): Intent {
  onlyPods(from);
  const { podCidr, gateway, pods } = from.node;
  if (target === from.ip)
    throw new Unsupported(`nothing is promised about ARP of ${from.name} for itself`);
  const holder = [gateway, ...pods].find(({ ip }) => ip === target);
  if (holder !== undefined) return { kind: 'resolves', ip: target, mac: holder.mac };
  const elsewhere = nodes.find((node) => isIn(node.podCidr, target) && node.podCidr !== podCidr);
  return {
    kind: 'denied',
    why:
      elsewhere === undefined
        ? `nobody holds ${target}`
        : `${target} is on the switch of ${elsewhere.name}, and ARP does not cross the router`,
  };
}

function isIn(cidr: string, ip: string): boolean {
  return cidrContains(parseCidr(cidr), ipv4Number(ip));
}

/** By Geneve from chassis to chassis, straight; within a chassis nothing leaves it. */
function pathBetween(from: ClusterHost, to: ClusterHost): readonly PathIntent[] | undefined {
  onlyPods(from, to);
  if (from.node === to.node)
    return [{ node: from.node.name, ports: ['br-phys', uplink], crossings: [] }];
  return tunnelPath(from.node, to.node, uplink);
}

const uplink = 'uplink';
