/**
 * What a policy says about what comes in and what goes out, by the seed's annotation or in today's
 * words.
 */
import type {
  Enforced,
  WatchedNamespace,
  WatchedObjects,
  WatchedPeer,
  WatchedPolicy,
  WatchedPort,
} from './watched-objects.js';

export type Direction = 'to-lport' | 'from-lport';

export interface Rule {
  readonly peers: readonly WatchedPeer[];
  readonly ports: readonly WatchedPort[];
}

/** What a policy has a say in, and how. */
export interface DirectedRules {
  readonly direction: Direction;
  readonly rules: readonly Rule[];
}

export function rulesOf(
  policy: WatchedPolicy,
  { namespaces }: WatchedObjects,
  enforced: Enforced,
): readonly DirectedRules[] {
  const namespace = namespaces.find(({ metadata }) => metadata.name === policy.metadata.namespace);
  const state = namespace === undefined ? 'off' : stateOf(namespace);
  const ingress = ingressOf(policy, state);
  const egress = enforced === 'ingress' || state === 'off' ? undefined : egressOf(policy);
  return [
    ...(ingress === undefined ? [] : [{ direction: 'to-lport' as const, rules: ingress }]),
    ...(egress === undefined ? [] : [{ direction: 'from-lport' as const, rules: egress }]),
  ];
}

const annotation = 'net.alpha.kubernetes.io/network-isolation';

export function stateOf({ metadata }: WatchedNamespace): 'on' | 'off' | undefined {
  const value = metadata.annotations?.[annotation];
  return value === 'on' || value === 'off' ? value : undefined;
}

/** The rules of a policy for what comes in; undefined where it has no say in that. */
function ingressOf(
  { spec }: WatchedPolicy,
  state: 'on' | 'off' | undefined,
): readonly Rule[] | undefined {
  const rules = spec.ingress?.map(({ from = [], ports = [] }) => ({ peers: from, ports }));
  switch (state) {
    case 'off':
      return undefined;
    case 'on':
      return rules ?? [{ peers: [], ports: [] }];
    case undefined:
      // Kubernetes API reference, NetworkPolicySpec: Ingress where no types are said.
      return spec.policyTypes === undefined || spec.policyTypes.includes('Ingress')
        ? (rules ?? [])
        : undefined;
  }
}

/** The same for what goes out (NetworkPolicySpec: Egress where it is said, or has rules). */
function egressOf(policy: WatchedPolicy): readonly Rule[] | undefined {
  const { egress = [] } = policy.spec;
  return hasEgress(policy)
    ? egress.map(({ to = [], ports = [] }) => ({ peers: to, ports }))
    : undefined;
}

export function hasEgress({ spec: { egress, policyTypes } }: WatchedPolicy): boolean {
  return policyTypes === undefined ? egress !== undefined : policyTypes.includes('Egress');
}
