/** Objects of Kubernetes as its API writes them, as far as the watcher reads them. */
import type { LabelSelector } from '../../kube/schemas/metadata.js';

export interface WatchedObjects {
  readonly namespaces: readonly WatchedNamespace[];
  readonly pods: readonly WatchedPod[];
  readonly policies: readonly WatchedPolicy[];
}

interface Metadata {
  readonly name: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface WatchedNamespace {
  readonly metadata: Metadata;
}

export interface WatchedPod {
  readonly metadata: Metadata & { readonly namespace: string };
  readonly spec: {
    readonly containers?: readonly WatchedContainer[];
    /** Those whose `restartPolicy` is `Always` run as long as the pod does. */
    readonly initContainers?: readonly (WatchedContainer & { readonly restartPolicy?: string })[];
  };
}

interface WatchedContainer {
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort: number;
    readonly protocol?: string;
  }[];
}

export interface WatchedPolicy {
  readonly metadata: Metadata & { readonly namespace: string };
  readonly spec: {
    readonly podSelector?: LabelSelector;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly {
      readonly from?: readonly WatchedPeer[];
      readonly ports?: readonly WatchedPort[];
    }[];
    readonly egress?: readonly {
      readonly to?: readonly WatchedPeer[];
      readonly ports?: readonly WatchedPort[];
    }[];
  };
}

/** What of policies becomes ACLs: in the seed's words, what comes in alone. */
export type Enforced = 'ingress' | 'ingress and egress';

export interface WatchedPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

export interface WatchedPort {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}
