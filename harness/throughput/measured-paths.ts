/**
 * The paths that are measured: pod traffic of a cluster with policies in its way, where Antrea or
 * OVN has programmed the switches.
 */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { antrea } from '../control/antrea/index.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import { ovnKubernetesClusterOf } from '../../topologies/ovn-kubernetes/read-ovn-kubernetes-cluster.js';
import { externalAddress, macOf } from '../../topologies/addresses.js';
import { readAntreaCluster } from '../../topologies/antrea/read-antrea-cluster.js';
import type { AntreaCluster, TrafficMode } from '../../topologies/antrea/antrea-topology.js';
import { measureOf, type MeasureName } from './measures.js';
import { segmentMtu, type TrafficPath } from './reference-paths.js';

export interface MeasuredPath extends TrafficPath {
  readonly summary: string;
  /** How Antrea carries it; `ovn`: as ovn-kubernetes has OVN carry it. */
  readonly mode: Extract<TrafficMode, 'encap' | 'noEncap'> | 'ovn';
}

const nodePort = 30_007;
const [clientIp, serverIp, farIp, serviceIp] = [
  '10.10.1.2',
  '10.10.1.3',
  '10.10.2.2',
  '10.96.0.10',
];
const outsideIp = externalAddress(1);

export const measuredPaths: readonly MeasuredPath[] = [
  path('same-node', 'a pod to a pod of its node', 'encap', 'client', 'server', serverIp),
  path('encap', 'a pod to a pod of another node, by Geneve', 'encap', 'client', 'far', farIp),
  path('no-encap', 'the same, routed by the nodes', 'noEncap', 'client', 'far', farIp),
  path('snat', 'a pod to a host outside, masqueraded', 'encap', 'client', 'x1', outsideIp),
  path('cluster-ip', 'a pod to a Service', 'encap', 'client', 'server', serviceIp),
  {
    ...path('node-port', 'a host outside to a node port', 'encap', 'x1', 'server', '172.30.0.1'),
    port: nodePort,
    proxy: 'n1',
  },
  path('ovn-same-node', 'by OVN, a pod to a pod of its node', 'ovn', 'client', 'server', serverIp),
  path('ovn-encap', 'by OVN, a pod to a pod of another node', 'ovn', 'client', 'far', farIp),
  path('ovn-cluster-ip', 'by OVN, a pod to a Service', 'ovn', 'client', 'server', serviceIp),
];

function path(
  name: string,
  summary: string,
  mode: MeasuredPath['mode'],
  client: string,
  server: string,
  ip: string,
): MeasuredPath {
  return { name, summary, mode, client, server, ip };
}

/** What a pod's interface carries: OVN's headers have room for an option of Geneve. */
export function podMtuOf(mode: MeasuredPath['mode']): number {
  return mode === 'ovn' ? segmentMtu - 8 : segmentMtu;
}

/** Datagrams do not go by a proxy of connections. */
export function isMeasured(path: TrafficPath, measure: MeasureName): boolean {
  return measureOf(measure).counts !== 'datagrams' || path.proxy === undefined;
}

/**
 * Two nodes with the hosts of all paths.
 * @param policies so many NetworkPolicies for the servers: of each, one address outside may reach a
 *   port of its own; where there are any, one more lets pods and nodes reach port 7.
 */
export function measuredPlan(mode: MeasuredPath['mode'], policies: number): ClusterPlan {
  const files = [{ file: 'measured.yaml', text: manifests(policies) }];
  const named = {
    name: `measured-${mode}-${policies}`,
    externalHosts: [{ name: 'x1', ip: outsideIp, mac: macOf(outsideIp) }],
  };
  if (mode === 'ovn') return ovnKubernetes().plan(ovnKubernetesClusterOf(files, named, 'one'));
  const cluster = readAntreaCluster(files, { ...named, tunnel: 'geneve' });
  const { nodes, ...plan } = antrea('1.3').plan(inMode(cluster, mode));
  return {
    ...plan,
    nodes: nodes.map((node) => ({
      ...node,
      hosts: node.hosts.map((host) =>
        host.name === 'n1'
          ? { ...host, proxies: [...(host.proxies ?? []), proxyTo(serverIp)] }
          : host,
      ),
    })),
  };
}

function inMode(cluster: AntreaCluster, mode: TrafficMode): AntreaCluster {
  return { ...cluster, mode };
}

function proxyTo(ip: string) {
  return {
    at: { ip: '172.30.0.1', protocol: 'TCP' as const, port: nodePort },
    to: [{ ip, port: 7 }],
    dialMs: [1000],
    udpIdleMs: 1000,
  };
}

function manifests(policies: number): string {
  const node = (name: string) => `apiVersion: v1\nkind: Node\nmetadata: { name: ${name} }`;
  const pod = (name: string, at: string, app: string, ip: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, labels: { app: ${app} } }\n` +
    `spec: { nodeName: ${at} }\nstatus: { podIP: ${ip} }`;
  return [
    node('n1'),
    node('n2'),
    pod('client', 'n1', 'client', clientIp),
    pod('server', 'n1', 'server', serverIp),
    pod('far', 'n2', 'far', farIp),
    'apiVersion: v1\nkind: Service\nmetadata: { name: service }\n' +
      `spec: { clusterIP: ${serviceIp}, selector: { app: server }, ports: [{ name: tcp, ` +
      'port: 7 }, { name: udp, port: 7, protocol: UDP }] }',
    ...(policies === 0 ? [] : [policy('open', '{}', 7)]),
    ...Array.from({ length: policies }, (_, index) =>
      policy(
        `only-${index}`,
        `{ matchExpressions: [{ key: app, operator: In, values: [server, far] }] }`,
        10_000 + index,
        `, from: [{ ipBlock: { cidr: 10.200.${index >> 8}.${index & 255}/32 } }]`,
      ),
    ),
  ].join('\n---\n');
}

function policy(name: string, selector: string, port: number, from = ''): string {
  return (
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n' +
    `metadata: { name: ${name} }\n` +
    `spec: { podSelector: ${selector}, policyTypes: [Ingress], ` +
    `ingress: [{ ports: [{ port: ${port} }, { port: ${port}, protocol: UDP }]${from} }] }`
  );
}
