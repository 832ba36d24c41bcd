/**
 * Who Kubernetes says is behind a port of a Service, read from the objects one question at a time.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type { KubeObjects } from '../../../kube/objects.js';
import type { EndpointSlice, Service } from '../../../kube/schemas/services.js';
import type { KubePod } from '../../../kube/schemas/workloads.js';
import { matchesSelector } from '../policy/match-labels.js';
import { runningContainers } from '../policy/rule-matches.js';

export type PortOfService = Service['spec']['ports'][number];

/** An address and port that takes what is sent to the Service. */
export interface Backend {
  readonly ip: string;
  readonly port: number;
  /** The node that it is on, where it is said to be on one. */
  readonly nodeName?: string;
}

/** The Service that has the address; undefined where none has. */
export function serviceAt({ services }: KubeObjects, ip: string): Service | undefined {
  for (const service of services) if (service.spec.clusterIP === ip) return service;
  return undefined;
}

/**
 * Who takes what is sent to the Service: whoever is ready, and where nobody is, who still serves
 * while it goes (Kubernetes, "Virtual IPs and Service Proxies", "Traffic to terminating
 * endpoints").
 * @throws Unsupported for a pod whose port is not known.
 */
export function backends(
  objects: KubeObjects,
  service: Service,
  port: PortOfService,
): readonly Backend[] {
  return preferred(backendsBehind(objects, service, port));
}

/**
 * The same of those on one node alone: what comes from outside by `externalTrafficPolicy: Local`.
 */
export function backendsOn(
  node: string,
  objects: KubeObjects,
  service: Service,
  port: PortOfService,
): readonly Backend[] {
  return preferred(
    backendsBehind(objects, service, port).filter(({ nodeName }) => nodeName === node),
  );
}

interface BackendState extends Backend {
  readonly state: 'ready' | 'leaving' | 'away';
}

function preferred(known: readonly BackendState[]): readonly Backend[] {
  const found: Backend[] = [];
  const wanted = known.some(({ state }) => state === 'ready') ? 'ready' : 'leaving';
  for (const { state, ...backend } of known) {
    const isNew = !found.some(({ ip, port }) => ip === backend.ip && port === backend.port);
    if (state === wanted && isNew) found.push(backend);
  }
  return found;
}

/**
 * Kubernetes, "EndpointSlices": the slices that carry the Service's name say in which state who is.
 * Where a Service selects pods and nobody has written a slice, the control plane of the cluster
 * writes one of the pods that have its labels; "if empty or not present", a selector leaves that to
 * others (ServiceSpec).
 */
function backendsBehind(
  { endpointSlices, pods }: KubeObjects,
  service: Service,
  port: PortOfService,
): readonly BackendState[] {
  const written = endpointSlices.filter((slice) => isOf(slice, service));
  const labels = Object.entries(service.spec.selector ?? {});
  if (written.length === 0 && labels.length > 0) return fromPods(pods, service, port);
  const found: BackendState[] = [];
  for (const slice of written) {
    for (const { name, protocol, port: number } of slice.ports) {
      const isAsked = protocol === port.protocol && name === (port.name ?? '');
      if (!isAsked || number === undefined) continue;
      for (const endpoint of slice.endpoints) {
        const [ip] = endpoint.addresses;
        const where = endpoint.nodeName === undefined ? {} : { nodeName: endpoint.nodeName };
        if (ip !== undefined) found.push({ ip, port: number, ...where, state: stateOf(endpoint) });
      }
    }
  }
  return found;
}

/** EndpointConditions: what is not said is taken for ready, for serving, and for there to stay. */
function stateOf({ conditions }: EndpointSlice['endpoints'][number]): BackendState['state'] {
  if (conditions?.ready !== false) return 'ready';
  return conditions.terminating === true && conditions.serving !== false ? 'leaving' : 'away';
}

function isOf({ metadata }: EndpointSlice, service: Service): boolean {
  return (
    metadata.namespace === service.metadata.namespace &&
    metadata.labels['kubernetes.io/service-name'] === service.metadata.name
  );
}

function fromPods(
  pods: readonly KubePod[],
  { metadata, spec }: Service,
  port: PortOfService,
): readonly BackendState[] {
  const found: BackendState[] = [];
  for (const pod of pods) {
    const isSelected = matchesSelector({ matchLabels: spec.selector ?? {} }, pod.metadata.labels);
    if (pod.metadata.namespace !== metadata.namespace || !isSelected) continue;
    const { podIP } = pod.status;
    if (podIP === undefined)
      throw new Unsupported(
        `nothing is promised about pod ${pod.metadata.name}, which has no address`,
      );
    const number = numberOf(pod, port);
    const state = spec.publishNotReadyAddresses ? 'ready' : stateOfPod(pod);
    if (number !== undefined)
      found.push({ ip: podIP, port: number, nodeName: pod.spec.nodeName, state });
  }
  return found;
}

/** Kubernetes, "Pod Lifecycle": the condition Ready decides; a pod without any was just created. */
function stateOfPod({ metadata, status }: KubePod): BackendState['state'] {
  const isReady = status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const isUp =
    status.conditions === undefined ? (status.phase ?? 'Running') === 'Running' : isReady;
  if (!isUp) return 'away';
  return metadata.deletionTimestamp === undefined ? 'ready' : 'leaving';
}

/**
 * Kubernetes, "Port definitions": a target port's name is looked up in the pod; without a target
 * port it is the Service's own.
 */
function numberOf(pod: KubePod, { port, targetPort, protocol }: PortOfService): number | undefined {
  if (targetPort === undefined) return port;
  if (typeof targetPort === 'number') return targetPort;
  for (const { ports } of runningContainers(pod))
    for (const named of ports)
      if (named.name === targetPort && named.protocol === protocol) return named.containerPort;
  return undefined;
}
