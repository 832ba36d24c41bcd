import {
  cidrContains,
  formatIpv4,
  ipv4Number,
  parseCidr,
  prefixMask,
} from '../../base/addresses/mac-and-ipv4.js';
import { InputError } from '../../base/errors/errors.js';
import { sha256 } from '../../base/files/digest.js';
import { oncePer } from '../../base/once-per.js';
import { servicePortsOf, type ServicePort } from '../../kube/services/service-endpoints.js';
import type { AntreaNetwork, TrafficMode } from '../../../topologies/antrea/antrea-topology.js';
import type { Allocation, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { UnderlayPlan } from '../../domain/plan/bridge-plan.js';
import type { Node } from '../../domain/topology.js';
import { allocate, type Numbers } from '../allocate.js';
import { identify, type IdentifiedRule } from './policy/conjunctions.js';
import { agentPolicies } from './policy/rules.js';
import { noPolicies, type Isolated } from './policy/agent-rule.js';
import type { AttachedPod } from './attached-pod.js';

/**
 * The bridge of the pipeline; on a Windows node also the name of the adapter with the host's
 * address.
 */
export const integrationBridge = 'br-int';

/**
 * OpenFlow port numbers on it: the tunnel first, then the gateway, then the adapter that a Windows
 * node gives to it, then pods as they came.
 */
export const tunnelPort = { name: 'antrea-tun0', ofport: 1 } as const;
export const gatewayPort = { name: 'antrea-gw0', ofport: 2 } as const;
export const uplinkPort = { name: 'Ethernet0', ofport: 3 } as const;
const firstPodOfport = { linux: 3, windows: 4 } as const;

/** Destination MAC of all traffic in tunnels; the seed's "Terminology". */
export const globalVirtualMac = 'aa:bb:cc:dd:ee:ff';

/** The cluster as the agent of one node sees it: all that its flows depend on. */
export interface NodeView {
  readonly node: Node;
  readonly pods: readonly AttachedPod[];
  readonly mode: TrafficMode;
  readonly peers: readonly Peer[];
  readonly serviceCidr: string;
  readonly rules: readonly IdentifiedRule[];
  readonly isolated: Isolated;
  readonly allocation: Allocation;
  readonly services: readonly ServicePort[];
  /** What it hands over what is for other networks of nodes; missing where there is none. */
  readonly router?: { readonly ip: string; readonly mac: string };
}

/**
 * Every other node, and how its pods are reached: through a tunnel, by its own address as the next
 * hop, or as the network between knows.
 */
export interface Peer extends Node {
  readonly reach: 'tunnel' | 'direct' | 'routed';
}

/**
 * @param before what the node holds already, where it is not new. @throws InputError when two pods
 *   of the node would get the same interface name.
 */
export function viewFrom(
  node: Node,
  { nodes, serviceCidr, mode, objects, routers = [] }: AntreaNetwork,
  before?: NodePlan,
): NodeView {
  const names = node.pods.map((pod) => interfaceName(pod.name));
  for (const [index, name] of names.entries()) {
    const twin = node.pods[names.indexOf(name)];
    const pod = node.pods[index];
    if (twin !== pod)
      throw new InputError(
        `pods "${twin?.name}" and "${pod?.name}" on "${node.name}" would share the interface ` +
          `name ${name}; rename one of them`,
      );
  }
  const ofports = allocate(names, endpointsOf(before), firstPodOfport[node.os ?? 'linux']);
  const pods = node.pods.map(
    (pod, index): AttachedPod => ({ ...pod, port: portCalled(names[index] ?? '', ofports) }),
  );
  const { rules, isolated } = objects === undefined ? noPolicies : agentPolicies(objects, pods);
  const known = before?.allocation ?? emptyAllocation;
  const identified = identify(rules, known);
  const ids = Object.fromEntries(identified.map(({ rule, id }) => [rule.name, id]));
  const services = objects === undefined ? [] : servicePortsOf(objects);
  const groups = allocate(services.flatMap(groupNames), known.groups ?? {}, known.firstGroup ?? 1);
  const peers = nodes
    .filter((other) => other.name !== node.name)
    .map((peer) => asPeer(peer)[reachOf(mode, node, peer)]);
  const router = routers
    .flatMap(({ interfaces }) => interfaces)
    .find(({ ip }) => areNeighbours(node, ip));
  return {
    ...(router === undefined ? {} : { router: { ip: router.ip, mac: router.mac } }),
    node,
    pods,
    peers,
    mode,
    serviceCidr,
    rules: identified,
    isolated,
    services,
    allocation: { ...known, ids, groups },
  };
}

/** The same objects for all nodes: of a thousand nodes, each is the peer of 999. */
const asPeer = oncePer(
  (node: Node): Readonly<Record<Peer['reach'], Peer>> => ({
    tunnel: { ...node, reach: 'tunnel' },
    direct: { ...node, reach: 'direct' },
    routed: { ...node, reach: 'routed' },
  }),
);

/** Antrea ("trafficEncapMode"): in hybrid mode nodes that are neighbours do without a tunnel. */
function reachOf(mode: TrafficMode, node: Node, peer: Node): Peer['reach'] {
  if (mode === 'encap') return 'tunnel';
  return areNeighbours(node, peer.underlay.ip) ? 'direct' : mode === 'hybrid' ? 'tunnel' : 'routed';
}

function areNeighbours({ underlay }: Node, ip: string): boolean {
  return cidrContains(networkOf(underlay), ipv4Number(ip));
}

const networkOf = oncePer(({ ip, prefixLength }: Node['underlay']) =>
  parseCidr(`${ip}/${prefixLength}`),
);

const asNeighbour = oncePer(({ ip, mac }: Node['underlay']) => ({ ip, mac }));

/**
 * What tunnels know of the network between nodes: neighbours, and the router by which they get to
 * peers on other networks.
 */
export function knownOfUnderlay({
  node,
  peers,
  router,
}: NodeView): Pick<UnderlayPlan, 'neighbours' | 'routes'> {
  const isNear = ({ underlay }: Peer) => areNeighbours(node, underlay.ip);
  const far = peers.filter((peer) => !isNear(peer));
  const neighbours = peers.filter(isNear).map(({ underlay }) => asNeighbour(underlay));
  if (router === undefined || far.length === 0) return { neighbours };
  const networks = new Set(
    far.map(
      ({ underlay: { ip, prefixLength } }) =>
        `${formatIpv4((ipv4Number(ip) & prefixMask(prefixLength)) >>> 0)}/${prefixLength}`,
    ),
  );
  return {
    neighbours: [...neighbours, router],
    routes: [...networks].map((destination) => ({ destination, gateway: router.ip })),
  };
}

/**
 * Antrea keeps a group for a port of a Service by its name and protocol, whatever its number
 * (pkg/agent/proxy/types/groupcounter.go).
 */
export function groupName({ name, protocol }: Pick<ServicePort, 'name' | 'protocol'>): string {
  return `${name} ${protocol}`;
}

/** Of a Service whose internal traffic stays on the node: the group of endpoints there. */
export function localGroupName(service: Pick<ServicePort, 'name' | 'protocol'>): string {
  return `${groupName(service)} local`;
}

function groupNames(service: ServicePort): readonly string[] {
  if (service.internalTraffic === 'Cluster') return [groupName(service)];
  return [
    localGroupName(service),
    ...(service.loadBalancerIps.length > 0 ? [groupName(service)] : []),
  ];
}

const emptyAllocation: Allocation = { round: 0, ids: {}, firstId: 1 };

function portCalled(name: string, ofports: Numbers): AttachedPod['port'] {
  return { name, ofport: ofports[name] ?? 0 };
}

/** The numbers that pods' ports have. */
function endpointsOf(before: NodePlan | undefined): Numbers {
  const ports =
    before?.bridges.flatMap((bridge) => bridge.ports.filter(({ kind }) => kind === 'endpoint')) ??
    [];
  return Object.fromEntries(ports.map(({ name, ofport }) => [name, ofport]));
}

/**
 * `coredns5-8ec607`, as Antrea names a pod's interface: up to eight letters and digits of the pod's
 * name and six hexadecimal digits of a hash of all of it; at most 15 characters, which is what
 * Linux allows.
 */
function interfaceName(pod: string): string {
  return `${pod.replaceAll(/[^a-z0-9]/g, '').slice(0, 8)}-${sha256(pod).slice(0, 6)}`;
}
