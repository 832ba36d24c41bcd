/**
 * Antrea's policies since 1.0 (crd.antrea.io): the ClusterNetworkPolicy, and the NetworkPolicy of
 * one namespace. Read is what the ClusterNetworkPolicy of before could say as well.
 */
import { z } from 'zod';
import {
  clusterMetadata,
  namespacedMetadata,
  notModelled,
  only,
  selectorSchema,
  struct,
  unused,
} from './metadata.js';
import {
  actionSchema,
  appliedToSchema,
  checkPeer,
  clusterPrioritySchema,
  ipBlockSchema,
  peerShape,
} from './policies.js';
import { portNumberSchema, portReferenceSchema, protocolSchema } from './workloads.js';

const versions = z.enum(['crd.antrea.io/v1beta1', 'crd.antrea.io/v1alpha1']);

const antreaPortSchema = struct({
  protocol: protocolSchema.default('TCP'),
  port: portReferenceSchema.optional(),
  endPort: portNumberSchema.optional(),
  ...notModelled('sourcePort', 'sourceEndPort'),
}).superRefine(({ port, endPort }, context) => {
  if (endPort !== undefined && (typeof port !== 'number' || endPort < port))
    context.addIssue({
      code: 'custom',
      path: ['endPort'],
      message: 'endPort needs a port that is a number and no greater',
    });
});

const antreaPeerSchema = struct({
  ...peerShape,
  ipBlock: ipBlockSchema.optional(),
  ...notModelled(
    'externalEntitySelector',
    'fqdn',
    'group',
    'namespaces',
    'nodeSelector',
    'scope',
    'serviceAccount',
  ),
}).superRefine(checkPeer);

const antreaRule = {
  action: actionSchema,
  ports: z.array(antreaPortSchema).optional(),
  ...unused('enableLogging', 'logLabel', 'name'),
  ...notModelled('appliedTo', 'l7Protocols', 'protocols', 'toServices'),
};

const antreaPolicy = {
  priority: clusterPrioritySchema,
  /** Policies of another tier come before or after all of these. */
  tier: only('application'),
  ingress: z
    .array(struct({ ...antreaRule, from: z.array(antreaPeerSchema).optional() }))
    .optional(),
  egress: z.array(struct({ ...antreaRule, to: z.array(antreaPeerSchema).optional() })).optional(),
};

export const antreaClusterNetworkPolicySchema = struct({
  apiVersion: versions,
  kind: z.literal('ClusterNetworkPolicy'),
  metadata: clusterMetadata,
  ...unused('status'),
  spec: struct({
    ...antreaPolicy,
    appliedTo: z.array(appliedToSchema).min(1, 'appliedTo needs at least one entry'),
  }),
});

export const antreaNetworkPolicySchema = struct({
  apiVersion: versions,
  kind: z.literal('NetworkPolicy'),
  metadata: namespacedMetadata,
  ...unused('status'),
  spec: struct({
    ...antreaPolicy,
    appliedTo: z
      .array(
        struct({
          podSelector: selectorSchema,
          ...notModelled('externalEntitySelector', 'group', 'serviceAccount'),
        }),
      )
      .min(1, 'appliedTo needs at least one entry'),
  }),
});

export type AntreaClusterNetworkPolicy = Readonly<
  z.output<typeof antreaClusterNetworkPolicySchema>
>;
export type AntreaNetworkPolicy = Readonly<z.output<typeof antreaNetworkPolicySchema>>;
