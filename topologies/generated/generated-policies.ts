/** Clusters whose policies overlap and contradict each other, from a seed. */
import { randomFor, type Random } from '../../harness/base/random.js';
import type { ManifestFile } from '../../harness/kube/manifests.js';
import type { AntreaCluster } from '../antrea/antrea-topology.js';
import type { ExternalHost } from '../../harness/domain/topology.js';
import { addressIn, externalAddress, macOf, podSubnet } from '../addresses.js';
import { type AntreaClusterOptions, readAntreaCluster } from '../antrea/read-antrea-cluster.js';

export interface GeneratedSize {
  readonly nodes: number;
  readonly pods: number;
  readonly networkPolicies: number;
  readonly clusterNetworkPolicies: number;
  /** None unless told. */
  readonly externalHosts?: number;
  /** Every node has ports for every pod, by a Service each. */
  readonly hasNodePorts?: boolean;
}

/**
 * Labels, namespaces and ports come from short lists, so that most policies are about several pods,
 * and most pods have several policies.
 */
const values = {
  app: ['web', 'api', 'db'],
  tier: ['front', 'back'],
  team: ['red', 'blue'],
} as const;
const namespaces = ['default', 'shop', 'lab'] as const;
/** What a port's name stands for depends on the pod. */
const namedPorts = [
  { name: 'http', containerPort: 80 },
  { name: 'http', containerPort: 8080 },
  { name: 'dns', containerPort: 53, protocol: 'UDP' },
  { name: 'sync', containerPort: 9000, protocol: 'SCTP' },
] as const;

/** The cluster of `generatedManifests`. */
export function generatedCluster(seed: number, size: GeneratedSize): AntreaCluster {
  return readAntreaCluster([generatedManifests(seed, size)], generatedOptions(seed, size));
}

/** What of it Kubernetes has no objects for. */
export function generatedOptions(
  seed: number,
  { externalHosts = 0 }: GeneratedSize,
): AntreaClusterOptions {
  return {
    name: `policies-${seed}`,
    tunnel: 'geneve',
    externalHosts: count(externalHosts, externalHost),
  };
}

/** It answers on some of the ports that policies are about. */
function externalHost(number: number): ExternalHost {
  const ip = externalAddress(number);
  return {
    name: `x${number}`,
    ip,
    mac: macOf(ip),
    listens: [
      { protocol: 'TCP', port: 80 },
      { protocol: 'UDP', port: 53 },
    ],
  };
}

/**
 * Manifests of a cluster, the same for the same seed and size. The i-th pod is called `pi` and
 * lives on the nodes in turn.
 */
export function generatedManifests(seed: number, size: GeneratedSize): ManifestFile {
  const random = randomFor(seed, 'policies');
  const services: object[] = [];
  const objects = [
    ...count(size.nodes, (n) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${n}` } })),
    ...namespaces.slice(1).map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { team: pick(random, values.team) } },
    })),
    ...count(size.pods, (n) => {
      const drawn = pod(random, n, size);
      if (size.hasNodePorts !== true || drawn.spec.hostNetwork === true) return drawn;
      services.push(exposing(drawn, n));
      return {
        ...drawn,
        metadata: {
          ...drawn.metadata,
          labels: { ...drawn.metadata.labels, pod: drawn.metadata.name },
        },
      };
    }),
    ...services,
    ...count(size.networkPolicies, (n) => networkPolicy(random, n, size)),
    ...count(size.clusterNetworkPolicies, (n) => clusterNetworkPolicy(random, n, size)),
  ];
  return {
    file: `policies of seed ${seed}`,
    text: objects.map((object) => JSON.stringify(object, null, 1)).join('\n---\n'),
  };
}

export interface DrawnPod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly nodeName: string;
    readonly hostNetwork?: boolean;
    readonly containers: readonly {
      readonly name: string;
      readonly ports: readonly {
        readonly name: string;
        readonly protocol?: string;
        readonly containerPort: number;
      }[];
    }[];
  };
}

/**
 * The pod's own: on the port that every host answers on, and on those of its containers. Policies
 * of every second one see who asks from outside, those of the others a node.
 */
function exposing({ metadata: { name, namespace }, spec }: DrawnPod, number: number): object {
  const named = spec.containers
    .flatMap(({ ports }) => ports)
    .filter(({ protocol }) => protocol !== 'SCTP');
  const ports = [
    { name: 'echo', port: 7 },
    ...named.map(({ name: called, containerPort, ...more }) => ({
      name: called,
      port: containerPort,
      ...more,
    })),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: {
      type: 'NodePort',
      externalTrafficPolicy: number % 2 === 0 ? 'Local' : 'Cluster',
      selector: { pod: name },
      ports,
    },
  };
}

export function pod(random: Random, number: number, { nodes }: GeneratedSize): DrawnPod {
  const labels = Object.fromEntries(
    Object.entries(values)
      .filter(() => chance(random, 75))
      .map(([key, known]) => [key, pick<string>(random, known)]),
  );
  const ports = chance(random, 70)
    ? [pick(random, namedPorts.slice(0, 2)), ...(chance(random, 50) ? namedPorts.slice(2) : [])]
    : [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${number}`, namespace: pick(random, namespaces), labels },
    spec: {
      nodeName: `n${((number - 1) % nodes) + 1}`,
      ...(chance(random, 5) ? { hostNetwork: true } : {}),
      containers: [{ name: 'main', ports }],
    },
  };
}

export function networkPolicy(random: Random, number: number, size: GeneratedSize): object {
  const types = pick(random, [undefined, ['Ingress'], ['Egress'], ['Ingress', 'Egress']]);
  const rules = (peers: 'from' | 'to') =>
    chance(random, 80)
      ? count(random.integer(0, 2), () => ({
          ...somePeers(random, peers, 'NetworkPolicy', size),
          ...somePorts(random, 'NetworkPolicy'),
        }))
      : undefined;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: `np${number}`, namespace: pick(random, namespaces) },
    spec: {
      podSelector: selector(random),
      ...(types === undefined ? {} : { policyTypes: types }),
      ingress: rules('from'),
      egress: rules('to'),
    },
  };
}

/**
 * Each of a priority of its own, for what equal ones mean nobody says; some within one zone of
 * Antrea's, some past the last.
 */
export function clusterNetworkPolicy(random: Random, number: number, size: GeneratedSize): object {
  const rules = (peers: 'from' | 'to') =>
    count(random.integer(0, 3), () => ({
      action: pick(random, ['Allow', 'Drop']),
      ...somePeers(random, peers, 'ClusterNetworkPolicy', size),
      ...somePorts(random, 'ClusterNetworkPolicy'),
    }));
  const priority = pick(random, [number, 5 + number / 1000, 200 + number]);
  return {
    apiVersion: 'security.antrea.tanzu.vmware.com/v1alpha1',
    kind: 'ClusterNetworkPolicy',
    metadata: { name: `cnp${number}` },
    spec: {
      priority,
      appliedTo: count(random.integer(1, 2), () => selection(random)),
      ingress: rules('from'),
      egress: rules('to'),
    },
  };
}

type PolicyKind = 'NetworkPolicy' | 'ClusterNetworkPolicy';

function somePeers(
  random: Random,
  name: 'from' | 'to',
  kind: PolicyKind,
  size: GeneratedSize,
): object {
  if (chance(random, 15)) return chance(random, 50) ? {} : { [name]: [] };
  return {
    [name]: count(random.integer(1, 3), () =>
      chance(random, 35) ? { ipBlock: ipBlock(random, kind, size) } : selection(random),
    ),
  };
}

function selection(random: Random): object {
  return pick<() => object>(random, [
    () => ({ podSelector: selector(random) }),
    () => ({ namespaceSelector: namespaceSelector(random) }),
    () => ({ podSelector: selector(random), namespaceSelector: namespaceSelector(random) }),
  ])();
}

function selector(random: Random): object {
  if (chance(random, 20)) return {};
  const key = pick(random, Object.keys(values) as (keyof typeof values)[]);
  const expression = { key, ...expressionOn(random, values[key]) };
  return pick<object>(random, [
    { matchLabels: { [key]: pick<string>(random, values[key]) } },
    { matchExpressions: [expression] },
    { matchLabels: { app: pick(random, values.app) }, matchExpressions: [expression] },
  ]);
}

function namespaceSelector(random: Random): object {
  return pick<object>(random, [
    {},
    { matchLabels: { team: pick(random, values.team) } },
    {
      matchExpressions: [
        { key: 'kubernetes.io/metadata.name', ...expressionOn(random, namespaces) },
      ],
    },
  ]);
}

function expressionOn(random: Random, known: readonly string[]): object {
  const some = known.slice(random.integer(0, known.length - 1));
  return pick<object>(random, [
    { operator: 'In', values: some },
    { operator: 'NotIn', values: some },
    { operator: 'Exists' },
    { operator: 'DoesNotExist' },
  ]);
}

/**
 * Blocks as large as a pod, a few pods, a node's pods, all of the cluster, and everything, with and
 * without holes.
 */
function ipBlock(random: Random, kind: PolicyKind, { nodes }: GeneratedSize): object {
  const subnet = podSubnet(random.integer(1, nodes));
  const one = `${addressIn(subnet, random.integer(1, 6))}/32`;
  const [cidr = '', ...holes] = pick(random, [
    [one],
    [`${subnet}/30`, one],
    [`${addressIn(subnet, 4)}/30`],
    [`${subnet}/24`, `${subnet}/30`, one],
    ['10.10.0.0/16', `${subnet}/24`, `${subnet}/25`],
    ['0.0.0.0/0', `${subnet}/24`],
  ]);
  const within = holes.filter((hole) => isWithin(hole, cidr));
  return kind === 'NetworkPolicy' && within.length > 0 && chance(random, 70)
    ? { cidr, except: within }
    : { cidr };
}

function isWithin(hole: string, cidr: string): boolean {
  const [start = '', length = ''] = cidr.split('/');
  const [holeStart = '', holeLength = ''] = hole.split('/');
  if (Number(holeLength) <= Number(length)) return false;
  const number = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return (
    Math.floor(number(holeStart) / 2 ** (32 - Number(length))) ===
    Math.floor(number(start) / 2 ** (32 - Number(length)))
  );
}

function somePorts(random: Random, kind: PolicyKind): object {
  if (chance(random, 25)) return chance(random, 50) ? {} : { ports: [] };
  const range = kind === 'NetworkPolicy' ? [{ port: 75, endPort: 8085 }] : [];
  return {
    ports: count(random.integer(1, 2), () =>
      pick<object>(random, [
        { port: 80 },
        { port: 'http' },
        { protocol: 'UDP', port: 'dns' },
        { protocol: 'UDP', port: 53 },
        { protocol: 'UDP' },
        { protocol: 'TCP' },
        { protocol: 'SCTP', port: 'sync' },
        { port: 8080 },
        ...range,
      ]),
    ),
  };
}

function count<T>(number: number, make: (number: number) => T): readonly T[] {
  return Array.from({ length: number }, (_, index) => make(index + 1));
}

function pick<T>(random: Random, all: readonly T[]): T {
  const found = all[random.integer(0, all.length - 1)];
  return found as T;
}

function chance(random: Random, percent: number): boolean {
  return random.integer(1, 100) <= percent;
}
