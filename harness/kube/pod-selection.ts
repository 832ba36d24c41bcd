/** Which labels a selector takes, and which pods a policy is about. */
import { assertNever } from '../base/errors/errors.js';
import type { LabelRequirement, Labels, LabelSelector } from './schemas/metadata.js';
import type { KubeObjects } from './objects.js';
import type { KubePod } from './schemas/workloads.js';

/** Kubernetes, "Labels and Selectors", set-based requirements: all of them must hold. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Labels,
): boolean {
  const wanted = Object.entries(matchLabels).map(
    ([key, value]): LabelRequirement => ({ key, operator: 'In', values: [value] }),
  );
  return [...wanted, ...matchExpressions].every((requirement) =>
    holds(requirement, labels[requirement.key]),
  );
}

/** NotIn holds of what has no such label at all. */
function holds({ operator, values = [] }: LabelRequirement, label: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    default:
      return assertNever(operator);
  }
}

export interface PodSelection {
  readonly podSelector?: LabelSelector | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
}

/**
 * The pods that a selection takes, in the order of `objects`. Without a namespaceSelector they are
 * of the namespace `own`, or of all where there is none: a ClusterNetworkPolicy belongs to no
 * namespace. Pods on the host's network are taken by no selector (Kubernetes, "Network Policies":
 * they are treated like the node).
 */
export function selectedPods(
  { pods, namespaces }: KubeObjects,
  { podSelector = {}, namespaceSelector }: PodSelection,
  own: string | undefined,
): readonly KubePod[] {
  const inNamespace = (name: string): boolean => {
    if (namespaceSelector === undefined) return own === undefined || own === name;
    return namespaces.some(
      ({ metadata }) => metadata.name === name && selects(namespaceSelector, metadata.labels),
    );
  };
  return pods.filter(
    ({ spec, metadata }) =>
      !spec.hostNetwork && inNamespace(metadata.namespace) && selects(podSelector, metadata.labels),
  );
}
