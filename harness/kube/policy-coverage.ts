/**
 * How much of the policy language a cluster's policies use: what none of them says was not tried.
 */
import type { LabelSelector } from './schemas/metadata.js';
import type { KubeObjects } from './objects.js';
import type { PolicyPeer, PolicyPort } from './schemas/policies.js';

/** How often each thing that can be said is said, in a stable order. */
export type PolicyCoverage = Readonly<Record<string, number>>;

export function policyCoverage({
  networkPolicies,
  clusterNetworkPolicies,
  pods,
}: KubeObjects): PolicyCoverage {
  const rules = networkPolicies.flatMap(({ spec }) => [
    ...(spec.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports })),
    ...(spec.egress ?? []).map(({ to, ports }) => ({ peers: to, ports })),
  ]);
  const types = (wanted: string) =>
    networkPolicies.filter(
      ({ spec }) => ([...(spec.policyTypes ?? [])].sort().join(' ') || 'not said') === wanted,
    ).length;
  const clusterRules = clusterNetworkPolicies.flatMap(({ spec }) => [
    ...(spec.ingress ?? []).map(({ from, ports, action }) => ({
      peers: from,
      ports,
      direction: 'ingress',
      action,
    })),
    ...(spec.egress ?? []).map(({ to, ports, action }) => ({
      peers: to,
      ports,
      direction: 'egress',
      action,
    })),
  ]);
  const decisions = (direction: string, action: string) =>
    clusterRules.filter((rule) => rule.direction === direction && rule.action === action).length;
  const all = [...rules, ...clusterRules];
  const selectors = [
    ...networkPolicies.map(({ spec }) => spec.podSelector),
    ...clusterNetworkPolicies.flatMap(({ spec }) => spec.appliedTo.flatMap(selectorsOf)),
    ...all.flatMap(({ peers }) => (peers ?? []).flatMap(selectorsOf)),
  ];
  return {
    'policyTypes not said': types('not said'),
    'policyTypes Ingress': types('Ingress'),
    'policyTypes Egress': types('Egress'),
    'policyTypes both': types('Egress Ingress'),
    'no ingress rule': networkPolicies.filter(({ spec }) => (spec.ingress ?? []).length === 0)
      .length,
    'no egress rule': networkPolicies.filter(({ spec }) => (spec.egress ?? []).length === 0).length,
    'ClusterNetworkPolicy ingress Allow': decisions('ingress', 'Allow'),
    'ClusterNetworkPolicy ingress Drop': decisions('ingress', 'Drop'),
    'ClusterNetworkPolicy egress Allow': decisions('egress', 'Allow'),
    'ClusterNetworkPolicy egress Drop': decisions('egress', 'Drop'),
    ...countAll(
      all.map(({ peers }) => peers),
      {
        'peers not said': (peers) => peers === undefined,
        'peers empty': (peers) => peers?.length === 0,
        'several peers': (peers) => (peers?.length ?? 0) > 1,
      },
    ),
    ...countAll(
      all.flatMap(({ peers }) => peers ?? []),
      peerKinds,
    ),
    ...countAll(selectors, selectorKinds),
    ...countAll(
      selectors.flatMap(({ matchExpressions }) => matchExpressions ?? []),
      Object.fromEntries(
        ['In', 'NotIn', 'Exists', 'DoesNotExist'].map((operator) => [
          `operator ${operator}`,
          (expression: { readonly operator: string }) => expression.operator === operator,
        ]),
      ),
    ),
    ...countAll(
      all.map(({ ports }) => ports),
      {
        'ports not said': (ports) => ports === undefined,
        'ports empty': (ports) => ports?.length === 0,
        'several ports': (ports) => (ports?.length ?? 0) > 1,
      },
    ),
    ...countAll(
      all.flatMap(({ ports }) => ports ?? []),
      portKinds,
    ),
    "pod on the host's network": pods.filter(({ spec }) => spec.hostNetwork).length,
  };
}

type Kinds<Item> = Readonly<Record<string, (item: Item) => boolean>>;

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
