import type { LabelSelector } from '../kube/schemas/metadata.js';
import type { Network } from '../kube/objects.js';
import type { PolicyPeer } from '../kube/schemas/policies.js';

type Selectors = Pick<PolicyPeer, 'podSelector' | 'namespaceSelector'>;

/** The network as somebody sees it who reads every selector of a policy by `read`. */
export function misread(
  { objects, ...network }: Network,
  read: (selector: LabelSelector) => LabelSelector,
): Network {
  if (objects === undefined) return network;
  const peer = <Peer extends Selectors>(given: Peer): Peer => ({
    ...given,
    ...(given.podSelector === undefined ? {} : { podSelector: read(given.podSelector) }),
    ...(given.namespaceSelector === undefined
      ? {}
      : { namespaceSelector: read(given.namespaceSelector) }),
  });
  const ingress = <Rule extends { readonly from?: PolicyPeer[] | undefined }>(
    rules: readonly Rule[] | undefined,
  ): Rule[] | undefined =>
    rules?.map((rule) => (rule.from === undefined ? rule : { ...rule, from: rule.from.map(peer) }));
  const egress = <Rule extends { readonly to?: PolicyPeer[] | undefined }>(
    rules: readonly Rule[] | undefined,
  ): Rule[] | undefined =>
    rules?.map((rule) => (rule.to === undefined ? rule : { ...rule, to: rule.to.map(peer) }));
  return {
    ...network,
    objects: {
      ...objects,
      networkPolicies: objects.networkPolicies.map((policy) => ({
        ...policy,
        spec: {
          ...policy.spec,
          podSelector: read(policy.spec.podSelector),
          ingress: ingress(policy.spec.ingress),
          egress: egress(policy.spec.egress),
        },
      })),
      clusterNetworkPolicies: objects.clusterNetworkPolicies.map((policy) => ({
        ...policy,
        spec: {
          ...policy.spec,
          appliedTo: policy.spec.appliedTo.map(peer),
          ingress: ingress(policy.spec.ingress),
          egress: egress(policy.spec.egress),
        },
      })),
    },
  };
}
