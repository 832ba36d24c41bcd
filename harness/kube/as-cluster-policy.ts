/**
 * Policies of other APIs as the ClusterNetworkPolicy that means the same: rules in order, asked
 * before all NetworkPolicies, of which the first that matches decides.
 */
import { assertNever } from '../base/errors/errors.js';
import type {
  AdminNetworkPolicy,
  AdminPeer,
  AdminPort,
  AdminProtocol,
  BaselineAdminNetworkPolicy,
  TieredNetworkPolicy,
} from './schemas/admin-policies.js';
import type { AntreaClusterNetworkPolicy, AntreaNetworkPolicy } from './schemas/antrea-policies.js';
import type { ClusterNetworkPolicy, PolicyPeer, PolicyPort } from './schemas/policies.js';

/** What a manifest may say in place of it. */
export type PolicyOfOthers =
  | AntreaClusterNetworkPolicy
  | AntreaNetworkPolicy
  | AdminNetworkPolicy
  | BaselineAdminNetworkPolicy
  | TieredNetworkPolicy;

type Spec = ClusterNetworkPolicy['spec'];

export function asClusterPolicy(policy: PolicyOfOthers): ClusterNetworkPolicy {
  switch (policy.kind) {
    case 'NetworkPolicy':
      return ofNamespace(policy);
    case 'AdminNetworkPolicy':
      return named(policy, `${policy.metadata.name} (AdminNetworkPolicy)`, {
        ...specOf(policy.spec),
        priority: inAdminTier(policy.spec.priority),
      });
    case 'BaselineAdminNetworkPolicy':
      return named(policy, `${policy.metadata.name} (BaselineAdminNetworkPolicy)`, {
        ...specOf(policy.spec),
        priority: inBaselineTier(0),
      });
    case 'ClusterNetworkPolicy':
      return policy.apiVersion === 'policy.networking.k8s.io/v1alpha2'
        ? tiered(policy)
        : named(policy, policy.metadata.name, policy.spec);
    default:
      return assertNever(policy);
  }
}

/** Whether it is asked after NetworkPolicies, and only about pods that none of them isolates. */
export function isBaseline(policy: PolicyOfOthers): boolean {
  return (
    policy.kind === 'BaselineAdminNetworkPolicy' ||
    ('tier' in policy.spec && policy.spec.tier === 'Baseline')
  );
}

/** Priorities of Antrea begin with 1, and end with 10,000. */
function inAdminTier(priority: number): number {
  return priority + 1;
}

function inBaselineTier(priority: number): number {
  return 10_001 + priority;
}

function named(
  { metadata }: Pick<PolicyOfOthers, 'metadata'>,
  name: string,
  { appliedTo, priority, ingress, egress }: Spec,
): ClusterNetworkPolicy {
  return {
    apiVersion: 'security.antrea.tanzu.vmware.com/v1alpha1',
    kind: 'ClusterNetworkPolicy',
    metadata: { name, labels: metadata.labels },
    spec: { appliedTo, priority, ingress, egress },
  };
}

/** Kubernetes, "Automatic labelling": every namespace has its name as a label. */
function ofNamespace(policy: AntreaNetworkPolicy): ClusterNetworkPolicy {
  const { namespace, name } = policy.metadata;
  const own = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  const qualified = (peer: PolicyPeer): PolicyPeer =>
    peer.podSelector === undefined || peer.namespaceSelector !== undefined
      ? peer
      : { ...peer, namespaceSelector: own };
  const { spec } = policy;
  return named(policy, `${namespace}/${name}`, {
    ...spec,
    appliedTo: spec.appliedTo.map(({ podSelector }) => ({ podSelector, namespaceSelector: own })),
    ingress: spec.ingress?.map((rule) => ({ ...rule, from: rule.from?.map(qualified) })),
    egress: spec.egress?.map((rule) => ({ ...rule, to: rule.to?.map(qualified) })),
  });
}

function tiered(policy: TieredNetworkPolicy): ClusterNetworkPolicy {
  const { tier, priority, subject, ingress, egress } = policy.spec;
  const withPorts = <Rule extends { readonly protocols?: readonly AdminProtocol[] | undefined }>(
    rule: Rule,
  ) => ({ ...rule, ports: rule.protocols?.flatMap(portsOfProtocol) });
  return named(policy, `${policy.metadata.name} (${policy.apiVersion})`, {
    appliedTo: peersOf(subject),
    priority: tier === 'Admin' ? inAdminTier(priority) : inBaselineTier(priority),
    ingress: ingress.map(withPorts).map((rule) => ({
      action: actions[rule.action],
      from: rule.from.flatMap(peersOf),
      ports: rule.ports,
    })),
    egress: egress.map(withPorts).map((rule) => ({
      action: actions[rule.action],
      to: rule.to.flatMap(peersOf),
      ports: rule.ports,
    })),
  });
}

function specOf({
  subject,
  ingress,
  egress,
}: BaselineAdminNetworkPolicy['spec']): Pick<Spec, 'appliedTo' | 'ingress' | 'egress'> {
  return {
    appliedTo: peersOf(subject),
    ingress: ingress.map(({ action, from, ports }) => ({
      action: actions[action],
      from: from.flatMap(peersOf),
      ports: ports?.flatMap(portsOf),
    })),
    egress: egress.map(({ action, to, ports }) => ({
      action: actions[action],
      to: to.flatMap(peersOf),
      ports: ports?.flatMap(portsOf),
    })),
  };
}

const actions = { Allow: 'Allow', Accept: 'Allow', Deny: 'Drop' } as const;

function peersOf({
  namespaces,
  pods,
  networks = [],
}: Pick<AdminPeer, 'namespaces' | 'pods' | 'networks'>): PolicyPeer[] {
  return [
    ...(namespaces === undefined ? [] : [{ namespaceSelector: namespaces }]),
    ...(pods === undefined ? [] : [pods]),
    ...networks.map((cidr) => ({ ipBlock: { cidr } })),
  ];
}

function portsOf({ portNumber, portRange, namedPort }: AdminPort): PolicyPort[] {
  return [
    ...(portNumber === undefined ? [] : [portNumber]),
    ...(portRange === undefined
      ? []
      : [{ protocol: portRange.protocol, port: portRange.start, endPort: portRange.end }]),
    ...(namedPort === undefined ? [] : called(namedPort)),
  ];
}

function portsOfProtocol({ tcp, udp, sctp, destinationNamedPort }: AdminProtocol): PolicyPort[] {
  const written = [
    { protocol: 'TCP' as const, said: tcp },
    { protocol: 'UDP' as const, said: udp },
    { protocol: 'SCTP' as const, said: sctp },
  ];
  return [
    ...written.flatMap(({ protocol, said }): PolicyPort[] => {
      if (said === undefined) return [];
      const { number, range } = said.destinationPort ?? {};
      if (range !== undefined) return [{ protocol, port: range.start, endPort: range.end }];
      return [number === undefined ? { protocol } : { protocol, port: number }];
    }),
    ...(destinationNamedPort === undefined ? [] : called(destinationNamedPort)),
  ];
}

/** A name alone is that of a container's port, whatever its protocol. */
function called(port: string): PolicyPort[] {
  return (['TCP', 'UDP', 'SCTP'] as const).map((protocol) => ({ protocol, port }));
}
