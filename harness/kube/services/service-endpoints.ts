/** Ports of Services and who answers on them, as kube-proxy and its like see them. */
import { containerPortsOf } from '../container-ports.js';
import type { KubeObjects, Network } from '../objects.js';
import { selects } from '../pod-selection.js';
import type { EndpointSlice, Service } from '../schemas/services.js';
import { isReady, type KubePod, type Protocol } from '../schemas/workloads.js';

/** One port of a Service that has an address of its own. */
export interface ServicePort {
  /** `default/web:http`; of a Service with one port that has no name, `default/web`. */
  readonly name: string;
  readonly clusterIp: string;
  readonly protocol: Protocol;
  readonly port: number;
  /**
   * For how many seconds a client keeps its endpoint; missing where every connection is on its own.
   */
  readonly affinityS?: number;
  /**
   * Those that are ready, without repetition, in the order in which they are written; where none
   * is, the `terminating` ones.
   */
  readonly endpoints: readonly Endpoint[];
  /** Those that still serve while they are being deleted. */
  readonly terminating: readonly Endpoint[];
  /** The port of every node that leads to it as well. */
  readonly nodePort?: number;
  /**
   * Addresses outside of the cluster's own on which it is asked for by its port: those that a load
   * balancer has given it, and those that somebody else sends to the nodes.
   */
  readonly loadBalancerIps: readonly string[];
  readonly externalIps: readonly string[];
  /**
   * Who answers what comes from outside: anybody, from the node's address, or those on the node
   * that was asked, from the client's own (ServiceSpec, `externalTrafficPolicy`).
   */
  readonly externalTraffic: 'Cluster' | 'Local';
  /**
   * Who answers what is sent to the ClusterIP: anybody, or those on the sender's node alone
   * (ServiceSpec, `internalTrafficPolicy`).
   */
  readonly internalTraffic: 'Cluster' | 'Local';
}

export interface Endpoint {
  readonly ip: string;
  readonly port: number;
  /** Missing for what is outside of the cluster. */
  readonly nodeName?: string;
}

/** Every port of every Service with a ClusterIP, in the order in which they are written. */
export function servicePortsOf(objects: KubeObjects): readonly ServicePort[] {
  return objects.services.flatMap((service) => {
    const {
      type,
      clusterIP: clusterIp,
      ports,
      sessionAffinity,
      sessionAffinityConfig,
      externalTrafficPolicy: externalTraffic = 'Cluster',
      internalTrafficPolicy: internalTraffic = 'Cluster',
      externalIPs: externalIps,
    } = service.spec;
    if (clusterIp === undefined || clusterIp === '' || clusterIp === 'None') return [];
    const affinity =
      sessionAffinity === 'ClientIP'
        ? { affinityS: sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinityS }
        : {};
    const loadBalancerIps =
      type === 'LoadBalancer'
        ? (service.status.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? [])
        : [];
    return ports.map(
      (port): ServicePort => ({
        name: nameOf(service, port),
        clusterIp,
        protocol: port.protocol,
        port: port.port,
        ...affinity,
        ...endpointsOf(objects, service, port),
        ...(port.nodePort === undefined ? {} : { nodePort: port.nodePort }),
        loadBalancerIps,
        externalIps,
        externalTraffic,
        internalTraffic,
      }),
    );
  });
}

/** The same of a network; none where it was not made of manifests. */
export function clusterIpsOf({ objects }: Network): readonly ServicePort[] {
  return objects === undefined ? [] : servicePortsOf(objects);
}

/** ServiceSpec, ClientIPConfig: three hours. */
const defaultAffinityS = 10_800;

type WrittenPort = Service['spec']['ports'][number];

function nameOf({ metadata }: Service, { name }: WrittenPort): string {
  return `${metadata.namespace}/${metadata.name}${name === undefined ? '' : `:${name}`}`;
}

interface Candidate extends Endpoint, Readiness {}

/** EndpointConditions of a slice, and what the control plane would write of a pod. */
interface Readiness {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

/**
 * From the Service's EndpointSlices; where it has none and selects pods, those that the controller
 * would make of them. Where none is ready, those that serve although they terminate are taken
 * (Kubernetes, "Virtual IPs and Service Proxies", "Traffic to terminating endpoints").
 */
function endpointsOf(
  objects: KubeObjects,
  service: Service,
  port: WrittenPort,
): Pick<ServicePort, 'endpoints' | 'terminating'> {
  const { namespace, name } = service.metadata;
  const slices = objects.endpointSlices.filter(
    ({ metadata }) =>
      metadata.namespace === namespace && metadata.labels[serviceNameLabel] === name,
  );
  const all =
    slices.length > 0 || !selectsPods(service)
      ? slices.flatMap((slice) => inSlice(slice, port))
      : selectedEndpoints(objects, service, port);
  const ready = distinct(all.filter((endpoint) => endpoint.ready));
  const terminating = distinct(all.filter((endpoint) => endpoint.serving && endpoint.terminating));
  return { endpoints: ready.length > 0 ? ready : terminating, terminating };
}

/** Those that take what stays on the node that it comes to (a traffic policy of `Local`). */
export function endpointsOn(
  { endpoints, terminating }: Pick<ServicePort, 'endpoints' | 'terminating'>,
  node: string,
): readonly Endpoint[] {
  const here = endpoints.filter(({ nodeName }) => nodeName === node);
  return here.length > 0 ? here : terminating.filter(({ nodeName }) => nodeName === node);
}

/** ServiceSpec, `selector`: empty or not present, its endpoints are somebody else's to write. */
function selectsPods({ spec: { selector } }: Service): boolean {
  return selector !== undefined && Object.keys(selector).length > 0;
}

function distinct(candidates: readonly Candidate[]): readonly Endpoint[] {
  const endpoints = candidates.map(
    ({ ip, port, nodeName }): Endpoint => ({
      ip,
      port,
      ...(nodeName === undefined ? {} : { nodeName }),
    }),
  );
  return [
    ...new Map(endpoints.map((endpoint) => [`${endpoint.ip}:${endpoint.port}`, endpoint])).values(),
  ];
}

/** EndpointSlice API reference: which Service a slice belongs to. */
export const serviceNameLabel = 'kubernetes.io/service-name';

/** EndpointConditions: `ready` and `serving` that are not said count as true. */
function inSlice(
  { endpoints, ports }: EndpointSlice,
  { name = '', protocol }: WrittenPort,
): readonly Candidate[] {
  const numbers = ports
    .filter((port) => port.name === name && port.protocol === protocol)
    .flatMap(({ port }) => (port === undefined ? [] : [port]));
  return endpoints.flatMap(({ addresses: [ip], nodeName, conditions = {} }) => {
    const { ready = true, serving = true, terminating = false } = conditions;
    const more = { ...(nodeName === undefined ? {} : { nodeName }), ready, serving, terminating };
    return ip === undefined ? [] : numbers.map((port): Candidate => ({ ip, port, ...more }));
  });
}

/**
 * A `targetPort` by name is what the pod's containers call so; one that is not said is the port
 * itself (ServicePort, `targetPort`).
 */
function selectedEndpoints(
  { pods }: KubeObjects,
  { metadata, spec }: Service,
  { protocol, port, targetPort = port }: WrittenPort,
): readonly Candidate[] {
  const { selector: matchLabels = {}, publishNotReadyAddresses } = spec;
  const selected = pods.filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      selects({ matchLabels }, pod.metadata.labels),
  );
  return selected.flatMap((pod) => {
    const ip = pod.status.podIP;
    const number =
      typeof targetPort === 'number' ? targetPort : portNamed(pod, targetPort, protocol);
    if (ip === undefined || number === undefined) return [];
    const readiness = readinessOf(pod, publishNotReadyAddresses);
    return [{ ip, port: number, nodeName: pod.spec.nodeName, ...readiness }];
  });
}

/** Kubernetes, "EndpointSlices", "Conditions"; ServiceSpec, `publishNotReadyAddresses`. */
function readinessOf(pod: KubePod, publishNotReadyAddresses: boolean): Readiness {
  const [serving, terminating] = [isReady(pod), pod.metadata.deletionTimestamp !== undefined];
  return { ready: publishNotReadyAddresses || (serving && !terminating), serving, terminating };
}

function portNamed(pod: KubePod, name: string, protocol: Protocol): number | undefined {
  return containerPortsOf(pod).find((port) => port.name === name && port.protocol === protocol)
    ?.containerPort;
}
