/** The network stack of a pod behind a gateway. */
import { parseCidr } from '../base/addresses/mac-and-ipv4.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import type { Node, Pod } from '../domain/topology.js';

/** @param port the switch port at the other end of its `eth0`. */
export function podHost(pod: Pod, { podCidr, gateway }: Node, port: string): HostPlan {
  const { prefixLength } = parseCidr(podCidr);
  return {
    name: pod.name,
    kind: 'pod',
    interfaces: [{ name: 'eth0', port, mac: pod.mac, ip: pod.ip, prefixLength }],
    routes: [{ destination: '0.0.0.0/0', via: gateway.ip, interface: 'eth0', onlink: false }],
    ...(pod.listens === undefined ? {} : { listens: pod.listens }),
  };
}
