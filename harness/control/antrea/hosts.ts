import {
  formatIpv4,
  ipv4Number,
  parseCidr,
  prefixMask,
} from '../../base/addresses/mac-and-ipv4.js';
import { oncePer } from '../../base/once-per.js';
import type { HostPlan, RoutePlan } from '../../domain/plan/host-plan.js';
import type { NatPlan } from '../../domain/plan/nat-plan.js';
import { kubeProxyRules } from '../kube-proxy.js';
import { gatewayPort, type NodeView, type Peer } from './node-view.js';
import { type AttachedPod } from './attached-pod.js';

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
 * The node's own stack. Its route to a peer's pods, `10.10.1.0/24 via 10.10.1.1 dev antrea-gw0
 * onlink`, is the seed's section "ARPResponderTable": table 20 answers for a gateway that is at the
 * other end of a tunnel. It forwards what pods send elsewhere, and never sends redirects (Antrea
 * turns send_redirects off).
 */
function nodeHost(view: NodeView): HostPlan {
  const { node, peers } = view;
  const { prefixLength } = parseCidr(node.podCidr);
  return {
    name: node.name,
    kind: 'linux-node',
    interfaces: [
      {
        name: gatewayPort.name,
        port: gatewayPort.name,
        mac: node.gateway.mac,
        ip: node.gateway.ip,
        prefixLength,
      },
      {
        name: 'eth0',
        port: 'br-phys',
        mac: node.underlay.mac,
        ip: node.underlay.ip,
        prefixLength: node.underlay.prefixLength,
      },
      ...(node.adapters ?? []),
    ],
    routes: [...peers.flatMap(routeTo), ...defaultRoute(view, 'eth0')],
    ...(node.listens === undefined ? {} : { listens: node.listens }),
    forwarding: translation(view),
  };
}

/**
 * By the router of the network between nodes, or the last address there, where one would be; no
 * route where one of the nodes is.
 */
export function defaultRoute(
  { node, peers, router: known }: NodeView,
  name: string,
): readonly RoutePlan[] {
  const { ip, prefixLength } = node.underlay;
  if (known !== undefined)
    return [{ destination: '0.0.0.0/0', via: known.ip, interface: name, onlink: false }];
  const router = formatIpv4(((ipv4Number(ip) | ~prefixMask(prefixLength)) >>> 0) - 1);
  return [node, ...peers].some(({ underlay }) => underlay.ip === router)
    ? []
    : [{ destination: '0.0.0.0/0', via: router, interface: name, onlink: false }];
}

/**
 * kube-proxy for what goes to Services, and Antrea's rule for pods that leave the cluster:
 * "masquerade pod to external packets" (pkg/agent/route of 0.8 and 1.3).
 */
function translation({ node, peers, services }: NodeView): NatPlan {
  const podCidrs = [node, ...peers].map(({ podCidr }) => podCidr);
  return {
    destinations: kubeProxyRules(services, podCidrs, node),
    sources: [{ from: [node.podCidr], except: podCidrs }],
  };
}

/**
 * To pods of a neighbour by its own address, where nothing is tunnelled (Antrea, "noEncap"); what
 * is beyond a router, that router knows.
 */
const routeTo = oncePer(({ podCidr, gateway, underlay, reach }: Peer): readonly RoutePlan[] => {
  switch (reach) {
    case 'tunnel':
      return [{ destination: podCidr, via: gateway.ip, interface: gatewayPort.name, onlink: true }];
    case 'direct':
      return [{ destination: podCidr, via: underlay.ip, interface: 'eth0', onlink: false }];
    case 'routed':
      return [];
  }
});
