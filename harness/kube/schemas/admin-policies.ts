/**
 * Policies of administrators (policy.networking.k8s.io): AdminNetworkPolicy and
 * BaselineAdminNetworkPolicy of v1alpha1, and ClusterNetworkPolicy of v1alpha2, which is both.
 */
import { z } from 'zod';
import { clusterMetadata, notModelled, selectorSchema, struct, unused } from './metadata.js';
import { blockSchema } from './policies.js';
import { portNumberSchema, protocolSchema } from './workloads.js';

const prioritySchema = z.int().refine((priority) => priority >= 0 && priority <= 1000, {
  error: ({ input }) => `expected a priority from 0 to 1000, got ${String(input)}`,
});

/** Exactly one of `names` is said. */
function oneOf(...names: readonly string[]) {
  return (value: object, context: z.core.$RefinementCtx<object>): void => {
    const said = names.filter((name) => Object.entries(value).some(([key]) => key === name));
    if (said.length !== 1)
      context.addIssue({
        code: 'custom',
        message: `expected one of ${names.join(', ')}, got ${said.join(' and ') || 'none'}`,
      });
  };
}

const namedPods = {
  namespaces: selectorSchema.optional(),
  pods: struct({ namespaceSelector: selectorSchema, podSelector: selectorSchema }).optional(),
};

const subjectSchema = struct(namedPods).superRefine(oneOf('namespaces', 'pods'));

const sourceSchema = struct(namedPods).superRefine(oneOf('namespaces', 'pods'));

const adminPeerSchema = struct({
  ...namedPods,
  networks: z.array(blockSchema).min(1, 'networks needs at least one block').optional(),
  ...notModelled('domainNames', 'nodes'),
}).superRefine(oneOf('namespaces', 'pods', 'networks', 'nodes', 'domainNames'));

const rangeShape = { start: portNumberSchema, end: portNumberSchema };

interface RangeFields {
  readonly start: number;
  readonly end: number;
}

function checkRange({ start, end }: RangeFields, context: z.core.$RefinementCtx<object>): void {
  if (end < start)
    context.addIssue({
      code: 'custom',
      path: ['end'],
      message: `end ${end} comes before start ${start}`,
    });
}

const adminPortSchema = struct({
  portNumber: struct({ protocol: protocolSchema, port: portNumberSchema }).optional(),
  portRange: struct({ protocol: protocolSchema.default('TCP'), ...rangeShape })
    .superRefine(checkRange)
    .optional(),
  namedPort: z.string().optional(),
}).superRefine(oneOf('portNumber', 'portRange', 'namedPort'));

const destinationPort = struct({
  destinationPort: struct({
    number: portNumberSchema.optional(),
    range: struct(rangeShape).superRefine(checkRange).optional(),
  })
    .superRefine(oneOf('number', 'range'))
    .optional(),
});

const adminProtocolSchema = struct({
  tcp: destinationPort.optional(),
  udp: destinationPort.optional(),
  sctp: destinationPort.optional(),
  destinationNamedPort: z.string().optional(),
}).superRefine(oneOf('tcp', 'udp', 'sctp', 'destinationNamedPort'));

/** `Pass` would have the policies of this tier asked no further. */
const adminRule = {
  ...unused('name'),
  action: z.enum(['Allow', 'Deny']),
  ports: z.array(adminPortSchema).optional(),
};

const tieredRule = {
  ...unused('name'),
  action: z.enum(['Accept', 'Deny']),
  protocols: z.array(adminProtocolSchema).optional(),
};

const from = z.array(sourceSchema).min(1, 'from needs at least one entry');
const to = z.array(adminPeerSchema).min(1, 'to needs at least one entry');

export const adminNetworkPolicySchema = struct({
  apiVersion: z.literal('policy.networking.k8s.io/v1alpha1'),
  kind: z.literal('AdminNetworkPolicy'),
  metadata: clusterMetadata,
  ...unused('status'),
  spec: struct({
    priority: prioritySchema,
    subject: subjectSchema,
    ingress: z.array(struct({ ...adminRule, from })).default([]),
    egress: z.array(struct({ ...adminRule, to })).default([]),
  }),
});

export const baselineAdminNetworkPolicySchema = struct({
  apiVersion: z.literal('policy.networking.k8s.io/v1alpha1'),
  kind: z.literal('BaselineAdminNetworkPolicy'),
  metadata: clusterMetadata,
  ...unused('status'),
  spec: struct({
    subject: subjectSchema,
    ingress: z.array(struct({ ...adminRule, from })).default([]),
    egress: z.array(struct({ ...adminRule, to })).default([]),
  }),
});

export const tieredNetworkPolicySchema = struct({
  apiVersion: z.literal('policy.networking.k8s.io/v1alpha2'),
  kind: z.literal('ClusterNetworkPolicy'),
  metadata: clusterMetadata,
  ...unused('status'),
  spec: struct({
    tier: z.enum(['Admin', 'Baseline']),
    priority: prioritySchema,
    subject: subjectSchema,
    ingress: z.array(struct({ ...tieredRule, from })).default([]),
    egress: z.array(struct({ ...tieredRule, to })).default([]),
  }),
});

export type AdminNetworkPolicy = Readonly<z.output<typeof adminNetworkPolicySchema>>;
export type BaselineAdminNetworkPolicy = Readonly<
  z.output<typeof baselineAdminNetworkPolicySchema>
>;
export type TieredNetworkPolicy = Readonly<z.output<typeof tieredNetworkPolicySchema>>;
export type AdminPort = Readonly<z.output<typeof adminPortSchema>>;
export type AdminProtocol = Readonly<z.output<typeof adminProtocolSchema>>;
export type AdminPeer = Readonly<z.output<typeof adminPeerSchema>>;
