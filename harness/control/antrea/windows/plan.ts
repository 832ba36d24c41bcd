/**
 * The plan of a Windows node, read from what its host holds after the agent's initialization, a
 * CNIAdd for every pod and the coming of every peer: br-int with the uplink among its ports and the
 * host's own address behind LOCAL, and no bridge below it.
 */
import { parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import { assert, assertNever, InputError } from '../../../base/errors/errors.js';
import { type NamedPipe, type NodePlan } from '../../../domain/plan/cluster-plan.js';
import { type HostPlan } from '../../../domain/plan/host-plan.js';
import { type BridgePlan } from '../../../domain/plan/bridge-plan.js';
import { type TunnelType, flowBased, type PortPlan } from '../../../domain/plan/port-plan.js';
import {
  gatewayPort,
  integrationBridge,
  knownOfUnderlay,
  tunnelPort,
  uplinkPort,
  type NodeView,
} from '../node-view.js';
import type { BridgeProgram } from '../bridge-program.js';
import { handle } from './cni.js';
import {
  changedHost,
  freshHost,
  type HostChange,
  type OvsPort,
  type WindowsHost,
} from '../../windows/host.js';
import { initialize, type NodeSpec } from './initialization.js';
import { prepareServiceAdapter, serveServices } from '../../windows/kube-proxy.js';
import { nodeJoined } from './routes.js';
import { nodeHost } from './node-host.js';
import { virtualService } from './virtual-service.js';

/**
 * What stands on the node once everything is done. @throws InputError in the words of the step that
 * refuses.
 */
export function windowsHost({
  node,
  pods,
  peers,
  services,
  serviceCidr,
  mode,
}: NodeView): WindowsHost {
  const spec: NodeSpec = {
    internalIp: node.underlay.ip,
    podCidr: node.podCidr,
    serviceCidr,
    bridge: integrationBridge,
    gateway: gatewayPort.name,
    virtualService,
    ...(mode === 'noEncap' ? {} : { tunnel: tunnelPort.name }),
  };
  const { ip, prefixLength, mac } = node.underlay;
  const steps: readonly ((host: WindowsHost) => HostChange)[] = [
    (host) => initialize(host, spec),
    ...pods.map(
      (pod) => (host: WindowsHost) =>
        handle(host, {
          command: 'ADD',
          container: pod.name,
          netns: 'none',
          pod: {
            endpoint: pod.port.name,
            ip: pod.ip,
            mac: pod.mac,
            dns: { servers: [], search: [] },
          },
        }),
    ),
    ...peers.map(
      (peer) => (host: WindowsHost) =>
        nodeJoined(
          host,
          {
            name: peer.name,
            podCidr: peer.podCidr,
            gatewayIp: peer.gateway.ip,
            underlayIp: peer.underlay.ip,
            reach: peer.reach,
          },
          spec,
        ),
    ),
    prepareServiceAdapter,
    (host) => serveServices(host, services),
  ];
  const others = (node.adapters ?? []).map((adapter) => ({
    name: adapter.name,
    kind: 'physical' as const,
    mac: adapter.mac,
    address: { ip: adapter.ip, prefixLength: adapter.prefixLength },
  }));
  const fresh = freshHost(node.name, [
    ...others,
    { name: uplinkPort.name, kind: 'physical', mac, address: { ip, prefixLength } },
  ]);
  const last = steps.reduce<HostChange>(
    (change, step) => (change.kind === 'done' ? step(change.host) : change),
    changedHost(fresh),
  );
  if (last.kind === 'refused') throw new InputError(`node "${node.name}": ${last.why}`);
  return last.host;
}

/** `program` is that of br-int. */
export function windowsNode(
  view: NodeView,
  tunnel: TunnelType,
  { flows, groups }: BridgeProgram,
): Pick<NodePlan, 'bridges' | 'hosts' | 'pipes'> {
  const host = windowsHost(view);
  const { underlay } = view.node;
  assert(host.bridge !== undefined, `there is a bridge on ${host.node}`);
  const bridge: BridgePlan = {
    name: host.bridge.name,
    mac: underlay.mac,
    underlay: { ip: underlay.ip, prefixLength: underlay.prefixLength, ...knownOfUnderlay(view) },
    ports: host.bridge.ports.flatMap((port) => portPlan(port, view, tunnel)),
    flows,
    ...(groups.length === 0 ? {} : { groups }),
  };
  return {
    bridges: [bridge],
    hosts: [
      ...host.endpoints.map((endpoint) => podHost(endpoint.name, view)),
      nodeHost(host, view),
    ],
    pipes,
  };
}

/**
 * "Named pipe is used for local connections on Windows Nodes instead of Unix Domain Socket"; the
 * names are those of Antrea's agent, a path without its separators.
 */
const pipes: readonly NamedPipe[] = [
  { use: 'OVSDB', name: String.raw`\\.\pipe\C:openvswitchvarrunopenvswitchdb.sock` },
  { use: 'OpenFlow', name: String.raw`\\.\pipe\C:openvswitchvarrunopenvswitchbr-int.mgmt` },
  { use: 'CNI', name: String.raw`\\.\pipe\cnisock` },
];

/** LOCAL comes with the bridge. */
function portPlan(
  port: OvsPort,
  { node, pods }: NodeView,
  tunnel: TunnelType,
): readonly PortPlan[] {
  switch (port.kind) {
    case 'local':
      return [];
    case 'tunnel':
      return [
        {
          kind: 'tunnel',
          ...tunnelPort,
          tunnel,
          options: { ...flowBased, local_ip: port.localIp },
        },
      ];
    case 'gateway':
      return [{ kind: 'internal', ...gatewayPort, mac: node.gateway.mac }];
    case 'uplink':
      return [{ kind: 'uplink', ...uplinkPort, mac: node.underlay.mac, flood: 'never' }];
    case 'pod':
      return pods
        .filter((pod) => pod.port.name === port.name)
        .map((pod) => ({ kind: 'endpoint', ...pod.port }));
    default:
      return assertNever(port);
  }
}

function podHost(endpoint: string, { node, pods }: NodeView): HostPlan {
  const pod = pods.find(({ port }) => port.name === endpoint);
  assert(pod !== undefined, `endpoint ${endpoint} is a pod's`);
  const { prefixLength } = parseCidr(node.podCidr);
  return {
    name: pod.name,
    kind: 'pod',
    interfaces: [{ name: 'eth0', port: endpoint, mac: pod.mac, ip: pod.ip, prefixLength }],
    routes: [{ destination: '0.0.0.0/0', via: node.gateway.ip, interface: 'eth0', onlink: false }],
    ...(pod.listens === undefined ? {} : { listens: pod.listens }),
  };
}
