import type { Node, Topology } from '../domain/topology.js';
import type { FrameSpec, TestVector } from '../domain/test-vector.js';
import { firstPods, freeAddress, strangerMac, subnetBroadcast } from './targets.js';

const broadcastMac = 'ff:ff:ff:ff:ff:ff';
const nobodyMac = '00:00:00:00:00:00';

/**
 * IP with an address or a MAC that is not the pod's, to its gateway: `spoof-ip/p1`, `spoof-mac/p1`.
 */
export function spoofedIp(topology: Topology): readonly TestVector[] {
  return firstPods(topology).flatMap(({ pod, node }) => [
    frame(
      `spoof-ip/${pod.name}`,
      pod.name,
      `UDP to the gateway from ${freeAddress(node)}, an address that is not its own`,
      udp({ ...pod, ip: freeAddress(node) }, node.gateway),
    ),
    frame(
      `spoof-mac/${pod.name}`,
      pod.name,
      `UDP to the gateway from ${strangerMac}, a MAC that is not its own`,
      udp({ ...pod, mac: strangerMac }, node.gateway),
    ),
  ]);
}

/**
 * ARP requests that advertise an address or a MAC that is not the sender's, by a pod for its
 * gateway and by a node for its first pod: `spoof-arp-ip/p1`, `spoof-arp-mac/n1`.
 */
export function spoofedArp(topology: Topology): readonly TestVector[] {
  return firstPods(topology).flatMap(({ pod, node }) => {
    const gateway = { name: node.name, ...node.gateway };
    return [[pod, gateway] as const, [gateway, pod] as const].flatMap(([from, to]) => [
      frame(
        `spoof-arp-ip/${from.name}`,
        from.name,
        `ARP request that claims ${freeAddress(node)}`,
        arpRequest(from.mac, freeAddress(node), from.mac, to.ip),
      ),
      frame(
        `spoof-arp-mac/${from.name}`,
        from.name,
        `ARP request that claims ${strangerMac}`,
        arpRequest(from.mac, from.ip, strangerMac, to.ip),
      ),
    ]);
  });
}

/**
 * Destinations that do not exist: an address in the pod's own subnet and in a peer's, by the pod's
 * stack, and a MAC, past it: `unknown/p1/own-subnet`, `unknown/p1/peer-subnet`, `unknown/p1/mac`.
 */
export function unknownDestinations(topology: Topology): readonly TestVector[] {
  return firstPods(topology).flatMap(({ pod, node }) => {
    const peer = topology.nodes.find((other) => other !== node);
    const ping = (where: string, target: Node): TestVector => ({
      id: `unknown/${pod.name}/${where}`,
      stimulus: { kind: 'ping', from: pod.name, to: freeAddress(target) },
    });
    return [
      ping('own-subnet', node),
      ...(peer === undefined ? [] : [ping('peer-subnet', peer)]),
      frame(
        `unknown/${pod.name}/mac`,
        pod.name,
        `UDP to ${strangerMac}, which nobody has`,
        udp(pod, { ip: node.gateway.ip, mac: strangerMac }),
      ),
    ];
  });
}

/**
 * Frames for everybody or in no known protocol: `broadcast/p1` (IP), `non-ip/p1` (EtherType 0x88b5,
 * IEEE 802 "local experimental").
 */
export function notForwarded(topology: Topology): readonly TestVector[] {
  return firstPods(topology).flatMap(({ pod, node }) => [
    frame(
      `broadcast/${pod.name}`,
      pod.name,
      'UDP to the broadcast address of its subnet',
      udp(pod, { ip: subnetBroadcast(node), mac: broadcastMac }),
    ),
    frame(`non-ip/${pod.name}`, pod.name, 'EtherType 0x88b5 to the gateway', {
      src: pod.mac,
      dst: node.gateway.mac,
      payload: { kind: 'other', etherType: 0x88b5, hex: '00'.repeat(46) },
    }),
  ]);
}

interface Addresses {
  readonly ip: string;
  readonly mac: string;
}

function frame(id: string, from: string, what: string, spec: FrameSpec): TestVector {
  return { id, stimulus: { kind: 'frame', from, what, frame: spec } };
}

function udp(from: Addresses, to: Addresses): FrameSpec {
  return {
    src: from.mac,
    dst: to.mac,
    payload: { kind: 'udp', src: from.ip, dst: to.ip, ttl: 64, srcPort: 49152, dstPort: 7 },
  };
}

function arpRequest(src: string, spa: string, sha: string, tpa: string): FrameSpec {
  return {
    src,
    dst: broadcastMac,
    payload: { kind: 'arp', op: 'request', sha, spa, tha: nobodyMac, tpa },
  };
}
