/**
 * Namespaces, nodes and pods (Kubernetes API reference, core/v1), as far as a network depends on
 * them.
 */
import { z } from 'zod';
import {
  calledDifferently,
  clusterMetadata,
  looseStruct,
  nameSchema,
  podMetadata,
  struct,
  textThat,
  unused,
} from './metadata.js';
import { eitherCidrComplaint, eitherIpComplaint, portNameComplaint } from './well-formed.js';

const eitherIp = textThat(eitherIpComplaint);

const eitherCidrSchema = textThat(eitherCidrComplaint);

export const protocolSchema = z.enum(['TCP', 'UDP', 'SCTP']);

export const portNumberSchema = z.int().refine((port) => port >= 1 && port <= 65535, {
  error: ({ input }) => `expected a port from 1 to 65535, got ${String(input)}`,
});

/** A number, or the name that a container gives it. */
export const portReferenceSchema = z
  .unknown()
  .superRefine((port, context) => {
    const complaint = portComplaint(port);
    if (complaint !== undefined)
      context.addIssue({ code: 'custom', message: complaint, input: port });
  })
  .transform((port) => port as number | string);

function portComplaint(port: unknown): string | undefined {
  if (typeof port === 'string') return portNameComplaint(port);
  return portNumberSchema.safeParse(port).success
    ? undefined
    : `expected a port from 1 to 65535 or the name of one, got ${JSON.stringify(port)}`;
}

export const namespaceSchema = struct({
  apiVersion: z.literal('v1'),
  kind: z.literal('Namespace'),
  metadata: clusterMetadata,
  ...unused('spec', 'status'),
});

export const nodeSchema = struct({
  apiVersion: z.literal('v1'),
  kind: z.literal('Node'),
  metadata: clusterMetadata,
  spec: struct({
    podCIDR: eitherCidrSchema.optional(),
    podCIDRs: z.array(eitherCidrSchema).optional(),
    ...unused('configSource', 'externalID', 'providerID', 'taints', 'unschedulable'),
  }).default({}),
  status: looseStruct({
    addresses: z
      .array(
        struct({
          type: z.enum(['Hostname', 'InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS']),
          address: z.string(),
        }),
      )
      .default([]),
  }).default({ addresses: [] }),
});

const containerPortSchema = struct({
  name: textThat(portNameComplaint).optional(),
  containerPort: portNumberSchema,
  protocol: protocolSchema.default('TCP'),
  ...unused('hostIP', 'hostPort'),
});

const containerSchema = struct({
  name: nameSchema,
  ports: calledDifferently(containerPortSchema, 'port').default([]),
  /** Of an init container, `Always` makes it a sidecar: it runs as long as the pod does. */
  restartPolicy: z.string().optional(),
  ...unused(
    'args',
    'command',
    'env',
    'envFrom',
    'image',
    'imagePullPolicy',
    'lifecycle',
    'livenessProbe',
    'readinessProbe',
    'resizePolicy',
    'resources',
    'securityContext',
    'startupProbe',
    'stdin',
    'stdinOnce',
    'terminationMessagePath',
    'terminationMessagePolicy',
    'tty',
    'volumeDevices',
    'volumeMounts',
    'workingDir',
  ),
});

export const podSchema = struct({
  apiVersion: z.literal('v1'),
  kind: z.literal('Pod'),
  metadata: podMetadata,
  spec: struct({
    nodeName: nameSchema,
    hostNetwork: z.boolean().default(false),
    containers: calledDifferently(containerSchema, 'container').default([]),
    initContainers: calledDifferently(containerSchema, 'container').optional(),
    ...unused(
      'activeDeadlineSeconds',
      'affinity',
      'automountServiceAccountToken',
      'dnsConfig',
      'dnsPolicy',
      'enableServiceLinks',
      'ephemeralContainers',
      'hostAliases',
      'hostIPC',
      'hostPID',
      'hostUsers',
      'hostname',
      'imagePullSecrets',
      'nodeSelector',
      'os',
      'overhead',
      'preemptionPolicy',
      'priority',
      'priorityClassName',
      'readinessGates',
      'resourceClaims',
      'restartPolicy',
      'runtimeClassName',
      'schedulerName',
      'schedulingGates',
      'securityContext',
      'serviceAccount',
      'serviceAccountName',
      'setHostnameAsFQDN',
      'shareProcessNamespace',
      'subdomain',
      'terminationGracePeriodSeconds',
      'tolerations',
      'topologySpreadConstraints',
      'volumes',
    ),
  }),
  /**
   * `podIP` is what the network gave it, the first of `podIPs`, which has one of each family; of a
   * pod on the host's network, the node's.
   */
  status: looseStruct({
    podIP: eitherIp.optional(),
    podIPs: z.array(looseStruct({ ip: eitherIp })).optional(),
    phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']).optional(),
    conditions: z
      .array(
        looseStruct({
          type: z.string(),
          status: z.enum(['True', 'False', 'Unknown']),
        }),
      )
      .optional(),
  }).default({}),
});

/**
 * Whether the pod takes requests for Services (Kubernetes, "Pod conditions", `Ready`). Of one that
 * was written by hand and says nothing of its state it is taken for granted.
 */
export function isReady({ status: { phase, conditions } }: KubePod): boolean {
  if (conditions === undefined) return phase === undefined || phase === 'Running';
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/**
 * Whether all of a pod's containers have ended (Kubernetes, "Pod phase"): it has no network any
 * more, and its address may be another's.
 */
export function hasEnded({ status: { phase } }: KubePod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

export type Protocol = z.output<typeof protocolSchema>;
export type Namespace = Readonly<z.output<typeof namespaceSchema>>;
export type KubeNode = Readonly<z.output<typeof nodeSchema>>;
export type KubePod = Readonly<z.output<typeof podSchema>>;
export type ContainerPort = Readonly<z.output<typeof containerPortSchema>>;
