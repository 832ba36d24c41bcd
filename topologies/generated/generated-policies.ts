/** Clusters whose policies overlap and contradict each other, from a seed. */
import { randomFor, type Random } from '../../harness/base/random.js';
import type { ManifestFile } from '../../harness/kube/manifests.js';
import type { AntreaCluster } from '../antrea/antrea-topology.js';
import type { ExternalHost } from '../../harness/domain/topology.js';
import { externalAddress, macOf } from '../addresses.js';
import { type AntreaClusterOptions, readAntreaCluster } from '../antrea/read-antrea-cluster.js';
import type { GeneratedSize } from './generated-values.js';
import { values, chance, count, namedPorts, namespaces, pick } from './generated-values.js';
import { clusterNetworkPolicy, networkPolicy } from './draw-policies.js';

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
