/**
 * How an object is handled, by its API and kind: read, skipped because no packet depends on it, or
 * refused by name because some do.
 */
import {
  adminNetworkPolicySchema,
  baselineAdminNetworkPolicySchema,
  tieredNetworkPolicySchema,
} from './schemas/admin-policies.js';
import {
  antreaClusterNetworkPolicySchema,
  antreaNetworkPolicySchema,
} from './schemas/antrea-policies.js';
import { clusterNetworkPolicySchema, networkPolicySchema } from './schemas/policies.js';
import { endpointSliceSchema, serviceSchema } from './schemas/services.js';
import { namespaceSchema, nodeSchema, podSchema } from './schemas/workloads.js';

/** Read as they are. */
export const schemas = {
  Namespace: namespaceSchema,
  Node: nodeSchema,
  Pod: podSchema,
  Service: serviceSchema,
  EndpointSlice: endpointSliceSchema,
  NetworkPolicy: networkPolicySchema,
  ClusterNetworkPolicy: clusterNetworkPolicySchema,
} as const;

export type ReadKind = keyof typeof schemas;

/** The API groups in which a kind of `schemas` means what it is read as. */
const groupsOf: Readonly<Record<ReadKind, string>> = {
  Namespace: '',
  Node: '',
  Pod: '',
  Service: '',
  EndpointSlice: 'discovery.k8s.io',
  NetworkPolicy: 'networking.k8s.io',
  ClusterNetworkPolicy: 'security.antrea.tanzu.vmware.com',
};

/** Policies of other APIs, which are read as the ClusterNetworkPolicy that means the same. */
export const policiesOfOthers = {
  'crd.antrea.io ClusterNetworkPolicy': antreaClusterNetworkPolicySchema,
  'crd.antrea.io NetworkPolicy': antreaNetworkPolicySchema,
  'policy.networking.k8s.io AdminNetworkPolicy': adminNetworkPolicySchema,
  'policy.networking.k8s.io BaselineAdminNetworkPolicy': baselineAdminNetworkPolicySchema,
  'policy.networking.k8s.io ClusterNetworkPolicy': tieredNetworkPolicySchema,
} as const;

export type PolicyOfOthersKind = keyof typeof policiesOfOthers;

export type Handling =
  | { readonly kind: 'read'; readonly as: ReadKind }
  | { readonly kind: 'policy of others'; readonly as: PolicyOfOthersKind }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unknown' };

/** @param apiVersion `apps/v1`; undefined where the object does not say, and its kind decides. */
export function handlingOf(apiVersion: string | undefined, kind: string): Handling {
  const group = apiVersion?.includes('/') === true ? (apiVersion.split('/')[0] ?? '') : '';
  const other = `${group} ${kind}`;
  if (isPolicyOfOthers(other)) return { kind: 'policy of others', as: other };
  if (isRead(kind) && (groupsOf[kind] === group || !isGroup(apiVersion)))
    return { kind: 'read', as: kind };
  if (group === '') return { kind: core.has(kind) ? 'skipped' : 'unknown' };
  const harmless = harmlessKinds[group];
  if (harmless?.(kind) === true) return { kind: 'skipped' };
  if (harmless !== undefined || actsOnPackets(group, kind))
    return {
      kind: 'refused',
      why: `${kind} of ${group} decides over packets, and is not modelled here: leave it out`,
    };
  return { kind: 'skipped' };
}

/** Of a kind that is read, with an API that has no such kind: its schema names the right one. */
function isGroup(apiVersion: string | undefined): boolean {
  return apiVersion?.includes('.') === true;
}

function isRead(kind: string): kind is ReadKind {
  return Object.hasOwn(schemas, kind);
}

function isPolicyOfOthers(name: string): name is PolicyOfOthersKind {
  return Object.hasOwn(policiesOfOthers, name);
}

/** Kinds of `v1`: whatever else is written there is a slip of the pen. */
const core = new Set([
  'Binding',
  'ComponentStatus',
  'ConfigMap',
  'Endpoints',
  'Event',
  'LimitRange',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'PodTemplate',
  'ReplicationController',
  'ResourceQuota',
  'Secret',
  'ServiceAccount',
]);

const all = () => true;
const none = () => false;
const of = (...kinds: readonly string[]) => {
  const known = new Set(kinds);
  return (kind: string) => known.has(kind);
};

/** By API group, what of it no packet depends on. Groups that are not here are custom resources. */
const harmlessKinds: Readonly<Record<string, (kind: string) => boolean>> = {
  // Of Kubernetes. Ingress and Gateway are for whoever implements them, in pods of its own.
  'admissionregistration.k8s.io': all,
  'apiextensions.k8s.io': all,
  'apiregistration.k8s.io': all,
  apps: all,
  'authentication.k8s.io': all,
  'authorization.k8s.io': all,
  autoscaling: all,
  batch: all,
  'certificates.k8s.io': all,
  'coordination.k8s.io': all,
  'events.k8s.io': all,
  extensions: of('DaemonSet', 'Deployment', 'Ingress', 'ReplicaSet'),
  'flowcontrol.apiserver.k8s.io': all,
  'internal.apiserver.k8s.io': all,
  'metrics.k8s.io': all,
  'networking.k8s.io': of('IPAddress', 'Ingress', 'IngressClass', 'ServiceCIDR'),
  'node.k8s.io': all,
  policy: all,
  'rbac.authorization.k8s.io': all,
  'resource.k8s.io': all,
  'scheduling.k8s.io': all,
  'snapshot.storage.k8s.io': all,
  'storage.k8s.io': all,
  // Tiers and groups do something where a policy names them, and such a policy is refused.
  'crd.antrea.io': of(
    'AntreaAgentInfo',
    'AntreaControllerInfo',
    'ClusterGroup',
    'ExternalIPPool',
    'Group',
    'IPPool',
    'NodeLatencyMonitor',
    'PacketCapture',
    'SupportBundleCollection',
    'Tier',
    'Traceflow',
  ),
  'security.antrea.tanzu.vmware.com': of('Tier'),
  'stats.antrea.io': all,
  'clusterinformation.antrea.tanzu.vmware.com': all,
  'ops.antrea.tanzu.vmware.com': all,
  // What pods are let in, not what packets are.
  'kyverno.io': all,
  'templates.gatekeeper.sh': all,
  'constraints.gatekeeper.sh': all,
  // Networks of their own, and what bends their packets.
  'policy.networking.k8s.io': none,
  'discovery.k8s.io': none,
  'k8s.ovn.org': none,
  'kubeovn.io': none,
  'k8s.cni.cncf.io': of('NetworkAttachmentDefinition'),
  'cilium.io': of('CiliumEndpoint', 'CiliumIdentity', 'CiliumNode'),
};

/** Custom resources of whom nothing is known are taken by their names. */
function actsOnPackets(group: string, kind: string): boolean {
  return (
    /polic(y|ies)$|firewall|egress|securitygroup|accesscontrol/i.test(kind) ||
    group.endsWith('projectcalico.org')
  );
}
