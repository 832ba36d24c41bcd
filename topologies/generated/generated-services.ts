/**
 * Services of generated timelines: what can be behind them, and who asks for them by which address.
 */
import type { Random } from '../../harness/base/random.js';
import type { ExternalHost } from '../../harness/domain/topology.js';
import { addressIn, externalAddress, macOf, podSubnet } from '../addresses.js';
import type { Manifest } from '../changing-cluster.js';
import { pod } from './generated-policies.js';
import { type GeneratedSize } from './generated-values.js';

/**
 * Pods of these are on networks of their own. Fewer than pods have otherwise, so that most Services
 * have endpoints now and then.
 */
const namespaces = ['default', 'shop'] as const;

/**
 * Endpoints in this one are no pods of the pods' network: pods on the host's network, and hosts
 * outside.
 */
const apart = 'lab';
const selectors = [
  { app: 'web' },
  { tier: 'front' },
  { tier: 'front' },
  { tier: 'back' },
  { tier: 'back' },
] as const;

/** Ports that Services have, and are asked for. */
const ports = [80, 80, 80, 8080] as const;

/**
 * Not SCTP: Open vSwitch before 3.2 tracks it by addresses alone, so that what is sent for the
 * first time is taken for part of what was there before.
 */
const protocols = [['TCP'], ['TCP'], ['UDP'], ['TCP', 'UDP']] as const;

/** Hosts outside: they ask nodes' ports, and are behind Services that select nobody. */
export const hostsOutside: readonly ExternalHost[] = [1, 2].map((number) => ({
  name: `x${number}`,
  ip: externalAddress(number),
  mac: macOf(externalAddress(number)),
}));

/**
 * Of pods of a namespace with a label, or of nobody but whom a slice names, on the port that every
 * host answers on; of every other one clients keep their endpoint, and of as many nodes have ports.
 * Its address is its own alone.
 */
export function service(random: Random, number: number): Manifest {
  const namespace = random.integer(1, 4) === 1 ? apart : pick(random, namespaces);
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: `svc${number}`, namespace },
    spec: { clusterIP: `10.96.1.${number}`, ...servicePart(random, { number, namespace }) },
  } as Manifest;
}

/** The same Service, asked for by another port, behind which others are. */
export function serviceChanged(random: Random, manifest: Manifest): Manifest {
  const { clusterIP } = manifest.spec as { readonly clusterIP: string };
  return {
    ...manifest,
    spec: {
      clusterIP,
      ...servicePart(random, {
        number: numberIn(manifest.metadata.name),
        namespace: manifest.metadata.namespace ?? '',
      }),
    },
  };
}

function servicePart(
  random: Random,
  { number, namespace }: { readonly number: number; readonly namespace: string },
): object {
  const affinity = random.integer(1, 2) === 1 ? { sessionAffinity: 'ClientIP' } : {};
  const outside =
    random.integer(1, 2) === 1
      ? { type: 'NodePort', externalTrafficPolicy: pick(random, ['Cluster', 'Local']) }
      : {};
  const port = pick(random, ports);
  const ofNodes = 'type' in outside ? { nodePort: nodePortOf(number) } : {};
  return {
    ...(namespace === apart && random.integer(1, 2) === 1
      ? {}
      : { selector: pick(random, selectors) }),
    ports: pick(random, protocols).map((protocol) => ({
      name: protocol.toLowerCase(),
      protocol,
      port,
      targetPort: 7,
      ...ofNodes,
    })),
    ...affinity,
    ...outside,
  };
}

/**
 * Who of the hosts outside is behind a Service that selects nobody; undefined where there is none
 * such.
 */
export function slice(random: Random, services: readonly Manifest[]): Manifest | undefined {
  const open = services.filter(({ spec }) => !('selector' in (spec as object)));
  if (open.length === 0) return undefined;
  const chosen = pick(random, open);
  const { name, namespace } = chosen.metadata;
  const some = hostsOutside.filter(() => random.integer(1, 3) > 1);
  return {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: portsOf(chosen).map(({ name: called, protocol }) => ({
      name: called,
      protocol,
      port: 7,
    })),
    endpoints: some.map(({ ip }) => ({
      addresses: [ip],
      conditions: { ready: random.integer(1, 4) > 1 },
    })),
  } as Manifest;
}

/** How a Service is called by who asks for it (`Sending`). */
export function serviceName({ metadata: { name, namespace = 'default' } }: Manifest): string {
  return `Service ${namespace === 'default' ? '' : `${namespace}/`}${name}`;
}

export function somePort(random: Random): number {
  return pick(random, ports);
}

/** Connections stay open to pods alone. */
export function allowsLongConnections(asked: string): boolean {
  return !asked.startsWith(`Service ${apart}/`);
}

export function portsOf({ spec }: Manifest): readonly {
  readonly name: string;
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
}[] {
  return (
    spec as {
      readonly ports: readonly {
        readonly name: string;
        readonly protocol: 'TCP' | 'UDP';
        readonly port: number;
      }[];
    }
  ).ports;
}

export interface PodSpec {
  readonly nodeName: string;
  readonly hostNetwork?: boolean;
}

/**
 * One on a network of its own, with an address that no pod had before: of a connection to a Service
 * nothing is promised whose endpoint is somebody else by now.
 */
export function endpointPod(
  random: Random,
  number: number,
  size: GeneratedSize,
  nodeName?: string,
): Manifest {
  const { spec, metadata, ...rest } = pod(random, number, size);
  const { hostNetwork: _, ...own } = spec;
  const node = nodeName ?? spec.nodeName;
  return {
    ...rest,
    metadata: { ...metadata, namespace: pick(random, namespaces) },
    spec: { ...own, nodeName: node },
    status: { podIP: addressIn(podSubnet(numberIn(node)), firstAddress + number) },
  };
}

/** One on the node's own network, of which there is one a node. */
export function hostPod(random: Random, nodeName: string): Manifest {
  const { spec, metadata, ...rest } = pod(random, 1, {
    nodes: 1,
    pods: 1,
    networkPolicies: 0,
    clusterNetworkPolicies: 0,
  });
  return {
    ...rest,
    metadata: { ...metadata, name: `host-${nodeName}`, namespace: apart },
    spec: { ...spec, nodeName, hostNetwork: true },
  };
}

/** Behind those that pods get without asking. */
const firstAddress = 50;

/** Each Service has one for all of its protocols. */
export function nodePortOf(service: number): number {
  return 30_000 + service;
}

export function numberIn(name: string): number {
  return Number(/\d+$/.exec(name)?.[0]);
}

export function pick<T>(random: Random, all: readonly T[]): T {
  return all[random.integer(0, all.length - 1)] as T;
}
