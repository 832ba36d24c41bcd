/**
 * NetworkPolicy (Kubernetes API reference, networking.k8s.io/v1) and Antrea's ClusterNetworkPolicy
 * (security.antrea.tanzu.vmware.com/v1alpha1).
 */
import { z } from 'zod';
import {
  clusterMetadata,
  namespacedMetadata,
  selectorSchema,
  struct,
  textThat,
  unused,
} from './metadata.js';
import { blockComplaint, isSmallerWithin } from './well-formed.js';
import { portNumberSchema, portReferenceSchema, protocolSchema } from './workloads.js';

export const policyPortSchema = struct({
  protocol: protocolSchema.default('TCP'),
  port: portReferenceSchema.optional(),
  endPort: portNumberSchema.optional(),
}).superRefine(({ port, endPort }, context) => {
  if (endPort === undefined) return;
  if (typeof port !== 'number')
    context.addIssue({
      code: 'custom',
      path: ['endPort'],
      message: 'endPort needs a port that is a number',
    });
  else if (endPort < port)
    context.addIssue({
      code: 'custom',
      path: ['endPort'],
      message: `endPort ${endPort} comes before port ${port}`,
    });
});

const clusterPolicyPortSchema = struct({
  protocol: protocolSchema.default('TCP'),
  port: portReferenceSchema.optional(),
});

/**
 * Of either family, for clusters that have both have policies for both: nobody here has an address
 * in a block of IPv6. Any address of the block may stand for it: the API server takes
 * `10.10.1.77/24` for 10.10.1.0/24.
 */
export const blockSchema = textThat(blockComplaint);

export const ipBlockSchema = struct({
  cidr: blockSchema,
  except: z.array(blockSchema).optional(),
}).superRefine(({ cidr, except = [] }, context) => {
  if (blockComplaint(cidr) !== undefined) return;
  for (const [index, text] of except.entries()) {
    if (blockComplaint(text) === undefined && !isSmallerWithin(text, cidr))
      context.addIssue({
        code: 'custom',
        path: ['except', index],
        message: `${text} is no smaller block within ${cidr}`,
      });
  }
});

export const peerShape = {
  podSelector: selectorSchema.optional(),
  namespaceSelector: selectorSchema.optional(),
};

interface PeerFields {
  readonly podSelector?: unknown;
  readonly namespaceSelector?: unknown;
  readonly ipBlock?: unknown;
}

/** A peer is an ipBlock, or pods by one selector or both. */
export function checkPeer(
  { podSelector, namespaceSelector, ipBlock }: PeerFields,
  context: z.core.$RefinementCtx<PeerFields>,
): void {
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (selects && ipBlock !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['ipBlock'],
      message: 'a peer is an ipBlock or has selectors, not both',
    });
  if (!selects && ipBlock === undefined)
    context.addIssue({
      code: 'custom',
      message:
        'a peer needs podSelector, namespaceSelector or ipBlock; for everybody leave the ' +
        'whole list out',
    });
}

const peerSchema = struct({ ...peerShape, ipBlock: ipBlockSchema.optional() }).superRefine(
  checkPeer,
);
const clusterPeerSchema = struct({
  ...peerShape,
  ipBlock: struct({ cidr: blockSchema }).optional(),
}).superRefine(checkPeer);
export const appliedToSchema = struct(peerShape).superRefine((peer, context) => {
  if (peer.podSelector === undefined && peer.namespaceSelector === undefined)
    context.addIssue({
      code: 'custom',
      message: 'appliedTo needs podSelector or namespaceSelector; {} as a selector takes all',
    });
});

export const networkPolicySchema = struct({
  apiVersion: z.literal('networking.k8s.io/v1'),
  kind: z.literal('NetworkPolicy'),
  metadata: namespacedMetadata,
  ...unused('status'),
  /** What is left out is empty, as the API server has it: an empty selector takes all pods. */
  spec: struct({
    podSelector: selectorSchema.default({}),
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])).optional(),
    ingress: z
      .array(
        struct({
          from: z.array(peerSchema).optional(),
          ports: z.array(policyPortSchema).optional(),
        }),
      )
      .optional(),
    egress: z
      .array(
        struct({ to: z.array(peerSchema).optional(), ports: z.array(policyPortSchema).optional() }),
      )
      .optional(),
  }).default({ podSelector: {} }),
});

export const clusterPrioritySchema = z
  .number()
  .refine((priority) => priority >= 1 && priority <= 10_000, {
    error: ({ input }) => `expected a priority from 1 to 10000, got ${String(input)}`,
  });

export const actionSchema = z.enum(['Allow', 'Drop']);

export const clusterNetworkPolicySchema = struct({
  apiVersion: z.literal('security.antrea.tanzu.vmware.com/v1alpha1'),
  kind: z.literal('ClusterNetworkPolicy'),
  metadata: clusterMetadata,
  ...unused('status'),
  spec: struct({
    /** The lower, the earlier. */
    priority: clusterPrioritySchema,
    appliedTo: z.array(appliedToSchema).min(1, 'appliedTo needs at least one entry'),
    ingress: z
      .array(
        struct({
          action: actionSchema,
          from: z.array(clusterPeerSchema).optional(),
          ports: z.array(clusterPolicyPortSchema).optional(),
        }),
      )
      .optional(),
    egress: z
      .array(
        struct({
          action: actionSchema,
          to: z.array(clusterPeerSchema).optional(),
          ports: z.array(clusterPolicyPortSchema).optional(),
        }),
      )
      .optional(),
  }),
});

export type NetworkPolicy = Readonly<z.output<typeof networkPolicySchema>>;
export type ClusterNetworkPolicy = Readonly<z.output<typeof clusterNetworkPolicySchema>>;
export type PolicyPeer = Readonly<z.output<typeof peerSchema>>;
export type PolicyPort = Readonly<z.output<typeof policyPortSchema>>;
export type IpBlock = Readonly<z.output<typeof ipBlockSchema>>;
export type PolicyAction = z.output<typeof actionSchema>;
