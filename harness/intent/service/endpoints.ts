/** Who Kubernetes says is behind a port of a Service, read from the objects one question at a time. */
import { Unsupported } from '../../base/errors.js';
import type { KubeObjects } from '../../kube/objects.js';
import type { EndpointSlice, Service } from '../../kube/services.js';
import type { KubePod } from '../../kube/workloads.js';
import { fits } from '../policy/labels.js';

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
 * Kubernetes, "EndpointSlices": the slices that carry the Service's name say who is ready; where a Service selects pods and nobody has written a slice, the
 * control plane of the cluster writes one of the pods that have its labels. @throws Unsupported for a pod whose port nobody can tell.
 */
export function backends(objects: KubeObjects, service: Service, port: PortOfService): readonly Backend[] {
  const written = objects.endpointSlices.filter((slice) => isOf(slice, service));
  if (written.length === 0 && service.spec.selector !== undefined) return fromPods(objects.pods, service, service.spec.selector, port);
  const found: Backend[] = [];
  for (const slice of written) {
    for (const { name, protocol, port: number } of slice.ports) {
      if (protocol !== port.protocol || name !== (port.name ?? '') || number === undefined) continue;
      for (const { addresses, conditions, nodeName } of slice.endpoints) {
        const [ip] = addresses;
        const isNew = !found.some((other) => other.ip === ip && other.port === number);
        if (ip !== undefined && isNew && (conditions?.ready ?? true)) found.push({ ip, port: number, ...(nodeName === undefined ? {} : { nodeName }) });
      }
    }
  }
  return found;
}

function isOf({ metadata }: EndpointSlice, service: Service): boolean {
  return metadata.namespace === service.metadata.namespace && metadata.labels['kubernetes.io/service-name'] === service.metadata.name;
}

function fromPods(pods: readonly KubePod[], { metadata }: Service, matchLabels: Readonly<Record<string, string>>, port: PortOfService): readonly Backend[] {
  const found: Backend[] = [];
  for (const pod of pods) {
    if (pod.metadata.namespace !== metadata.namespace || !fits({ matchLabels }, pod.metadata.labels)) continue;
    const { podIP } = pod.status;
    if (podIP === undefined) throw new Unsupported(`nothing is promised about pod ${pod.metadata.name}, which has no address`);
    const number = numberOf(pod, port);
    if (number !== undefined) found.push({ ip: podIP, port: number, nodeName: pod.spec.nodeName });
  }
  return found;
}

/** Kubernetes, "Port definitions": a target port's name is looked up in the pod; without a target port it is the Service's own. */
function numberOf(pod: KubePod, { port, targetPort, protocol }: PortOfService): number | undefined {
  if (targetPort === undefined) return port;
  if (typeof targetPort === 'number') return targetPort;
  for (const { ports } of pod.spec.containers) for (const named of ports) if (named.name === targetPort && named.protocol === protocol) return named.containerPort;
  return undefined;
}
