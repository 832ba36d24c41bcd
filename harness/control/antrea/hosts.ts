import { parseCidr } from '../../base/address.js';
import type { HostPlan } from '../../nouns/plan.js';
import { gatewayPort, type AttachedPod, type NodeView } from './node-view.js';

/** The network stacks of a node: its pods' and its own. */
export function hosts(view: NodeView): readonly HostPlan[] {
  return [...view.pods.map((pod) => podHost(pod, view)), nodeHost(view)];
}

function podHost(pod: AttachedPod, { node }: NodeView): HostPlan {
  const { prefixLength } = parseCidr(node.podCidr);
  return {
    name: pod.name,
    kind: 'pod',
    interfaces: [{ name: 'eth0', port: pod.port.name, mac: pod.mac, ip: pod.ip, prefixLength }],
    routes: [{ destination: '0.0.0.0/0', via: node.gateway.ip, interface: 'eth0', onlink: false }],
    ...(pod.listens === undefined ? {} : { listens: pod.listens }),
  };
}

/**
 * The node's own stack. Its route to a peer's pods, `10.10.1.0/24 via 10.10.1.1 dev antrea-gw0 onlink`, is the seed's
 * section "ARPResponderTable": table 20 answers for a gateway that is at the other end of a tunnel.
 */
function nodeHost({ node, peers }: NodeView): HostPlan {
  const { prefixLength } = parseCidr(node.podCidr);
  return {
    name: node.name,
    kind: 'linux-node',
    interfaces: [
      { name: gatewayPort.name, port: gatewayPort.name, mac: node.gateway.mac, ip: node.gateway.ip, prefixLength },
      { name: 'eth0', port: 'br-phys', mac: node.underlay.mac, ip: node.underlay.ip, prefixLength: node.underlay.prefixLength },
    ],
    routes: peers.map((peer) => ({ destination: peer.podCidr, via: peer.gateway.ip, interface: gatewayPort.name, onlink: true })),
    ...(node.listens === undefined ? {} : { listens: node.listens }),
  };
}
