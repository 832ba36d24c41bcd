import { InputError } from '../../base/errors.js';
import { sha256 } from '../../base/digest.js';
import { servicePortsOf, type ServicePort } from '../../kube/endpoints.js';
import type { Network } from '../../kube/objects.js';
import type { Allocation, NodePlan } from '../../nouns/plan.js';
import type { Node, Pod } from '../../nouns/topology.js';
import { allocate, type Numbers } from '../numbers.js';
import { identify, type IdentifiedRule } from './policy/conjunctions.js';
import { agentPolicies, noPolicies, type Isolated } from './policy/rules.js';

/** OpenFlow port numbers on br-int: the tunnel first, then the gateway, then pods as they came. */
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
  readonly rules: readonly IdentifiedRule[];
  readonly isolated: Isolated;
  readonly allocation: Allocation;
  readonly services: readonly ServicePort[];
}

export interface AttachedPod extends Pod {
  readonly port: { readonly name: string; readonly ofport: number };
}

/** @param before what the node holds already, where it is not new. @throws InputError when two pods of the node would get the same interface name. */
export function viewFrom(node: Node, { nodes, serviceCidr, objects }: Network, before?: NodePlan): NodeView {
  const names = node.pods.map((pod) => interfaceName(pod.name));
  for (const [index, name] of names.entries()) {
    const twin = node.pods[names.indexOf(name)];
    const pod = node.pods[index];
    if (twin !== pod) throw new InputError(`pods "${twin?.name}" and "${pod?.name}" on "${node.name}" would share the interface name ${name}; rename one of them`);
  }
  const ofports = allocate(names, endpointsOf(before), firstPodOfport);
  const pods = node.pods.map((pod, index): AttachedPod => ({ ...pod, port: portCalled(names[index] ?? '', ofports) }));
  const { rules, isolated } = objects === undefined ? noPolicies : agentPolicies(objects, pods);
  const known = before?.allocation ?? nothingGiven;
  const identified = identify(rules, known);
  const ids = Object.fromEntries(identified.map(({ rule, id }) => [rule.name, id]));
  return { node, pods, peers: nodes.filter((other) => other.name !== node.name), serviceCidr, rules: identified, isolated, services: objects === undefined ? [] : servicePortsOf(objects), allocation: { ...known, ids } };
}

const nothingGiven: Allocation = { round: 0, ids: {}, firstId: 1 };

function portCalled(name: string, ofports: Numbers): AttachedPod['port'] {
  return { name, ofport: ofports[name] ?? 0 };
}

/** The numbers that pods' ports have. */
function endpointsOf(before: NodePlan | undefined): Numbers {
  const ports = before?.bridges.flatMap((bridge) => bridge.ports.filter(({ kind }) => kind === 'endpoint')) ?? [];
  return Object.fromEntries(ports.map(({ name, ofport }) => [name, ofport]));
}

/**
 * `coredns5-8ec607`, as Antrea names a pod's interface: up to eight letters and digits of the pod's name and six
 * hexadecimal digits of a hash of all of it; at most 15 characters, which is what Linux allows.
 */
function interfaceName(pod: string): string {
  return `${pod.replaceAll(/[^a-z0-9]/g, '').slice(0, 8)}-${sha256(pod).slice(0, 6)}`;
}
