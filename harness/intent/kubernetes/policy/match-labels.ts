import type { LabelSelector, Labels } from '../../../kube/schemas/metadata.js';
import type { KubeObjects } from '../../../kube/objects.js';
import type { KubePod } from '../../../kube/schemas/workloads.js';

/**
 * Whether the labels are as the selector asks: one that asks for nothing takes all (Kubernetes,
 * LabelSelector).
 */
export function matchesSelector(selector: LabelSelector, labels: Labels): boolean {
  for (const key of Object.keys(selector.matchLabels ?? {}))
    if (labels[key] !== selector.matchLabels?.[key]) return false;
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const there = key in labels;
    const listed = there && (values ?? []).some((value) => value === labels[key]);
    const right =
      operator === 'In'
        ? listed
        : operator === 'NotIn'
          ? !listed
          : operator === 'Exists'
            ? there
            : !there;
    if (!right) return false;
  }
  return true;
}

interface Selectors {
  readonly podSelector?: LabelSelector | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
}

/**
 * Whether the pod is meant: by its namespace's labels where these are asked about, else by being in
 * the policy's own, where it has one. A pod on the host's network never is.
 */
export function isSelected(
  pod: KubePod,
  { podSelector, namespaceSelector }: Selectors,
  policyNamespace: string | undefined,
  { namespaces }: KubeObjects,
): boolean {
  if (pod.spec.hostNetwork) return false;
  const { namespace, labels } = pod.metadata;
  if (namespaceSelector !== undefined) {
    const home = namespaces.find(({ metadata }) => metadata.name === namespace);
    if (home === undefined || !matchesSelector(namespaceSelector, home.metadata.labels))
      return false;
  } else if (policyNamespace !== undefined && policyNamespace !== namespace) return false;
  return podSelector === undefined || matchesSelector(podSelector, labels);
}
