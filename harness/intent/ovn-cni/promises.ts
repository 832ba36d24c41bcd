/**
 * What the CNI plugin promises: a switch a node and one router, as OVN has them, and to each pod
 * nothing that was not allowed. From the seed, "Securing containers": `network-isolation` and its
 * policies, in the words of today's NetworkPolicy.
 */
import { Unsupported } from '../../base/errors/errors.js';
import { oncePer } from '../../base/once-per.js';
import type { Intent } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { Stimulus } from '../../domain/test-vector.js';
import type { Topology } from '../../domain/topology.js';
import type { KubeObjects } from '../../kube/objects.js';
import type { OvnCniCluster } from '../../../topologies/ovn-cni/ovn-cni-topology.js';
import { intentOf } from '../intent.js';
import { externalServicePort } from '../kubernetes/service/external-access.js';
import { ovnPromises } from '../ovn/promises.js';

export const ovnCniPromises: ControlPlanePromises<OvnCniCluster> = {
  ...ovnPromises,
  whole: (cluster, stimulus) => intentOf(promised(cluster), stimulus, { ...ovnPromises, nodePort }),
};

/** Nobody serves what Services have outside of the cluster. */
function nodePort(cluster: Topology, stimulus: Stimulus): undefined {
  const { objects } = cluster as OvnCniCluster;
  if (externalServicePort({ ...cluster, objects }, stimulus) !== undefined)
    throw new Unsupported(
      'nothing is promised about ports of nodes and addresses from outside that Services have ' +
        'where OVN has switches and a router',
    );
  return undefined;
}

/** L0 of a cluster that the plugin and its watcher serve. */
export function ovnCniIntentOf(
  cluster: OvnCniCluster,
  stimulus: Stimulus,
  promises: ControlPlanePromises,
): Intent {
  return intentOf(cluster, stimulus, promises);
}

const promised = oncePer((cluster: OvnCniCluster): OvnCniCluster => {
  const { objects, watcher } = cluster;
  return {
    ...cluster,
    objects:
      watcher === 'has not run'
        ? { ...objects, networkPolicies: objects.namespaces.map(denyAll) }
        : asPoliciesOfToday(asWatched(objects, cluster.watched ?? objects), cluster.enforced),
  };
});

/** A namespace of pods that the watcher has not seen: nobody selects them, nothing lets them in. */
const unseen = 'ovn-cni-unseen';

/** Pods that are there, with labels and policies as the watcher has seen them last. */
function asWatched(objects: KubeObjects, watched: KubeObjects): KubeObjects {
  const keyOf = ({ metadata }: KubeObjects['pods'][number]) =>
    `${metadata.namespace}/${metadata.name}`;
  const seen = new Map(watched.pods.map((pod) => [keyOf(pod), pod]));
  const pods = objects.pods.map((pod) => {
    const before = seen.get(keyOf(pod));
    return before === undefined
      ? { ...pod, metadata: { ...pod.metadata, namespace: unseen, labels: {} } }
      : { ...pod, metadata: before.metadata };
  });
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: unseen, labels: {}, annotations: { [annotation]: 'on' } },
  } as unknown as KubeObjects['namespaces'][number];
  return { ...watched, pods, namespaces: [...watched.namespaces, namespace] };
}

type Policy = KubeObjects['networkPolicies'][number];

/** "simply means that all traffic coming into the interface is blocked" */
function denyAll({ metadata: { name } }: { readonly metadata: { readonly name: string } }): Policy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'ovn-cni-isolates', namespace: name, labels: {} },
    spec: { podSelector: {}, policyTypes: ['Ingress'] },
  };
}

/**
 * The same promises without the seed's annotation. A namespace where isolation is off has no
 * policies, whatever objects it has. Where it is on, pods take in nothing but what a policy lets
 * in, and a policy without `ingress` lets in everything. Where nothing is said, the policies are
 * those of today. What goes out is restricted where that is enforced, and else by nobody.
 */
export function asPoliciesOfToday(
  objects: KubeObjects,
  enforced: OvnCniCluster['enforced'] = 'ingress',
): KubeObjects {
  const stateOf = new Map(
    objects.namespaces.map(({ metadata }) => [metadata.name, isolationOf(metadata)]),
  );
  const policies = objects.networkPolicies.flatMap((policy): readonly Policy[] => {
    const { spec } = policy;
    switch (stateOf.get(policy.metadata.namespace)) {
      case 'off':
        return [];
      case 'on':
        return [
          {
            ...policy,
            spec: { ...spec, policyTypes: ['Ingress'], ingress: spec.ingress ?? [{}] },
          },
        ];
      default:
        return ingressAlone(policy);
    }
  });
  const outgoing =
    enforced === 'ingress'
      ? []
      : objects.networkPolicies.filter(({ metadata }) => stateOf.get(metadata.namespace) !== 'off');
  return {
    ...objects,
    networkPolicies: [
      ...policies,
      ...outgoing.flatMap(egressAlone),
      ...objects.namespaces.filter(({ metadata }) => isolationOf(metadata) === 'on').map(denyAll),
    ],
  };
}

/** A policy that is not about what comes in isolates nobody here. */
function ingressAlone(policy: Policy): readonly Policy[] {
  const { policyTypes, ingress } = policy.spec;
  const isolates = policyTypes === undefined || policyTypes.includes('Ingress');
  const { egress: _, ...spec } = policy.spec;
  return isolates || ingress !== undefined
    ? [{ ...policy, spec: { ...spec, policyTypes: ['Ingress'] } }]
    : [];
}

/** What it says of what goes out, as a policy of its own. */
function egressAlone(policy: Policy): readonly Policy[] {
  const { policyTypes, egress } = policy.spec;
  const isolates = policyTypes?.includes('Egress') ?? egress !== undefined;
  const { ingress: _, ...spec } = policy.spec;
  return isolates
    ? [
        {
          ...policy,
          metadata: { ...policy.metadata, name: `${policy.metadata.name}-egress` },
          spec: { ...spec, policyTypes: ['Egress'] },
        },
      ]
    : [];
}

const annotation = 'net.alpha.kubernetes.io/network-isolation';

function isolationOf(metadata: { readonly annotations?: unknown }): 'on' | 'off' | undefined {
  const annotations = (metadata.annotations ?? {}) as Readonly<Record<string, unknown>>;
  const value = annotations[annotation];
  return value === 'on' || value === 'off' ? value : undefined;
}
