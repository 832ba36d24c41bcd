/** Rules of policies as an agent holds them. */
import type { PolicyAction } from '../../../kube/schemas/policies.js';
import type { AttachedPod } from '../attached-pod.js';

export type Direction = 'ingress' | 'egress';
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

/** Local pods that nothing reaches, or that reach nothing, but by a rule. */
export type Isolated = Readonly<Record<Direction, readonly AttachedPod[]>>;

export interface AgentPolicies {
  readonly rules: readonly AgentRule[];
  readonly isolated: Isolated;
}

export const noPolicies: AgentPolicies = { rules: [], isolated: { ingress: [], egress: [] } };
