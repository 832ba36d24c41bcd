/** NetworkPolicy (Kubernetes API reference, networking.k8s.io/v1) and Antrea's ClusterNetworkPolicy (security.antrea.tanzu.vmware.com/v1alpha1). */
import { z } from 'zod';
import { cidrContains, parseCidr } from '../base/address.js';
import { cidrSchema, clusterMetadata, namespacedMetadata, selectorSchema } from './metadata.js';
import { cidrComplaint } from './well-formed.js';
import { portNumberSchema, portReferenceSchema, protocolSchema } from './workloads.js';

const policyPortSchema = z.strictObject({
  protocol: protocolSchema.default('TCP'),
  port: portReferenceSchema.optional(),
  endPort: portNumberSchema.optional(),
}).superRefine(({ port, endPort }, context) => {
  if (endPort === undefined) return;
  if (typeof port !== 'number') context.addIssue({ code: 'custom', path: ['endPort'], message: 'endPort needs a port that is a number' });
  else if (endPort < port) context.addIssue({ code: 'custom', path: ['endPort'], message: `endPort ${endPort} comes before port ${port}` });
});

const clusterPolicyPortSchema = z.strictObject({ protocol: protocolSchema.default('TCP'), port: portReferenceSchema.optional() });

const ipBlockSchema = z.strictObject({
  cidr: cidrSchema,
  except: z.array(cidrSchema).optional(),
}).superRefine(({ cidr, except = [] }, context) => {
  if (cidrComplaint(cidr) !== undefined) return;
  const block = parseCidr(cidr);
  for (const [index, text] of except.entries()) {
    if (cidrComplaint(text) !== undefined) continue;
    const hole = parseCidr(text);
    if (!cidrContains(block, hole.number) || hole.prefixLength <= block.prefixLength) context.addIssue({ code: 'custom', path: ['except', index], message: `${text} is no smaller block within ${cidr}` });
  }
});

const peerShape = { podSelector: selectorSchema.optional(), namespaceSelector: selectorSchema.optional() };

interface PeerFields {
  readonly podSelector?: unknown;
  readonly namespaceSelector?: unknown;
  readonly ipBlock?: unknown;
}

/** A peer is an ipBlock, or pods by one selector or both. */
function checkPeer({ podSelector, namespaceSelector, ipBlock }: PeerFields, context: z.core.$RefinementCtx<PeerFields>): void {
  const selects = podSelector !== undefined || namespaceSelector !== undefined;
  if (selects && ipBlock !== undefined) context.addIssue({ code: 'custom', path: ['ipBlock'], message: 'a peer is an ipBlock or has selectors, not both' });
  if (!selects && ipBlock === undefined) context.addIssue({ code: 'custom', message: 'a peer needs podSelector, namespaceSelector or ipBlock; for everybody leave the whole list out' });
}

const peerSchema = z.strictObject({ ...peerShape, ipBlock: ipBlockSchema.optional() }).superRefine(checkPeer);
const clusterPeerSchema = z.strictObject({ ...peerShape, ipBlock: z.strictObject({ cidr: cidrSchema }).optional() }).superRefine(checkPeer);
const appliedToSchema = z.strictObject(peerShape).superRefine((peer, context) => {
  if (peer.podSelector === undefined && peer.namespaceSelector === undefined) context.addIssue({ code: 'custom', message: 'appliedTo needs podSelector or namespaceSelector; {} as a selector takes all' });
});

export const networkPolicySchema = z.strictObject({
  apiVersion: z.literal('networking.k8s.io/v1'),
  kind: z.literal('NetworkPolicy'),
  metadata: namespacedMetadata,
  spec: z.strictObject({
    podSelector: selectorSchema,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])).optional(),
    ingress: z.array(z.strictObject({ from: z.array(peerSchema).optional(), ports: z.array(policyPortSchema).optional() })).optional(),
    egress: z.array(z.strictObject({ to: z.array(peerSchema).optional(), ports: z.array(policyPortSchema).optional() })).optional(),
  }),
});

const actionSchema = z.enum(['Allow', 'Drop']);

export const clusterNetworkPolicySchema = z.strictObject({
  apiVersion: z.literal('security.antrea.tanzu.vmware.com/v1alpha1'),
  kind: z.literal('ClusterNetworkPolicy'),
  metadata: clusterMetadata,
  spec: z.strictObject({
    /** The lower, the earlier. */
    priority: z.number().refine((priority) => priority >= 1 && priority <= 10_000, { error: ({ input }) => `expected a priority from 1 to 10000, got ${String(input)}` }),
    appliedTo: z.array(appliedToSchema).min(1, 'appliedTo needs at least one entry'),
    ingress: z.array(z.strictObject({ action: actionSchema, from: z.array(clusterPeerSchema).optional(), ports: z.array(clusterPolicyPortSchema).optional() })).optional(),
    egress: z.array(z.strictObject({ action: actionSchema, to: z.array(clusterPeerSchema).optional(), ports: z.array(clusterPolicyPortSchema).optional() })).optional(),
  }),
});

export type NetworkPolicy = Readonly<z.output<typeof networkPolicySchema>>;
export type ClusterNetworkPolicy = Readonly<z.output<typeof clusterNetworkPolicySchema>>;
export type PolicyPeer = Readonly<z.output<typeof peerSchema>>;
export type PolicyPort = Readonly<z.output<typeof policyPortSchema>>;
export type IpBlock = Readonly<z.output<typeof ipBlockSchema>>;
export type PolicyAction = z.output<typeof actionSchema>;
