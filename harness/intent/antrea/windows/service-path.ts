/**
 * L0 on ClusterIPs asked for on a Windows node, where one endpoint alone is behind them: who gets
 * it, whom it sees, and every step of the way (the Windows design, "Service Traffic").
 */
import type {
  AntreaCluster,
  AntreaNetwork,
} from '../../../../topologies/antrea/antrea-topology.js';
import type { Crossing, Intent, PathIntent } from '../../../domain/intent.js';
import type { Node } from '../../../domain/topology.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import { hostWithAddress } from '../../kubernetes/cluster-hosts.js';
import { type ClusterHost } from '../../../domain/cluster-host.js';
import { backends, serviceAt } from '../../kubernetes/service/backends.js';
import { globalVirtualMac } from '../arp.js';
import { gatewayName, reversedCrossings, portNamesOn, nodePathBetween } from '../path.js';

/** 169.254.0.253: whom endpoints that are no pods see in the pipeline, before the host hides it. */
const virtualIp = '169.254.0.253';

/**
 * What is promised of a Service, with the way where there is but one and the asking node runs
 * Windows.
 */
export function withServicePath(
  { objects, ...network }: AntreaNetwork,
  from: ClusterHost,
  stimulus: Stimulus,
  promise: Intent,
): Intent {
  if (
    objects === undefined ||
    from.node.os !== 'windows' ||
    (stimulus.kind !== 'udp' && stimulus.kind !== 'tcp') ||
    promise.kind !== 'balanced' ||
    promise.lost !== undefined
  )
    return promise;
  const cluster = { ...network, objects };
  const service = serviceAt(cluster.objects, stimulus.to);
  const port = service?.spec.ports.find(
    (candidate) =>
      candidate.port === stimulus.port &&
      candidate.protocol === (stimulus.kind === 'udp' ? 'UDP' : 'TCP'),
  );
  const [endpoint, ...others] =
    service === undefined || port === undefined ? [] : backends(cluster.objects, service, port);
  const [answerer] = promise.answerers;
  const [source, ...more] = answerer?.sources ?? [];
  if (
    endpoint === undefined ||
    others.length > 0 ||
    answerer === undefined ||
    source === undefined ||
    more.length > 0
  )
    return promise;
  const party = hostWithAddress(cluster, endpoint.ip);
  if (party?.kind === 'node' && party.node === from.node) return promise;
  return {
    kind: 'round-trip',
    to: answerer.to,
    source,
    path: [
      party?.kind === 'pod'
        ? pathToPod(cluster, from, stimulus.to, party)
        : pathToHost(from, stimulus.to, endpoint.ip),
    ],
  };
}

/**
 * "Pod-to-ClusterIP-Service traffic is load-balanced and forwarded directly inside the OVS
 * pipeline."
 */
function pathToPod(
  cluster: AntreaCluster,
  from: ClusterHost,
  asked: string,
  endpoint: ClusterHost,
): PathIntent {
  const { uplink } = portNamesOn(from.node);
  const [request, answer] = gatewayCrossings(from, asked);
  if (endpoint.node === from.node) return through(from.node, [...request, ...answer]);
  const isTunnelled = nodePathBetween(cluster, from.node, endpoint.node) === 'tunnel';
  const across: Crossing = isTunnelled
    ? { direction: 'out', port: uplink, src: from.node.underlay.ip, dst: endpoint.node.underlay.ip }
    : { direction: 'out', port: uplink, src: from.ip, dst: endpoint.ip };
  return through(from.node, [...request, across, ...reversedCrossings([across]), ...answer]);
}

/**
 * "host -> antrea-gw0 -> OVS pipeline -> antrea-gw0 -> host NetNat -> br-int -> OVS pipeline ->
 * peer Node", and the answer the other way round. What a pod asks for leaves the pipeline with its
 * own address.
 */
function pathToHost(from: ClusterHost, asked: string, endpoint: string): PathIntent {
  const { bridge, uplink } = portNamesOn(from.node);
  const [request, answer] = gatewayCrossings(from, asked);
  const hidden = from.node.underlay.ip;
  const there: readonly Crossing[] = [
    {
      direction: 'out',
      port: gatewayName,
      src: from.kind === 'node' ? virtualIp : from.ip,
      dst: endpoint,
    },
    { direction: 'in', port: bridge, src: hidden, dst: endpoint },
    { direction: 'out', port: uplink, src: hidden, dst: endpoint },
  ];
  return through(from.node, [...request, ...there, ...reversedCrossings(there), ...answer]);
}

/**
 * The host asks, and is answered, at antrea-gw0, by the one neighbour that stands for all Services;
 * a pod at its own port.
 */
function gatewayCrossings(
  from: ClusterHost,
  asked: string,
): readonly [readonly Crossing[], readonly Crossing[]] {
  const request: readonly Crossing[] =
    from.kind === 'node' ? [{ direction: 'in', port: gatewayName, src: from.ip, dst: asked }] : [];
  return [
    request.map((crossing) => ({ ...crossing, mac: globalVirtualMac })),
    reversedCrossings(request),
  ];
}

function through(node: Node, crossings: readonly Crossing[]): PathIntent {
  const { bridge, uplink } = portNamesOn(node);
  return { node: node.name, ports: [gatewayName, bridge, uplink], crossings };
}
