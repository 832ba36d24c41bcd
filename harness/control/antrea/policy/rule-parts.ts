/** The addresses and ports of a rule, from its peers. */
import type { KubeObjects } from '../../../kube/objects.js';
import { selectedPods } from '../../../kube/pod-selection.js';
import type { PolicyPeer, PolicyPort } from '../../../kube/schemas/policies.js';
import type { KubePod } from '../../../kube/schemas/workloads.js';
import type { AttachedPod } from '../attached-pod.js';
import type { AgentRule, Direction, Origin } from './agent-rule.js';
import { portsAt, portMatches } from './ports.js';
import { withoutExceptions } from './blocks.js';

export interface ClusterPods {
  readonly objects: KubeObjects;
  /** By address. */
  readonly local: ReadonlyMap<string, AttachedPod>;
}

export interface LocalPod {
  readonly kubePod: KubePod;
  readonly pod: AttachedPod;
}

/** A rule of either kind of policy, as both write it. */
export interface RuleSpec {
  readonly name: string;
  readonly direction: Direction;
  readonly origin: Origin;
  readonly peers: readonly PolicyPeer[] | undefined;
  readonly ports: readonly PolicyPort[] | undefined;
}

/** Members that have the same services, in order of the first of each. */
export function groups<Member>(
  members: readonly Member[],
  servicesOf: (member: Member) => readonly string[],
): readonly { readonly members: readonly Member[]; readonly services: readonly string[] }[] {
  const found = new Map<string, { members: Member[]; services: readonly string[] }>();
  for (const member of members) {
    const services = servicesOf(member);
    const group = found.get(services.join(' ')) ?? { members: [], services };
    group.members.push(member);
    found.set(services.join(' '), group);
  }
  return [...found.values()];
}

export function addressOf({ status }: KubePod): string {
  return status.podIP ?? '';
}

export function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

export function partsOf(
  { name, direction, origin, peers, ports }: RuleSpec,
  subjects: readonly LocalPod[],
  namespace: string | undefined,
  { objects }: ClusterPods,
): readonly AgentRule[] {
  const everybody = peers === undefined || peers.length === 0;
  const peerPods = objects.pods.filter((pod) =>
    (peers ?? []).some(
      (peer) => peer.ipBlock === undefined && selectedPods(objects, peer, namespace).includes(pod),
    ),
  );
  const blocks = (peers ?? []).flatMap(({ ipBlock }) =>
    ipBlock === undefined ? [] : withoutExceptions(ipBlock),
  );
  const whole = {
    name,
    direction,
    origin,
    subjects: subjects.map(({ pod }) => pod),
    peers: everybody ? ('any' as const) : distinct([...peerPods.map(addressOf), ...blocks]),
  };
  if (subjects.length === 0) return [];
  if (ports === undefined || ports.length === 0) return [{ ...whole, services: 'any' }];
  const services = (pod: KubePod | undefined) => distinct(portsAt(pod, ports).flatMap(portMatches));
  if (!ports.some(({ port }) => typeof port === 'string'))
    return [{ ...whole, services: services(undefined) }];
  if (direction === 'ingress') {
    return groups(subjects, ({ kubePod }) => services(kubePod)).map(
      ({ members, services: numbers }) => ({
        ...whole,
        subjects: members.map(({ pod }) => pod),
        services: numbers,
      }),
    );
  }
  const reachable = everybody ? objects.pods.filter(({ spec }) => !spec.hostNetwork) : peerPods;
  const rest = everybody ? ('any' as const) : blocks;
  return [
    ...groups(reachable, services).map(({ members, services: numbers }) => ({
      ...whole,
      peers: members.map(addressOf),
      services: numbers,
    })),
    { ...whole, peers: rest, services: services(undefined) },
  ];
}

/**
 * A rule's parts: one for each set of numbers that its named ports have at the pods that are to be
 * reached, which are the subjects of an ingress rule and the peers of an egress rule. Blocks have
 * no names for ports.
 */
export function agentRules(
  spec: RuleSpec,
  subjects: readonly LocalPod[],
  namespace: string | undefined,
  cluster: ClusterPods,
): readonly AgentRule[] {
  const parts = partsOf(spec, subjects, namespace, cluster);
  return parts.map((part, index) =>
    parts.length === 1 ? part : { ...part, name: `${part.name}.${index}` },
  );
}
