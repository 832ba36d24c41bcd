import { InputError, type Place } from '../harness/base/errors/errors.js';
import { refusedAt } from '../harness/base/text/yaml.js';
import { type Path } from '../harness/base/text/yaml-problem.js';
import { serviceProblems, withClusterIps } from '../harness/kube/services/cluster-ips.js';
import { servicePortsOf } from '../harness/kube/services/service-endpoints.js';
import { externalAccessProblems, withNodePorts } from '../harness/kube/services/node-ports.js';
import { readManifests, type ManifestFile, type Manifests } from '../harness/kube/manifests.js';
import { containerPortsOf } from '../harness/kube/container-ports.js';
import type { Cluster, KubeObject, KubeObjects } from '../harness/kube/objects.js';
import type { ReferencePolicy } from '../harness/kube/reference-problems.js';
import type { KubeNode, KubePod } from '../harness/kube/schemas/workloads.js';
import { topologyProblems } from '../harness/domain/topology-check.js';
import { formatPath } from '../harness/domain/topology-problem.js';
import type { ExternalHost, Listener, Node, Pod } from '../harness/domain/topology.js';
import { defaultServiceCidr } from './addresses.js';
import { nodeWithDefaults } from './defaults.js';

export interface KubernetesOptions {
  readonly name: string;
  /** kubeadm's default if missing. */
  readonly serviceCidr?: string;
  /** Hosts outside the cluster, which Kubernetes has no objects for; none by default. */
  readonly externalHosts?: readonly ExternalHost[];
  /** By default all objects are there: references to missing ones are refused. */
  readonly presence?: ReferencePolicy;
  /** Gets a line about what was written and is no part of the network; by default nobody does. */
  readonly say?: (note: string) => void;
}

/**
 * The network that manifests describe. A pod is called by its name in the namespace `default`, and
 * elsewhere `web.shop` of the namespace `shop`; it answers on its containers' ports, and where it
 * is an endpoint of a Service. Addresses come from a Node's `spec.podCIDR` and InternalIP and a
 * Pod's `status.podIP`, and have the defaults of `equalNodes`. Pods on the host's network are no
 * hosts of their own: on their ports the node answers, as it does where its own address is an
 * endpoint.
 * @throws InputError with the place of everything that is wrong.
 */
export function readCluster(files: readonly ManifestFile[], options: KubernetesOptions): Cluster {
  const manifests = readManifests(files, options.presence);
  const { objects } = manifests;
  for (const note of manifests.notes) options.say?.(note);
  if (objects.nodes.length === 0)
    throw new InputError(
      `there is no Node in ${files.map(({ file }) => file).join(', ') || 'the manifests'}: a ` +
        'cluster needs at least one (kubectl get nodes,namespaces,all,endpointslices,netpol -A ' +
        '-o yaml)',
    );
  const nodes = objects.nodes.map((node, index) =>
    nodeWithDefaults(
      {
        ...sketch(node),
        ...listening(
          objects.pods.filter(
            ({ spec }) => spec.nodeName === node.metadata.name && spec.hostNetwork,
          ),
        ),
        pods: podsOn(node, objects).map(sketchPod),
      },
      index + 1,
    ),
  );
  const topology = {
    name: options.name,
    serviceCidr: options.serviceCidr ?? defaultServiceCidr,
    nodes,
    ...(options.externalHosts === undefined || options.externalHosts.length === 0
      ? {}
      : { externalHosts: options.externalHosts }),
  };
  const problems = topologyProblems(topology);
  if (problems.length > 0)
    throw refusedAt(problems.map(({ path, message }) => locate(manifests, path, message)));
  const wrong = [
    ...serviceProblems(objects, topology.serviceCidr),
    ...externalAccessProblems(objects, [
      topology.serviceCidr,
      ...nodes.map(({ podCidr }) => podCidr),
    ]),
  ];
  if (wrong.length > 0)
    throw refusedAt(
      wrong.map(({ service, path, message }) => at(manifests, service, path, message)),
    );
  const addressOf = new Map(
    objects.nodes.flatMap((node, index) =>
      podsOn(node, objects).map((pod, place) => [pod, nodes[index]?.pods[place]?.ip] as const),
    ),
  );
  const complete = {
    ...objects,
    services: withNodePorts(withClusterIps(objects.services, topology.serviceCidr)),
    pods: objects.pods.map((pod) =>
      withAddress(
        pod,
        addressOf.get(pod) ?? nodes.find(({ name }) => name === pod.spec.nodeName)?.underlay.ip,
      ),
    ),
  };
  const endpoints = listeningEndpoints(complete);
  return { ...topology, nodes: nodes.map((node) => serving(node, endpoints)), objects: complete };
}

type ListeningEndpoint = Listener & { readonly ip: string };

/**
 * Who is an endpoint that is ready, or serves while it goes, listens there, whether or not a
 * container says so: its ports are for people to read (Kubernetes API reference, Container,
 * `ports`). In a pod without containers there is nobody.
 */
function listeningEndpoints(objects: KubeObjects): readonly ListeningEndpoint[] {
  const empty = new Set(
    objects.pods
      .filter(({ spec }) => spec.containers.length === 0 && !spec.hostNetwork)
      .map(({ status }) => status.podIP),
  );
  const listening = servicePortsOf(objects).flatMap(({ protocol, endpoints, terminating }) =>
    [...endpoints, ...terminating].map(({ ip, port }) => ({ ip, protocol, port })),
  );
  return listening.filter(({ ip }) => !empty.has(ip));
}

function serving(node: Node, endpoints: readonly ListeningEndpoint[]): Node {
  const withListeners = <Host extends { readonly listens?: readonly Listener[] }>(
    host: Host,
    address: string,
  ): Host => {
    const { listens = [] } = host;
    const others = endpoints.filter(
      ({ ip, protocol, port }) =>
        ip === address &&
        !listens.some((listener) => listener.protocol === protocol && listener.port === port),
    );
    const added = [
      ...new Map(
        others.map(({ protocol, port }) => [`${protocol} ${port}`, { protocol, port }]),
      ).values(),
    ];
    return added.length === 0 ? host : { ...host, listens: [...listens, ...added] };
  };
  return {
    ...withListeners(node, node.underlay.ip),
    pods: node.pods.map((pod) => withListeners(pod, pod.ip)),
  };
}

function podsOn({ metadata: { name } }: KubeNode, { pods }: KubeObjects): readonly KubePod[] {
  return pods.filter(({ spec }) => spec.nodeName === name && !spec.hostNetwork);
}

function sketch({ metadata, spec, status }: KubeNode) {
  return {
    name: metadata.name,
    podCidr: spec.podCIDR,
    underlay: { ip: status.addresses.find(({ type }) => type === 'InternalIP')?.address },
    gateway: {},
  };
}

function sketchPod(pod: KubePod): Omit<Pod, 'ip' | 'mac'> & { readonly ip: string | undefined } {
  return { name: hostName(pod), ip: pod.status.podIP, ...listening([pod]) };
}

/** On the ports of all their containers. */
function listening(pods: readonly KubePod[]): { readonly listens?: readonly Listener[] } {
  const listens = pods
    .flatMap(containerPortsOf)
    .map(({ protocol, containerPort }): Listener => ({ protocol, port: containerPort }));
  return listens.length === 0 ? {} : { listens };
}

function hostName({ metadata: { name, namespace } }: KubePod): string {
  return namespace === 'default' ? name : `${name}.${namespace}`;
}

/** What the network gave the pod; of one on the host's network, the node's own address. */
function withAddress(pod: KubePod, podIP: string | undefined): KubePod {
  return podIP === undefined ? pod : { ...pod, status: { ...pod.status, podIP } };
}

/** A problem of the topology, at the field of the object that it comes from. */
function locate(
  manifests: Manifests,
  path: Path,
  message: string,
): { readonly place: Place; readonly message: string } {
  const { objects } = manifests;
  const [, n, field, p, ...inner] = path;
  const node = objects.nodes[Number(n)];
  const pod = field === 'pods' && node !== undefined ? podsOn(node, objects)[Number(p)] : undefined;
  const found: readonly [KubeObject | undefined, Path] =
    pod === undefined
      ? [node, nodeFields[String(field)] ?? []]
      : [pod, inner[0] === 'name' ? ['metadata', 'name'] : ['status', 'podIP']];
  const [object, fieldPath] = found;
  return object === undefined
    ? { place: { file: 'manifests' }, message: `${formatPath(path)}: ${message}` }
    : at(manifests, object, fieldPath, message);
}

function at(
  { placeOf }: Manifests,
  object: KubeObject,
  path: Path,
  message: string,
): { readonly place: Place; readonly message: string } {
  return {
    place: placeOf(object, path) ?? { file: 'manifests' },
    message: `${formatPath(path)}: ${message}`,
  };
}

const nodeFields: Readonly<Record<string, Path>> = {
  name: ['metadata', 'name'],
  podCidr: ['spec', 'podCIDR'],
  underlay: ['status', 'addresses'],
  gateway: ['spec', 'podCIDR'],
};
