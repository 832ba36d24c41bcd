import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { Node } from '../../domain/topology.js';
import { podHost } from '../pod-host.js';
import type { OvnTopology } from '../../../topologies/ovn/ovn-topology.js';
import { machineHosts, stayingPods } from './moving-machine.js';
import { interfaceOf } from './names.js';

/** The network stacks of a node: its pods', whose gateway is the logical router, and its own. */
export function hosts(node: Node, network: OvnTopology): readonly HostPlan[] {
  const { ip, prefixLength, mac } = node.underlay;
  return [
    ...stayingPods(network, node).map((pod) => podHost(pod, node, interfaceOf(pod))),
    ...machineHosts(network, node),
    {
      name: node.name,
      kind: 'linux-node',
      interfaces: [{ name: 'eth0', port: 'br-phys', mac, ip, prefixLength }],
      routes: [],
      ...(node.listens === undefined ? {} : { listens: node.listens }),
    },
  ];
}
