import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { Node, Pod } from '../../domain/topology.js';
import { interfaceOf } from './names.js';

/** The network stacks of a node: its pods', whose gateway is the logical router, and its own. */
export function hosts(node: Node): readonly HostPlan[] {
  const { ip, prefixLength, mac } = node.underlay;
  return [
    ...node.pods.map((pod) => podHost(pod, node)),
    {
      name: node.name,
      kind: 'linux-node',
      interfaces: [{ name: 'eth0', port: 'br-phys', mac, ip, prefixLength }],
      routes: [],
      ...(node.listens === undefined ? {} : { listens: node.listens }),
    },
  ];
}

function podHost(pod: Pod, { podCidr, gateway }: Node): HostPlan {
  const { prefixLength } = parseCidr(podCidr);
  return {
    name: pod.name,
    kind: 'pod',
    interfaces: [{ name: 'eth0', port: interfaceOf(pod), mac: pod.mac, ip: pod.ip, prefixLength }],
    routes: [{ destination: '0.0.0.0/0', via: gateway.ip, interface: 'eth0', onlink: false }],
    ...(pod.listens === undefined ? {} : { listens: pod.listens }),
  };
}
