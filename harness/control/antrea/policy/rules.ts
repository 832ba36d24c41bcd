/**
 * The rules of all policies as the agent of one node realises them: pods as addresses and ports,
 * names as numbers. The seed, "Network Policy Implementation": only rules of policies that apply to
 * a pod of the node.
 */
import type {
  ClusterNetworkPolicy,
  NetworkPolicy,
  PolicyAction,
  PolicyPeer,
  PolicyPort,
} from '../../../kube/schemas/policies.js';
import type { KubeObjects } from '../../../kube/objects.js';
import { selectedPods } from '../../../kube/pod-selection.js';
import type { KubePod } from '../../../kube/schemas/workloads.js';
import type { AttachedPod } from '../attached-pod.js';
import { withoutExceptions } from './blocks.js';
import { portMatches, portsAt } from './ports.js';

export type Direction = 'ingress' | 'egress';

/**
 * One rule, or the part of one for which named ports have the same numbers. `any` leaves a
 * dimension out; an empty one can never match.
 */
export interface AgentRule {
  /**
   * Unique among all rules of the cluster, and the same for as long as its policy has the rule:
   * `NetworkPolicy shop/web ingress 0`, with the part's number where it has several.
   */
  readonly name: string;
  readonly direction: Direction;
  readonly origin: Origin;
  /** Local pods that the policy applies to. */
  readonly subjects: readonly AttachedPod[];
  /** Addresses and blocks at the other end. */
  readonly peers: 'any' | readonly string[];
  /** What flows match of protocol and port. */
  readonly services: 'any' | readonly string[];
}

export type Origin =
  | { readonly kind: 'NetworkPolicy' }
  /** `name` is unique in the cluster; `index` is the rule's place among those of its direction. */
  | {
      readonly kind: 'ClusterNetworkPolicy';
      readonly name: string;
      readonly priority: number;
      readonly index: number;
      readonly action: PolicyAction;
    };

/** Local pods that nothing reaches, or that reach nothing, but by a rule. */
export type Isolated = Readonly<Record<Direction, readonly AttachedPod[]>>;

export interface AgentPolicies {
  readonly rules: readonly AgentRule[];
  readonly isolated: Isolated;
}

export const noPolicies: AgentPolicies = { rules: [], isolated: { ingress: [], egress: [] } };

/** `pods` are those of the node; a pod of `objects` is found among them by its address. */
export function agentPolicies(objects: KubeObjects, pods: readonly AttachedPod[]): AgentPolicies {
  const cluster: ClusterPods = { objects, local: new Map(pods.map((pod) => [pod.ip, pod])) };
  const networkPolicies = objects.networkPolicies.map((policy) => ({
    policy,
    subjects: localOf(
      cluster,
      selectedPods(objects, { podSelector: policy.spec.podSelector }, policy.metadata.namespace),
    ),
  }));
  const isolatedBy = (direction: Direction) =>
    networkPolicies
      .filter(({ policy }) => directionsOf(policy.spec).includes(direction))
      .flatMap(({ subjects }) => subjects.map(({ pod }) => pod));
  return {
    rules: [
      ...networkPolicies.flatMap(({ policy, subjects }) =>
        networkPolicyRules(policy, subjects, cluster),
      ),
      ...objects.clusterNetworkPolicies.flatMap((policy) =>
        clusterNetworkPolicyRules(policy, cluster),
      ),
    ],
    isolated: {
      ingress: pods.filter((pod) => isolatedBy('ingress').includes(pod)),
      egress: pods.filter((pod) => isolatedBy('egress').includes(pod)),
    },
  };
}

interface ClusterPods {
  readonly objects: KubeObjects;
  /** By address. */
  readonly local: ReadonlyMap<string, AttachedPod>;
}

interface LocalPod {
  readonly kubePod: KubePod;
  readonly pod: AttachedPod;
}

function localOf({ local }: ClusterPods, selected: readonly KubePod[]): readonly LocalPod[] {
  return selected.flatMap((kubePod) => {
    const pod = local.get(kubePod.status.podIP ?? '');
    return pod === undefined ? [] : [{ kubePod, pod }];
  });
}

/**
 * NetworkPolicySpec, `policyTypes`: Ingress unless told, and Egress where there are egress rules.
 * An empty list tells nothing.
 */
function directionsOf({
  policyTypes = [],
  egress = [],
}: NetworkPolicy['spec']): readonly Direction[] {
  const types =
    policyTypes.length > 0
      ? policyTypes
      : ['Ingress' as const, ...(egress.length > 0 ? ['Egress' as const] : [])];
  return types.map((type) => (type === 'Ingress' ? 'ingress' : 'egress'));
}

/** A rule of either kind of policy, as both write it. */
interface RuleSpec {
  readonly name: string;
  readonly direction: Direction;
  readonly origin: Origin;
  readonly peers: readonly PolicyPeer[] | undefined;
  readonly ports: readonly PolicyPort[] | undefined;
}

function networkPolicyRules(
  { metadata, spec }: NetworkPolicy,
  subjects: readonly LocalPod[],
  cluster: ClusterPods,
): readonly AgentRule[] {
  const origin: Origin = { kind: 'NetworkPolicy' };
  const name = (direction: Direction, index: number) =>
    `NetworkPolicy ${metadata.namespace}/${metadata.name} ${direction} ${index}`;
  const directions = directionsOf(spec);
  const rules: readonly RuleSpec[] = [
    ...(spec.ingress ?? []).map(
      ({ from, ports }, index): RuleSpec => ({
        name: name('ingress', index),
        direction: 'ingress',
        origin,
        peers: from,
        ports,
      }),
    ),
    ...(spec.egress ?? []).map(
      ({ to, ports }, index): RuleSpec => ({
        name: name('egress', index),
        direction: 'egress',
        origin,
        peers: to,
        ports,
      }),
    ),
  ];
  return rules
    .filter(({ direction }) => directions.includes(direction))
    .flatMap((rule) => agentRules(rule, subjects, metadata.namespace, cluster));
}

function clusterNetworkPolicyRules(
  { metadata, spec }: ClusterNetworkPolicy,
  cluster: ClusterPods,
): readonly AgentRule[] {
  const applied = new Set(
    spec.appliedTo.flatMap((selection) => selectedPods(cluster.objects, selection, undefined)),
  );
  const subjects = localOf(
    cluster,
    cluster.objects.pods.filter((pod) => applied.has(pod)),
  );
  const origin = (index: number, action: PolicyAction): Origin => ({
    kind: 'ClusterNetworkPolicy',
    name: metadata.name,
    priority: spec.priority,
    index,
    action,
  });
  const name = (direction: Direction, index: number) =>
    `ClusterNetworkPolicy ${metadata.name} ${direction} ${index}`;
  const rules: readonly RuleSpec[] = [
    ...(spec.ingress ?? []).map(
      ({ action, from, ports }, index): RuleSpec => ({
        name: name('ingress', index),
        direction: 'ingress',
        origin: origin(index, action),
        peers: from,
        ports,
      }),
    ),
    ...(spec.egress ?? []).map(
      ({ action, to, ports }, index): RuleSpec => ({
        name: name('egress', index),
        direction: 'egress',
        origin: origin(index, action),
        peers: to,
        ports,
      }),
    ),
  ];
  return rules.flatMap((rule) => agentRules(rule, subjects, undefined, cluster));
}

/**
 * A rule's parts: one for each set of numbers that its named ports have at the pods that are to be
 * reached, which are the subjects of an ingress rule and the peers of an egress rule. Blocks have
 * no names for ports.
 */
function agentRules(
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

function partsOf(
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

/** Members that have the same services, in order of the first of each. */
function groups<Member>(
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

function addressOf({ status }: KubePod): string {
  return status.podIP ?? '';
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
