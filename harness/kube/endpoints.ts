/** Ports of Services and who answers on them, as kube-proxy and its like see them. */
import type { KubeObjects, Network } from './objects.js';
import { selects } from './selection.js';
import type { EndpointSlice, Service } from './services.js';
import type { KubePod, Protocol } from './workloads.js';

/** One port of a Service that has an address of its own. */
export interface ServicePort {
  /** `default/web:http`; of a Service with one port that has no name, `default/web`. */
  readonly name: string;
  readonly clusterIp: string;
  readonly protocol: Protocol;
  readonly port: number;
  /** For how many seconds a client keeps its endpoint; missing where every connection is on its own. */
  readonly affinityS?: number;
  /** Those that are ready, without repetition, in the order in which they are written. */
  readonly endpoints: readonly Endpoint[];
  /** The port of every node that leads to it as well. */
  readonly nodePort?: number;
  /** Addresses outside of the cluster's own on which it is asked for by its port: those that a load balancer has given it, and those that somebody else sends to the nodes. */
  readonly loadBalancerIps: readonly string[];
  readonly externalIps: readonly string[];
  /** Who answers what comes from outside: anybody, from the node's address, or those on the node that was asked, from the client's own (ServiceSpec, `externalTrafficPolicy`). */
  readonly externalTraffic: 'Cluster' | 'Local';
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
    const { type, clusterIP: clusterIp, ports, sessionAffinity, sessionAffinityConfig, externalTrafficPolicy: externalTraffic = 'Cluster', externalIPs: externalIps } = service.spec;
    if (clusterIp === undefined || clusterIp === '' || clusterIp === 'None') return [];
    const affinity = sessionAffinity === 'ClientIP' ? { affinityS: sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinityS } : {};
    const loadBalancerIps = type === 'LoadBalancer' ? (service.status.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []) : [];
    return ports.map((port): ServicePort => ({
      name: nameOf(service, port), clusterIp, protocol: port.protocol, port: port.port, ...affinity, endpoints: endpointsOf(objects, service, port),
      ...(port.nodePort === undefined ? {} : { nodePort: port.nodePort }), loadBalancerIps, externalIps, externalTraffic,
    }));
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

/** From the Service's EndpointSlices; where it has none and selects pods, those that the controller would make of them. */
function endpointsOf(objects: KubeObjects, service: Service, port: WrittenPort): readonly Endpoint[] {
  const slices = objects.endpointSlices.filter(({ metadata }) => metadata.namespace === service.metadata.namespace && metadata.labels[serviceNameLabel] === service.metadata.name);
  const found = slices.length > 0 || service.spec.selector === undefined ? slices.flatMap((slice) => inSlice(slice, port)) : selectedEndpoints(objects, service, port);
  return [...new Map(found.map((endpoint) => [`${endpoint.ip}:${endpoint.port}`, endpoint])).values()];
}

/** EndpointSlice API reference: which Service a slice belongs to. */
export const serviceNameLabel = 'kubernetes.io/service-name';

/** EndpointConditions: `ready` that is not said counts as true. */
function inSlice({ endpoints, ports }: EndpointSlice, { name = '', protocol }: WrittenPort): readonly Endpoint[] {
  const numbers = ports.filter((port) => port.name === name && port.protocol === protocol).flatMap(({ port }) => (port === undefined ? [] : [port]));
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
  return ready.flatMap(({ addresses: [ip], nodeName }) => (ip === undefined ? [] : numbers.map((port): Endpoint => ({ ip, port, ...(nodeName === undefined ? {} : { nodeName }) }))));
}

/** A `targetPort` by name is what the pod's containers call so; one that is not said is the port itself (ServicePort, `targetPort`). */
function selectedEndpoints({ pods }: KubeObjects, { metadata, spec }: Service, { protocol, port, targetPort = port }: WrittenPort): readonly Endpoint[] {
  const selected = pods.filter((pod) => pod.metadata.namespace === metadata.namespace && selects({ matchLabels: spec.selector ?? {} }, pod.metadata.labels));
  return selected.flatMap((pod) => {
    const ip = pod.status.podIP;
    const number = typeof targetPort === 'number' ? targetPort : portNamed(pod, targetPort, protocol);
    return ip === undefined || number === undefined ? [] : [{ ip, port: number, nodeName: pod.spec.nodeName }];
  });
}

function portNamed({ spec }: KubePod, name: string, protocol: Protocol): number | undefined {
  return spec.containers.flatMap(({ ports }) => ports).find((port) => port.name === name && port.protocol === protocol)?.containerPort;
}
