/**
 * The way between two hosts of pods' subnets, from the mode, the systems of their nodes and the
 * networks alone: who is seen as the sender, how many routers there are, and what crosses which
 * port of a node. Ports have the names that the seeds give them.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { Crossing, PathIntent } from '../../domain/intent.js';
import type { RouterOnPath } from '../../domain/promises.js';
import type { Node } from '../../domain/topology.js';
import type { AntreaTopology } from '../../../topologies/antrea/antrea-topology.js';
import type { ClusterHost } from '../../domain/cluster-host.js';

/**
 * How packets get from one node to another: inside a tunnel, or as they are, to the other node's
 * own address or to a router.
 */
export type NodePath = 'tunnel' | 'direct' | 'routed';

/**
 * Pods within a network reach each other without a tunnel in noEncap and hybrid mode; across
 * networks hybrid mode has tunnels, and noEncap mode needs a router that knows the way.
 */
export function nodePathBetween({ mode }: AntreaTopology, one: Node, other: Node): NodePath {
  if (mode === 'encap') return 'tunnel';
  const isNeighbour = cidrContains(
    parseCidr(`${one.underlay.ip}/${one.underlay.prefixLength}`),
    ipv4Number(other.underlay.ip),
  );
  if (isNeighbour) return 'direct';
  return mode === 'noEncap' ? 'routed' : 'tunnel';
}

/**
 * Nothing is translated between pods. A node speaks from its gateway's address, where the gateway
 * is its way, and from its own, where the network between nodes is.
 */
export function sourceSeen(topology: AntreaTopology, from: ClusterHost, to: ClusterHost): string {
  return from.kind === 'node' &&
    from.node !== to.node &&
    nodePathBetween(topology, from.node, to.node) !== 'tunnel'
    ? from.node.underlay.ip
    : from.ip;
}

/**
 * Each of which takes one off the TTL. In tunnels: the sending node, and for a pod the receiving
 * one. Without: on Linux the node's own stack routes what a pod sends and what it gets; on Windows
 * the switch hands what a pod sends to the neighbour without routing it, and routes what it gets
 * (the Windows design's flows have no dec_ttl). A Linux stack reports a TTL that has expired; the
 * pipeline gives such a packet to its controller (dec_ttl), which says nothing.
 */
export function routersBetween(
  topology: AntreaTopology,
  from: ClusterHost,
  to: ClusterHost,
): readonly RouterOnPath[] {
  if (from.node === to.node) return [];
  const isTunnel = nodePathBetween(topology, from.node, to.node) === 'tunnel';
  const routerOf = ({ os }: Node): RouterOnPath =>
    isTunnel || os === 'windows' ? 'drops an expired TTL' : 'reports an expired TTL';
  const isSending = isTunnel || (from.kind === 'pod' && from.node.os !== 'windows');
  return [
    ...(isSending ? [routerOf(from.node)] : []),
    ...(to.kind === 'pod' ? [routerOf(to.node)] : []),
  ];
}

/** The way through both nodes, there and back; undefined where nobody says anything about it. */
export function pathBetween(
  topology: AntreaTopology,
  from: ClusterHost,
  to: ClusterHost,
): readonly PathIntent[] | undefined {
  if (from.node === to.node)
    return from.kind === 'pod' && to.kind === 'pod'
      ? [{ node: from.node.name, ports: portsOf(from.node), crossings: [] }]
      : undefined;
  const passage = nodePathBetween(topology, from.node, to.node);
  if (passage === 'routed') return undefined;
  const [request, answer] = [
    { src: sourceSeen(topology, from, to), dst: to.ip },
    { src: to.ip, dst: sourceSeen(topology, from, to) },
  ];
  const through = (node: Node, crossings: readonly Crossing[]): PathIntent => ({
    node: node.name,
    ports: portsOf(node),
    crossings,
  });
  return [
    through(from.node, [
      ...egressCrossings(from, to.node, passage, request),
      ...reversedCrossings(egressCrossings(from, to.node, passage, request)),
    ]),
    through(to.node, [
      ...reversedCrossings(egressCrossings(to, from.node, passage, answer, 'as it came')),
      ...egressCrossings(to, from.node, passage, answer),
    ]),
  ];
}

interface Addresses {
  readonly src: string;
  readonly dst: string;
}

/**
 * Out of a node, from a pod's port or the node's own stack to the network between nodes. What comes
 * in for a Windows node's gateway without a tunnel goes through the pipeline, because its address
 * is one of the pods' subnet; its answers go past it, by the route to the peer.
 */
function egressCrossings(
  from: ClusterHost,
  peer: Node,
  passage: NodePath,
  packet: Addresses,
  as: 'it goes' | 'as it came' = 'it goes',
): readonly Crossing[] {
  const { node } = from;
  const at = (
    direction: Crossing['direction'],
    port: string,
    addresses: Addresses = packet,
  ): Crossing => ({ direction, port, ...addresses });
  const { bridge, uplink } = portNamesOn(node);
  if (passage === 'tunnel')
    return [
      ...(from.kind === 'node' ? [at('in', gatewayName)] : []),
      at('out', uplink, { src: node.underlay.ip, dst: peer.underlay.ip }),
    ];
  if (from.kind === 'pod')
    return node.os === 'windows'
      ? [at('out', uplink)]
      : [at('out', gatewayName), at('in', bridge), at('out', uplink)];
  if (as === 'as it came' && node.os === 'windows')
    return [at('in', gatewayName), at('out', uplink)];
  return [at('in', bridge), at('out', uplink)];
}

/** The same way in the other direction. */
export function reversedCrossings(crossings: readonly Crossing[]): readonly Crossing[] {
  return crossings.toReversed().map(({ direction, port, src, dst }) => ({
    direction: direction === 'in' ? 'out' : 'in',
    port,
    src: dst,
    dst: src,
  }));
}

/** The node's port in its pods' subnet. */
export const gatewayName = 'antrea-gw0';

/**
 * A Windows node has one bridge, with the host behind it and the adapter in it; on Linux the
 * network card is a switch of its own.
 */
export function portNamesOn({ os }: Pick<Node, 'os'>): {
  readonly bridge: string;
  readonly uplink: string;
} {
  return os === 'windows'
    ? { bridge: 'br-int', uplink: 'Ethernet0' }
    : { bridge: 'br-phys', uplink: 'uplink' };
}

function portsOf(node: Node): readonly string[] {
  const { bridge, uplink } = portNamesOn(node);
  return [gatewayName, bridge, uplink];
}
