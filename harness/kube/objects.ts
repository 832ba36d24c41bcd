/** All that Kubernetes holds about a cluster, by kind, in the order in which it was written. */
import type { Topology } from '../domain/topology.js';
import type { ClusterNetworkPolicy, NetworkPolicy } from './schemas/policies.js';
import type { EndpointSlice, Service } from './schemas/services.js';
import type { KubeNode, KubePod, Namespace } from './schemas/workloads.js';

export interface KubeObjects {
  readonly namespaces: readonly Namespace[];
  readonly nodes: readonly KubeNode[];
  readonly pods: readonly KubePod[];
  readonly services: readonly Service[];
  readonly endpointSlices: readonly EndpointSlice[];
  readonly networkPolicies: readonly NetworkPolicy[];
  readonly clusterNetworkPolicies: readonly ClusterNetworkPolicy[];
}

export type KubeObject = KubeObjects[keyof KubeObjects][number];

/**
 * A network, and what Kubernetes holds about it where it was made of manifests: then every pod of
 * `objects` has its address in `status.podIP`.
 */
export type Network = Topology & { readonly objects?: KubeObjects };

/** A network that was made of manifests. */
export type Cluster = Topology & { readonly objects: KubeObjects };
