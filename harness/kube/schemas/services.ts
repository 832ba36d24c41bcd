/** Services and their endpoints (Kubernetes API reference, core/v1 and discovery.k8s.io/v1). */
import { z } from 'zod';
import {
  calledDifferently,
  labelsSchema,
  namespacedMetadata,
  nameSchema,
  only,
  struct,
  textThat,
  unused,
} from './metadata.js';
import { eitherIpComplaint, ipComplaint, portNameComplaint } from './well-formed.js';
import { portNumberSchema, portReferenceSchema, protocolSchema } from './workloads.js';

const portName = textThat(portNameComplaint);

const ip = textThat(ipComplaint);

const eitherIp = textThat(eitherIpComplaint);

/** ClientIPConfig: up to a day. */
const affinitySchema = z.int().refine((seconds) => seconds >= 1 && seconds <= 86_400, {
  error: ({ input }) => `expected 1 to 86400 seconds, got ${String(input)}`,
});

export const serviceSchema = struct({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata: namespacedMetadata,
  spec: struct({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']).default('ClusterIP'),
    clusterIP: z
      .string()
      .superRefine((text, context) => {
        const message = text === 'None' || text === '' ? undefined : eitherIpComplaint(text);
        if (message !== undefined) context.addIssue({ code: 'custom', message });
      })
      .optional(),
    /** One of each family that it has, `clusterIP` first. */
    clusterIPs: z.array(z.string()).optional(),
    ipFamilies: z.array(z.enum(['IPv4', 'IPv6'])).optional(),
    selector: labelsSchema.optional(),
    ports: z
      .array(
        struct({
          name: portName.optional(),
          protocol: protocolSchema.default('TCP'),
          port: portNumberSchema,
          targetPort: portReferenceSchema.optional(),
          nodePort: portNumberSchema.optional(),
          ...unused('appProtocol'),
        }),
      )
      .default([]),
    externalTrafficPolicy: z.enum(['Cluster', 'Local']).optional(),
    externalIPs: z.array(eitherIp).default([]),
    publishNotReadyAddresses: z.boolean().default(false),
    allocateLoadBalancerNodePorts: z.boolean().default(true),
    internalTrafficPolicy: z.enum(['Cluster', 'Local']).optional(),
    loadBalancerSourceRanges: z
      .array(z.unknown())
      .max(0, 'no ranges are served here: leave them out')
      .optional(),
    sessionAffinity: z.enum(['None', 'ClientIP']).default('None'),
    sessionAffinityConfig: struct({
      clientIP: struct({ timeoutSeconds: affinitySchema.default(10_800) }).optional(),
    }).optional(),
    ...unused(
      'externalName',
      'healthCheckNodePort',
      'ipFamilyPolicy',
      'loadBalancerClass',
      'loadBalancerIP',
      'trafficDistribution',
    ),
  }),
  status: struct({
    loadBalancer: struct({
      ingress: z
        .array(
          struct({ ip: eitherIp.optional(), ipMode: only('VIP'), ...unused('hostname', 'ports') }),
        )
        .default([]),
    }).optional(),
    ...unused('conditions'),
  }).default({}),
});

export const endpointSliceSchema = struct({
  apiVersion: z.literal('discovery.k8s.io/v1'),
  kind: z.literal('EndpointSlice'),
  metadata: namespacedMetadata,
  addressType: z.literal('IPv4'),
  endpoints: z
    .array(
      struct({
        addresses: z.array(ip).min(1, 'an endpoint needs an address'),
        conditions: struct({
          ready: z.boolean().optional(),
          serving: z.boolean().optional(),
          terminating: z.boolean().optional(),
        }).optional(),
        nodeName: nameSchema.optional(),
        ...unused('deprecatedTopology', 'hints', 'hostname', 'targetRef', 'zone'),
      }),
    )
    .default([]),
  ports: calledDifferently(
    struct({
      name: z.string().default(''),
      protocol: protocolSchema.default('TCP'),
      port: portNumberSchema.optional(),
      ...unused('appProtocol'),
    }),
    'port',
  ).default([]),
});

export type Service = Readonly<z.output<typeof serviceSchema>>;
export type EndpointSlice = Readonly<z.output<typeof endpointSliceSchema>>;
