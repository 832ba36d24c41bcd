/** One table: kind and field of Kubernetes, and how each control plane handles it. */
import type { PolicyOfOthersKind, ReadKind } from '../kinds.js';
import type { FieldTable } from './handling.js';
import {
  adminPolicyFields,
  antreaClusterNetworkPolicyFields,
  antreaNetworkPolicyFields,
  clusterNetworkPolicyFields,
  networkPolicyFields,
} from './policy-fields.js';
import { endpointSliceFields, serviceFields } from './service-fields.js';
import { namespaceFields, nodeFields, podFields } from './workload-fields.js';

export const handledFields: Readonly<Record<ReadKind | PolicyOfOthersKind, FieldTable>> = {
  Namespace: namespaceFields,
  Node: nodeFields,
  Pod: podFields,
  Service: serviceFields,
  EndpointSlice: endpointSliceFields,
  NetworkPolicy: networkPolicyFields,
  ClusterNetworkPolicy: clusterNetworkPolicyFields,
  'crd.antrea.io ClusterNetworkPolicy': antreaClusterNetworkPolicyFields,
  'crd.antrea.io NetworkPolicy': antreaNetworkPolicyFields,
  'policy.networking.k8s.io AdminNetworkPolicy': adminPolicyFields,
  'policy.networking.k8s.io BaselineAdminNetworkPolicy': adminPolicyFields,
  'policy.networking.k8s.io ClusterNetworkPolicy': adminPolicyFields,
};
