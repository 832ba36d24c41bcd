/**
 * The rules of all policies as the agent of one node realises them: pods as addresses and ports,
 * names as numbers. The seed, "Network Policy Implementation": only rules of policies that apply to
 * a pod of the node.
 */
import type {
  ClusterNetworkPolicy,
  NetworkPolicy,
  PolicyAction,
} from '../../../kube/schemas/policies.js';
import type { KubeObjects } from '../../../kube/objects.js';
import { selectedPods } from '../../../kube/pod-selection.js';
import type { KubePod } from '../../../kube/schemas/workloads.js';
import type { AttachedPod } from '../attached-pod.js';
import type { AgentPolicies, AgentRule, Direction, Origin } from './agent-rule.js';
import type { ClusterPods } from './rule-parts.js';
import { type LocalPod, type RuleSpec, agentRules } from './rule-parts.js';

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

function localOf({ local }: ClusterPods, selected: readonly KubePod[]): readonly LocalPod[] {
  return selected.flatMap((kubePod) => {
    const pod = local.get(kubePod.status.podIP ?? '');
    return pod === undefined ? [] : [{ kubePod, pod }];
  });
}

/**
 * NetworkPolicySpec, `policyTypes`: Ingress by default, and Egress where there are egress rules. An
 * empty list is no list.
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
