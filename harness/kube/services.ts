/** Services and their endpoints (Kubernetes API reference, core/v1 and discovery.k8s.io/v1). */
import { z } from 'zod';
import { namespacedMetadata, nameSchema, textThat, unused } from './metadata.js';
import { ipComplaint, portNameComplaint } from './well-formed.js';
import { portNumberSchema, portReferenceSchema, protocolSchema } from './workloads.js';

const portName = textThat(portNameComplaint);

export const serviceSchema = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: namespacedMetadata,
  spec: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']).default('ClusterIP'),
    clusterIP: z.string().superRefine((text, context) => {
      const message = text === 'None' || text === '' ? undefined : ipComplaint(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }).optional(),
    selector: z.record(z.string(), z.string()).optional(),
    ports: z.array(z.strictObject({
      name: portName.optional(),
      protocol: protocolSchema.default('TCP'),
      port: portNumberSchema,
      targetPort: portReferenceSchema.optional(),
      nodePort: portNumberSchema.optional(),
      ...unused('appProtocol'),
    })).default([]),
    sessionAffinity: z.enum(['None', 'ClientIP']).default('None'),
    sessionAffinityConfig: z.strictObject({ clientIP: z.strictObject({ timeoutSeconds: z.int().min(1).max(86_400).default(10_800) }).optional() }).optional(),
    ...unused(
      'allocateLoadBalancerNodePorts', 'clusterIPs', 'externalIPs', 'externalName', 'externalTrafficPolicy', 'healthCheckNodePort', 'internalTrafficPolicy', 'ipFamilies', 'ipFamilyPolicy',
      'loadBalancerClass', 'loadBalancerIP', 'loadBalancerSourceRanges', 'publishNotReadyAddresses', 'trafficDistribution',
    ),
  }),
  ...unused('status'),
});

export const endpointSliceSchema = z.strictObject({
  apiVersion: z.literal('discovery.k8s.io/v1'),
  kind: z.literal('EndpointSlice'),
  metadata: namespacedMetadata,
  addressType: z.literal('IPv4'),
  endpoints: z.array(z.strictObject({
    addresses: z.array(textThat(ipComplaint)).min(1, 'an endpoint needs an address'),
    conditions: z.strictObject({ ready: z.boolean().optional(), serving: z.boolean().optional(), terminating: z.boolean().optional() }).optional(),
    nodeName: nameSchema.optional(),
    ...unused('deprecatedTopology', 'hints', 'hostname', 'targetRef', 'zone'),
  })).default([]),
  ports: z.array(z.strictObject({ name: z.string().default(''), protocol: protocolSchema.default('TCP'), port: portNumberSchema.optional(), ...unused('appProtocol') })).default([]),
});

export type Service = Readonly<z.output<typeof serviceSchema>>;
export type EndpointSlice = Readonly<z.output<typeof endpointSliceSchema>>;
