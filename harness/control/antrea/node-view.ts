import { InputError } from '../../base/errors.js';
import { sha256 } from '../../base/digest.js';
import type { Network } from '../../kube/objects.js';
import type { Node, Pod } from '../../nouns/topology.js';
import { agentPolicies, noPolicies, type AgentPolicies } from './policy/rules.js';

/** OpenFlow port numbers on br-int: the tunnel first, then the gateway, then pods in the topology's order. */
export const tunnelPort = { name: 'antrea-tun0', ofport: 1 } as const;
export const gatewayPort = { name: 'antrea-gw0', ofport: 2 } as const;
const firstPodOfport = 3;

/** Destination MAC of all traffic in tunnels; the seed's "Terminology". */
export const globalVirtualMac = 'aa:bb:cc:dd:ee:ff';

/** The cluster as the agent of one node sees it: all that its flows depend on. */
export interface NodeView {
  readonly node: Node;
  readonly pods: readonly AttachedPod[];
  /** Every other node: the ends of its tunnels. */
  readonly peers: readonly Node[];
  readonly serviceCidr: string;
  readonly policies: AgentPolicies;
}

export interface AttachedPod extends Pod {
  readonly port: { readonly name: string; readonly ofport: number };
}

/** @throws InputError when two pods of the node would get the same interface name. */
export function viewFrom(node: Node, { nodes, serviceCidr, objects }: Network): NodeView {
  const pods = node.pods.map((pod, index) => ({ ...pod, port: { name: interfaceName(pod.name), ofport: firstPodOfport + index } }));
  for (const [index, pod] of pods.entries()) {
    const twin = pods.slice(0, index).find((earlier) => earlier.port.name === pod.port.name);
    if (twin !== undefined) throw new InputError(`pods "${twin.name}" and "${pod.name}" on "${node.name}" would share the interface name ${pod.port.name}; rename one of them`);
  }
  const policies = objects === undefined ? noPolicies : agentPolicies(objects, pods);
  return { node, pods, peers: nodes.filter((other) => other.name !== node.name), serviceCidr, policies };
}

/**
 * `coredns5-8ec607`, as Antrea names a pod's interface: up to eight letters and digits of the pod's name and six
 * hexadecimal digits of a hash of all of it; at most 15 characters, which is what Linux allows.
 */
function interfaceName(pod: string): string {
  return `${pod.replaceAll(/[^a-z0-9]/g, '').slice(0, 8)}-${sha256(pod).slice(0, 6)}`;
}
