/**
 * What OVN promises of pods on logical switches, a switch a node, with one logical router between
 * them: from ovn-architecture(7) and ovn-nb(5) alone. It knows no logical flow.
 */
import { Unsupported } from '../../base/errors/errors.js';
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import { nobodyHolds, type Intent, type PathIntent } from '../../domain/intent.js';
import type { ControlPlanePromises, Unsettled } from '../../domain/promises.js';
import type { FrameSpec } from '../../domain/test-vector.js';
import type { Topology } from '../../domain/topology.js';
import type { MovingMachine, OvnTopology } from '../../../topologies/ovn/ovn-topology.js';
import { hostWithAddress } from '../kubernetes/cluster-hosts.js';
import { tunnelPath } from './tunnel-path.js';

export const ovnPromises: ControlPlanePromises = {
  sourceSeen: (_, from) => from.ip,
  sourcesAtEndpoint: silent('Services'),
  routersBetween: (network, from, to) => {
    onlyPods(from, to);
    // OVN's routers answer with ICMP (ovn-northd(8), "Router Ingress Table: IP Input").
    return ownerOf(network, from) === ownerOf(network, to) ? [] : ['reports an expired TTL'];
  },
  pathBetween: (network, from, to) => {
    const { machine } = network as OvnTopology;
    const meant = [from, to].some(({ name }) => name === machine?.name);
    return machine !== undefined && meant ? machinePath(machine, from, to) : pathBetween(from, to);
  },
  underlayPath: () => [],
  arp: arpIntent,
  frame: frameIntent,
  interjection: silent('segments that do not belong'),
  egress: () => undefined,
  nodePort: () => undefined,
  service: silent('Services'),
  unsettled: (network, from, to) => machineUnsettled(network, from, to),
};

/** The node that the subnet of a host's address belongs to. */
function ownerOf({ nodes }: Topology, { ip, node }: ClusterHost): string {
  return nodes.find(({ podCidr }) => isIn(podCidr, ip))?.name ?? node.name;
}

/**
 * Where two chassis may have the machine at once, each gets a copy of what is for it, and nothing
 * is promised about the way; otherwise what comes goes to where its guest runs alone.
 */
function machinePath(
  machine: MovingMachine,
  from: ClusterHost,
  to: ClusterHost,
): readonly PathIntent[] | undefined {
  const guest = [from, to].find(({ name }) => name === machine.name);
  const waits = (node: string) =>
    machine.activation === 'rarp' && node !== machine.requested[0] && !isActive(machine, node);
  if (machine.boundAt.length > 1)
    return machine.boundAt
      .filter((node) => node !== guest?.node.name && waits(node))
      .map((node) => ({ node, ports: [`if-${machine.name}`], crossings: [] }));
  return pathBetween(from, to);
}

function isActive({ activeAt }: MovingMachine, node: string): boolean {
  return activeAt.includes(node);
}

/** Nothing is promised of a machine whose guest runs where its port is not, or not active yet. */
function machineUnsettled(
  { machine, nodes }: OvnTopology,
  ...[from, to]: readonly [ClusterHost, ClusterHost | undefined]
): Unsettled | undefined {
  const concerned = [from, to].some((host) => host?.name === machine?.name);
  if (machine === undefined || !concerned) return undefined;
  const at = nodes.find(({ pods }) => pods.some(({ name }) => name === machine.name))?.name ?? '';
  if (!machine.boundAt.includes(at))
    return { why: `the guest runs on ${at}, and its port is not bound there`, sources: [] };
  const waits =
    machine.activation === 'rarp' && machine.requested[0] !== at && !isActive(machine, at);
  return waits
    ? { why: `the guest runs on ${at}, and its port is not active there`, sources: [] }
    : undefined;
}

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
      if (payload.etherType === rarp) return { kind: 'denied', why: 'no host takes RARP' };
      break;
    case 'neighbour-advertisement':
      break;
  }
  return silent('frames that bypass the stack and claim nothing wrong')();
}

/**
 * Neighbours on the switch and the router's port there are answered for; who is on another switch
 * is not (ovn-nb(5), Logical_Switch_Port, "addresses").
 */
function arpIntent(network: Topology, from: ClusterHost, target: string): Intent {
  const { nodes } = network;
  onlyPods(from);
  const { podCidr, gateway, pods } = from.node;
  if (target === from.ip)
    throw new Unsupported(`nothing is promised about ARP of ${from.name} for itself`);
  const holder = [gateway, ...pods].find(({ ip }) => ip === target);
  if (holder !== undefined) return { kind: 'resolves', ip: target, mac: holder.mac };
  const elsewhere = nodes.find((node) => isIn(node.podCidr, target) && node.podCidr !== podCidr);
  if (elsewhere === undefined || hostWithAddress(network, target) === undefined)
    return { kind: 'denied', ...nobodyHolds(target) };
  return {
    kind: 'denied',
    why: `${target} is on the switch of ${elsewhere.name}, and ARP does not cross the router`,
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
const rarp = 0x8035;
