/**
 * Policies of several APIs beside each other: here ClusterNetworkPolicies have one order, and come
 * before NetworkPolicies. Where the APIs have another, the policy is refused.
 */
import type { Place } from '../base/errors/errors.js';
import type { YamlDocument } from '../base/text/yaml.js';
import { isBaseline, type PolicyOfOthers } from './as-cluster-policy.js';
import type { KubeObjects } from './objects.js';

export interface WrittenPolicy {
  readonly policy: PolicyOfOthers;
  readonly document: YamlDocument;
}

interface Problem {
  readonly place: Place;
  readonly message: string;
}

export function tierProblems(
  policies: readonly WrittenPolicy[],
  { networkPolicies, clusterNetworkPolicies }: KubeObjects,
): readonly Problem[] {
  const admin = policies.filter(({ policy }) => apiOf(policy) !== antrea);
  const ofAntrea = clusterNetworkPolicies.length > admin.length;
  return admin.flatMap(({ policy, document }, index) => {
    const name = `${policy.kind} ${policy.metadata.name}`;
    const earlier = admin.slice(0, index).find((other) => apiOf(other.policy) !== apiOf(policy));
    const why = isBaseline(policy)
      ? networkPolicies.length > 0
        ? 'is asked after NetworkPolicies, and there are some'
        : undefined
      : ofAntrea
        ? "is asked after Antrea's own policies, and there are some"
        : undefined;
    const mixed =
      earlier === undefined
        ? undefined
        : `is of ${apiOf(policy)}, and another policy is of ${apiOf(earlier.policy)}`;
    return [why, mixed].flatMap((reason) =>
      reason === undefined
        ? []
        : [
            {
              place: document.placeOf({ path: ['kind'] }),
              message: `kind: ${name} ${reason}: that order is not modelled here`,
            },
          ],
    );
  });
}

const antrea = 'crd.antrea.io';

/** Antrea's have one order, whatever the version. */
function apiOf({ apiVersion }: PolicyOfOthers): string {
  return apiVersion.startsWith(`${antrea}/`) ? antrea : apiVersion;
}
