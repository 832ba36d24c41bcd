/**
 * How much of the policy language a cluster's policies use: what none of them says was not tried.
 */
import type { LabelSelector } from './schemas/metadata.js';
import type { KubeObjects } from './objects.js';
import type { PolicyPeer, PolicyPort } from './schemas/policies.js';

/** How often each thing that can be said is said, in a stable order. */
export type PolicyCoverage = Readonly<Record<string, number>>;

export function policyCoverage(objects: KubeObjects): PolicyCoverage {
  const { networkPolicies, clusterNetworkPolicies, pods } = objects;
  const clusterRules = clusterRulesOf(clusterNetworkPolicies);
  const rules = [...rulesOf(networkPolicies), ...clusterRules];
  const selectors = [
    ...networkPolicies.map(({ spec }) => spec.podSelector),
    ...clusterNetworkPolicies.flatMap(({ spec }) => spec.appliedTo.flatMap(selectorsOf)),
    ...rules.flatMap(({ peers }) => (peers ?? []).flatMap(selectorsOf)),
  ];
  return {
    ...directionCoverage(networkPolicies),
    ...countAll(clusterRules, clusterRuleKinds),
    ...countAll(
      rules.map(({ peers }) => peers),
      peerListKinds,
    ),
    ...countAll(
      rules.flatMap(({ peers }) => peers ?? []),
      peerKinds,
    ),
    ...countAll(selectors, selectorKinds),
    ...countAll(
      selectors.flatMap(({ matchExpressions }) => matchExpressions ?? []),
      operatorKinds,
    ),
    ...countAll(
      rules.map(({ ports }) => ports),
      portListKinds,
    ),
    ...countAll(
      rules.flatMap(({ ports }) => ports ?? []),
      portKinds,
    ),
    "pod on the host's network": pods.filter(({ spec }) => spec.hostNetwork).length,
  };
}

/** A rule of a policy, whatever its kind and direction. */
interface Rule {
  readonly peers: readonly PolicyPeer[] | undefined;
  readonly ports: readonly PolicyPort[] | undefined;
}

function rulesOf(policies: KubeObjects['networkPolicies']): readonly Rule[] {
  return policies.flatMap(({ spec }) => [
    ...(spec.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports })),
    ...(spec.egress ?? []).map(({ to, ports }) => ({ peers: to, ports })),
  ]);
}

interface ClusterRule extends Rule {
  readonly direction: 'ingress' | 'egress';
  readonly action: string;
}

function clusterRulesOf(policies: KubeObjects['clusterNetworkPolicies']): readonly ClusterRule[] {
  return policies.flatMap(({ spec }) => [
    ...(spec.ingress ?? []).map(({ from, ports, action }) => ({
      peers: from,
      ports,
      direction: 'ingress' as const,
      action,
    })),
    ...(spec.egress ?? []).map(({ to, ports, action }) => ({
      peers: to,
      ports,
      direction: 'egress' as const,
      action,
    })),
  ]);
}

/** Which directions policies isolate, and for which they have no rule. */
function directionCoverage(policies: KubeObjects['networkPolicies']): PolicyCoverage {
  const types = (wanted: string) =>
    policies.filter(
      ({ spec }) => ([...(spec.policyTypes ?? [])].sort().join(' ') || 'not said') === wanted,
    ).length;
  return {
    'policyTypes not said': types('not said'),
    'policyTypes Ingress': types('Ingress'),
    'policyTypes Egress': types('Egress'),
    'policyTypes both': types('Egress Ingress'),
    'no ingress rule': policies.filter(({ spec }) => (spec.ingress ?? []).length === 0).length,
    'no egress rule': policies.filter(({ spec }) => (spec.egress ?? []).length === 0).length,
  };
}

type Kinds<Item> = Readonly<Record<string, (item: Item) => boolean>>;

const clusterRuleKinds: Kinds<ClusterRule> = Object.fromEntries(
  (['ingress', 'egress'] as const).flatMap((direction) =>
    ['Allow', 'Drop'].map((action) => [
      `ClusterNetworkPolicy ${direction} ${action}`,
      (rule: ClusterRule) => rule.direction === direction && rule.action === action,
    ]),
  ),
);

const operatorKinds: Kinds<{ readonly operator: string }> = Object.fromEntries(
  ['In', 'NotIn', 'Exists', 'DoesNotExist'].map((operator) => [
    `operator ${operator}`,
    (expression: { readonly operator: string }) => expression.operator === operator,
  ]),
);

const peerListKinds: Kinds<Rule['peers']> = {
  'peers not said': (peers) => peers === undefined,
  'peers empty': (peers) => peers?.length === 0,
  'several peers': (peers) => (peers?.length ?? 0) > 1,
};

const portListKinds: Kinds<Rule['ports']> = {
  'ports not said': (ports) => ports === undefined,
  'ports empty': (ports) => ports?.length === 0,
  'several ports': (ports) => (ports?.length ?? 0) > 1,
};

const peerKinds: Kinds<PolicyPeer> = {
  'podSelector alone': ({ podSelector, namespaceSelector }) =>
    podSelector !== undefined && namespaceSelector === undefined,
  'namespaceSelector alone': ({ podSelector, namespaceSelector }) =>
    podSelector === undefined && namespaceSelector !== undefined,
  'both selectors': ({ podSelector, namespaceSelector }) =>
    podSelector !== undefined && namespaceSelector !== undefined,
  ipBlock: ({ ipBlock }) => ipBlock !== undefined && (ipBlock.except ?? []).length === 0,
  'ipBlock with except': ({ ipBlock }) => (ipBlock?.except ?? []).length > 0,
};

const selectorKinds: Kinds<LabelSelector> = {
  'selector empty': ({ matchLabels, matchExpressions }) =>
    matchLabels === undefined && matchExpressions === undefined,
  'matchLabels alone': ({ matchLabels, matchExpressions }) =>
    matchLabels !== undefined && matchExpressions === undefined,
  'matchExpressions alone': ({ matchLabels, matchExpressions }) =>
    matchLabels === undefined && matchExpressions !== undefined,
  'matchLabels and matchExpressions': ({ matchLabels, matchExpressions }) =>
    matchLabels !== undefined && matchExpressions !== undefined,
};

const portKinds: Kinds<PolicyPort> = {
  'port by number': ({ port, endPort }) => typeof port === 'number' && endPort === undefined,
  'port by name': ({ port }) => typeof port === 'string',
  'port not said': ({ port }) => port === undefined,
  endPort: ({ endPort }) => endPort !== undefined,
  TCP: ({ protocol }) => protocol === 'TCP',
  UDP: ({ protocol }) => protocol === 'UDP',
  SCTP: ({ protocol }) => protocol === 'SCTP',
};

function selectorsOf({
  podSelector,
  namespaceSelector,
}: Pick<PolicyPeer, 'podSelector' | 'namespaceSelector'>): readonly LabelSelector[] {
  return [podSelector, namespaceSelector].filter((selector) => selector !== undefined);
}

function countAll<Item>(items: readonly Item[], kinds: Kinds<Item>): PolicyCoverage {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, is]) => [name, items.filter(is).length]),
  );
}

/** Of several clusters together. */
export function addCoverage(all: readonly PolicyCoverage[]): PolicyCoverage {
  const names = [...new Set(all.flatMap((coverage) => Object.keys(coverage)))];
  return Object.fromEntries(
    names.map((name) => [name, all.reduce((sum, coverage) => sum + (coverage[name] ?? 0), 0)]),
  );
}
