/**
 * What policies say about a conversation, by asking each of them in turn: nothing is compiled,
 * nothing kept. Kubernetes, "Network Policies", and the seed, "CnpEgressRuleTable":
 * ClusterNetworkPolicies come first, and what one of them decides, NetworkPolicies are not asked.
 */
import { oncePer } from '../../../base/once-per.js';
import type { KubeObjects } from '../../../kube/objects.js';
import type { ClusterNetworkPolicy, NetworkPolicy } from '../../../kube/schemas/policies.js';
import type { KubePod } from '../../../kube/schemas/workloads.js';
import { isSelected } from './match-labels.js';
import type { Conversation } from './rule-matches.js';
import { matches, type Direction } from './rule-matches.js';

/** `why` names the policies that decided. */
export type PolicyVerdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly why: string; readonly by: PolicyKind }
  /** ClusterNetworkPolicies of equal priority contradict each other: one of them decides. */
  | { readonly kind: 'open'; readonly why: string }
  /** Allowed in any case, though policies that are asked say otherwise. */
  | { readonly kind: 'exempt'; readonly why: string };

export type PolicyKind = 'NetworkPolicy' | 'ClusterNetworkPolicy';

const allowed: PolicyVerdict = { kind: 'allowed' };

/** What several verdicts on one conversation come to, all of which must let it through. */
export function combinedVerdict(verdicts: readonly PolicyVerdict[]): PolicyVerdict {
  const found = (kind: PolicyVerdict['kind']) => verdicts.find((verdict) => verdict.kind === kind);
  return found('denied') ?? found('open') ?? found('exempt') ?? allowed;
}

/** What the policies of the pod that opens the conversation say. */
export function egressVerdict(objects: KubeObjects, conversation: Conversation): PolicyVerdict {
  const { pod } = conversation.from;
  return pod === undefined ? allowed : verdict(objects, pod, conversation, 'egress');
}

/** What the policies of the pod that is to be reached say. */
export function ingressVerdict(objects: KubeObjects, conversation: Conversation): PolicyVerdict {
  const { pod } = conversation.to;
  return pod === undefined ? allowed : verdict(objects, pod, conversation, 'ingress');
}

function verdict(
  objects: KubeObjects,
  pod: KubePod,
  conversation: Conversation,
  direction: Direction,
): PolicyVerdict {
  const decided = clusterVerdict(objects, pod, conversation, direction);
  if (decided !== undefined) return decided;
  const isolating = objects.networkPolicies.filter((policy) =>
    isolates(policy, pod, direction, objects),
  );
  if (isolating.length === 0) return allowed;
  if (isolating.some((policy) => admits(policy, conversation, direction, objects))) return allowed;
  const names = isolating.map(
    ({ metadata }) => `NetworkPolicy ${metadata.namespace}/${metadata.name}`,
  );
  return {
    kind: 'denied',
    by: 'NetworkPolicy',
    why: `${names.join(' and ')} ` + `let no such ${direction} of ${pod.metadata.name} through`,
  };
}

/**
 * The first rule that matches, in the order of priorities and within a policy in its own; undefined
 * where none does.
 */
function clusterVerdict(
  objects: KubeObjects,
  pod: KubePod,
  conversation: Conversation,
  direction: Direction,
): PolicyVerdict | undefined {
  for (const [priority, policies] of byPriority(objects.clusterNetworkPolicies)) {
    const decisions: Decision[] = [];
    for (const policy of policies)
      decisions.push(...firstDecision(policy, pod, conversation, direction, objects));
    const [first] = decisions;
    if (first === undefined) continue;
    const what = `such ${direction} of ${pod.metadata.name}`;
    if (decisions.some(({ action }) => action !== first.action))
      return { kind: 'open', why: contradiction(decisions, priority, what) };
    if (first.action === 'Allow') return allowed;
    const why = `ClusterNetworkPolicy ${first.name} drops ${what}`;
    return { kind: 'denied', by: 'ClusterNetworkPolicy', why };
  }
  return undefined;
}

/**
 * Antrea 0.8, "Cluster NetworkPolicy": "Policies with the same priorities will be evaluated
 * indeterministically".
 */
function contradiction(decisions: readonly Decision[], priority: number, what: string): string {
  const say = (wanted: Decision['action']) =>
    decisions
      .filter(({ action }) => action === wanted)
      .map(({ name }) => name)
      .join(' and ');
  return `ClusterNetworkPolicies of one priority, ${priority}, contradict each other about ${what}: ${say(
    'Allow',
  )} would let it through, and ${say('Drop')} would not`;
}

/** By rising priority. */
const byPriority = oncePer(
  (
    policies: readonly ClusterNetworkPolicy[],
  ): readonly (readonly [priority: number, policies: readonly ClusterNetworkPolicy[]])[] => {
    const priorities = [...new Set(policies.map(({ spec }) => spec.priority))].sort(
      (a, b) => a - b,
    );
    return priorities.map((priority) => [
      priority,
      policies.filter(({ spec }) => spec.priority === priority),
    ]);
  },
);

interface Decision {
  readonly name: string;
  readonly action: 'Allow' | 'Drop';
}

function firstDecision(
  { metadata, spec }: ClusterNetworkPolicy,
  pod: KubePod,
  conversation: Conversation,
  direction: Direction,
  objects: KubeObjects,
): readonly Decision[] {
  if (!spec.appliedTo.some((selectors) => isSelected(pod, selectors, undefined, objects)))
    return [];
  const rule =
    direction === 'ingress'
      ? spec.ingress?.find(({ from, ports }) =>
          matches({ peers: from, ports }, conversation, direction, undefined, objects),
        )
      : spec.egress?.find(({ to, ports }) =>
          matches({ peers: to, ports }, conversation, direction, undefined, objects),
        );
  return rule === undefined ? [] : [{ name: metadata.name, action: rule.action }];
}

/**
 * NetworkPolicySpec, `policyTypes`: one that does not say, or lists none, is about ingress, and
 * about egress where it has egress rules.
 */
function isolates(
  { metadata, spec }: NetworkPolicy,
  pod: KubePod,
  direction: Direction,
  objects: KubeObjects,
): boolean {
  const types = spec.policyTypes ?? [];
  const about =
    types.length > 0
      ? types.some((type) => type.toLowerCase() === direction)
      : direction === 'ingress' || (spec.egress !== undefined && spec.egress.length > 0);
  return about && isSelected(pod, { podSelector: spec.podSelector }, metadata.namespace, objects);
}

function admits(
  { metadata, spec }: NetworkPolicy,
  conversation: Conversation,
  direction: Direction,
  objects: KubeObjects,
): boolean {
  const { namespace } = metadata;
  if (direction === 'ingress')
    return (spec.ingress ?? []).some(({ from, ports }) =>
      matches({ peers: from, ports }, conversation, direction, namespace, objects),
    );
  return (spec.egress ?? []).some(({ to, ports }) =>
    matches({ peers: to, ports }, conversation, direction, namespace, objects),
  );
}
