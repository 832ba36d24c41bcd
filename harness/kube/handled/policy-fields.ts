/** Policies of all APIs. */
import {
  each,
  nothing,
  played,
  playedBy,
  refused,
  type ControlPlaneName,
  type FieldTable,
} from './handling.js';
import { metadataFields, namespacedFields } from './metadata-fields.js';

const statusOfPolicy = nothing('it says how far a policy has been programmed');

/** @param what `NetworkPolicies` */
const policies = (what: string, ...names: readonly ControlPlaneName[]) =>
  playedBy(names, refused(`${what} are not programmed there, and would be promised`));

export const networkPolicyFields: FieldTable = {
  '': policies('NetworkPolicies', 'antrea', 'ovn-kubernetes', 'ovn-cni'),
  ...namespacedFields,
  spec: played,
  status: statusOfPolicy,
};

const clusterWide = {
  '': policies('policies of the whole cluster', 'antrea'),
  ...metadataFields,
  spec: played,
  status: statusOfPolicy,
} as const satisfies FieldTable;

export const clusterNetworkPolicyFields: FieldTable = clusterWide;

const refusedParts = (path: string, ...names: readonly string[]) =>
  each(
    names.map((name) => `${path}.${name}`),
    refused('it decides over packets, and is not modelled here'),
  );

const logging = nothing('it is about what is logged');

const ofAntrea: FieldTable = {
  ...each(
    ['ingress', 'egress'].flatMap((list) =>
      ['enableLogging', 'logLabel', 'name'].map((name) => `spec.${list}.${name}`),
    ),
    logging,
  ),
  'spec.tier': refused('only application is served here'),
  ...Object.fromEntries(
    ['ingress', 'egress'].flatMap((list) =>
      Object.entries({
        ...refusedParts(`spec.${list}`, 'appliedTo', 'l7Protocols', 'protocols', 'toServices'),
        ...refusedParts(`spec.${list}.ports`, 'sourcePort', 'sourceEndPort'),
        ...refusedParts(
          `spec.${list}.${list === 'ingress' ? 'from' : 'to'}`,
          'externalEntitySelector',
          'fqdn',
          'group',
          'namespaces',
          'nodeSelector',
          'scope',
          'serviceAccount',
        ),
      }),
    ),
  ),
};

export const antreaClusterNetworkPolicyFields: FieldTable = { ...clusterWide, ...ofAntrea };

export const antreaNetworkPolicyFields: FieldTable = {
  ...clusterWide,
  ...namespacedFields,
  ...ofAntrea,
  ...refusedParts('spec.appliedTo', 'externalEntitySelector', 'group', 'serviceAccount'),
};

export const adminPolicyFields: FieldTable = {
  ...clusterWide,
  ...each(['spec.ingress.name', 'spec.egress.name'], nothing('it is for people to read')),
  ...refusedParts('spec.egress.to', 'domainNames', 'nodes'),
};
