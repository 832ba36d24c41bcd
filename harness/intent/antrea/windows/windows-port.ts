/**
 * L0 on ports of Windows nodes that are Services': "Kube-proxy captures NodePort Service traffic
 * and sets up a connection to a backend Pod to forward the request using this connection" (the
 * Windows design, "Design"). The endpoint sees the node and never the client, and gets the request
 * from antrea-gw0 if it is a pod.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type {
  AntreaCluster,
  AntreaNetwork,
} from '../../../../topologies/antrea/antrea-topology.js';
import type { Service } from '../../../kube/schemas/services.js';
import type { Answerer, Crossing, Intent, PathIntent } from '../../../domain/intent.js';
import type { Node } from '../../../domain/topology.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import { clusterHosts } from '../../kubernetes/cluster-hosts.js';
import { end } from '../../kubernetes/policy/intent-under-policies.js';
import { egressVerdict } from '../../kubernetes/policy/policy-verdict.js';
import {
  gatewayName,
  reversedCrossings,
  portNamesOn,
  nodePathBetween,
  sourceSeen,
} from '../path.js';
import type { PortOfService } from '../../kubernetes/service/backends.js';
import { protocolOf } from '../../kubernetes/service/service-reach.js';
import { endpointsBehind, type Endpoint, type Reached } from './windows-endpoints.js';
import type { Asked } from './asked-port.js';
import { isAsking, type Asking, refuseOwnAddresses, askedAt } from './asked-port.js';

/**
 * Undefined for what is not sent to such a port, and for what is sent by a connection that stands.
 * @throws Unsupported where nothing is promised.
 */
export function intentOfWindowsPort(
  { objects, ...network }: AntreaNetwork,
  stimulus: Stimulus,
): Intent | undefined {
  if (objects === undefined || !isAsking(stimulus)) return undefined;
  const cluster = { ...network, objects };
  refuseOwnAddresses(cluster, stimulus);
  const asked = askedAt(cluster, stimulus);
  if (asked === undefined) return undefined;
  const client = clientSeen(cluster, asked, stimulus);
  const kept = keptFromNode(cluster, stimulus);
  if (kept !== undefined) return { kind: 'denied', why: kept };
  return intentBehind(cluster, asked, client, stimulus);
}

/**
 * A client's packets go to the node and no further, so that its policies are asked about the node.
 * Who is no pod has none.
 */
function keptFromNode(cluster: AntreaCluster, stimulus: Asking): string | undefined {
  const { objects } = cluster;
  const pod = clusterHosts(cluster).find(
    ({ kind, name }) => kind === 'pod' && name === stimulus.from,
  );
  if (pod === undefined) return undefined;
  const verdict = egressVerdict(objects, {
    protocol: protocolOf(stimulus),
    port: stimulus.port,
    from: end(objects, pod.ip),
    to: { ip: stimulus.to },
  });
  if (verdict.kind === 'open')
    throw new Unsupported(
      `nothing is promised about what ${stimulus.from} gets by a proxy: ${verdict.why}`,
    );
  return verdict.kind === 'denied' ? verdict.why : undefined;
}

/**
 * An endpoint that does not take a connection is followed by another: kube-proxy "would detect that
 * the connection to the first Pod had failed and would automatically retry with a different backend
 * Pod" (Kubernetes, "Virtual IPs and Service Proxies", of the old userspace mode). Datagrams go to
 * whoever has its turn. Where nobody is left, the client's connection is closed.
 */
function intentBehind(
  cluster: AntreaCluster,
  { node, at, service, port, name }: Asked,
  client: string,
  stimulus: Asking,
): Intent {
  const all = endpointsBehind(cluster, node, service, port);
  const able = all.flatMap((endpoint) => (endpoint.kind === 'answers' ? [endpoint.reached] : []));
  const others = all.flatMap((endpoint) => (endpoint.kind === 'answers' ? [] : [endpoint]));
  if (!isCertain(port, able, others) || (able.length === 0 && stimulus.kind === 'calls'))
    throw new Unsupported(
      `nothing is promised about ${name}: of ${all.length} endpoints ${able.length} answer`,
    );
  if (able.some(({ to }) => to === stimulus.from))
    throw new Unsupported(
      `nothing is promised about ${stimulus.from}, which may get itself by ${name}`,
    );
  const [only, ...more] = able;
  if (only === undefined)
    return {
      kind: 'abandoned',
      by: node.name,
      why:
        `${name}: ` +
        (others.length === 0 ? 'nobody is ready' : others.map(({ why }) => why).join(', and ')),
    };
  const refusing = others.flatMap((endpoint) => (endpoint.kind === 'refuses' ? [endpoint.by] : []));
  const relay = { by: node.name, client, ...(refusing.length === 0 ? {} : { refusing }) };
  if (stimulus.kind !== 'calls' && more.length === 0) {
    const isMixed =
      at === 'gateway' || others.length > 0 || only.party?.node.underlay.ip === client;
    const path = isMixed
      ? []
      : [wayThrough(cluster, node, { client, isDatagram: stimulus.kind === 'udp' }, only)];
    return { kind: 'round-trip', to: only.to, source: only.source, relay, path };
  }
  if (stimulus.kind === 'open')
    throw new Unsupported(
      `nothing is promised about connections to ${name} that stay open: it may be any of ` +
        `${able.length} endpoints that has them`,
    );
  return {
    kind: 'balanced',
    answerers: able.map(({ to, source }): Answerer => ({ to, sources: [source] })),
    spread: spreadOf(service, stimulus, able.length),
    relay,
    why: name,
  };
}

/**
 * kube-proxy tries four times in all (Kubernetes before 1.26, pkg/proxy/winuserspace,
 * "endpointDialTimeouts"). For datagrams to a closed port no error is sent here.
 */
function isCertain(
  { protocol }: PortOfService,
  able: readonly Reached[],
  others: readonly Exclude<Endpoint, { readonly kind: 'answers' }>[],
): boolean {
  if (able.length === 0) return protocol === 'TCP' || others.every(({ kind }) => kind === 'silent');
  return protocol === 'TCP' ? others.length < 4 : others.length === 0;
}

/**
 * Pods elsewhere come from their own node, which hides them, but where they ask an address of pods'
 * subnets.
 */
function clientSeen(cluster: AntreaCluster, { node, at }: Asked, stimulus: Asking): string {
  const { from: name, to } = stimulus;
  const outside = (cluster.externalHosts ?? []).find((host) => host.name === name);
  if (outside !== undefined) return outside.ip;
  const party = clusterHosts(cluster).find((candidate) => candidate.name === name);
  if (party === undefined || party.node === node)
    throw new Unsupported(
      `nothing is promised about what ${name} gets by a port of ${node.name}, its own node`,
    );
  const isDatagram = protocolOf(stimulus) === 'UDP';
  if (at === 'gateway' && isDatagram && nodePathBetween(cluster, node, party.node) !== 'tunnel')
    throw new Unsupported(
      `nothing is promised about the address that datagrams to ${to} are answered from: the ` +
        `way back to ${name} begins with another`,
    );
  return at === 'node'
    ? party.node.underlay.ip
    : sourceSeen(cluster, party, { ...party, kind: 'node', node, ip: to });
}

interface Client {
  readonly client: string;
  readonly isDatagram: boolean;
}

/**
 * "The forwarded request enters the OVS pipeline through "antrea-gw0" and is then forwarded to the
 * Pod"; the client's own packets go past it. A connection stands with the client before one is
 * opened to the endpoint.
 */
function wayThrough(
  cluster: AntreaCluster,
  node: Node,
  { client, isDatagram }: Client,
  { source, ip, party }: Reached,
): PathIntent {
  const { bridge, uplink } = portNamesOn(node);
  const request: readonly Crossing[] = [
    { direction: 'in', port: uplink, src: client, dst: node.underlay.ip },
    { direction: 'out', port: bridge, src: client, dst: node.underlay.ip },
  ];
  const forwarded = (): readonly Crossing[] => {
    const packet = { src: source, dst: ip };
    if (party?.kind === 'pod' && party.node === node)
      return [{ direction: 'in', port: gatewayName, ...packet }];
    const isTunnelled =
      party?.kind === 'pod' && nodePathBetween(cluster, node, party.node) === 'tunnel';
    if (isTunnelled)
      return [
        { direction: 'in', port: gatewayName, ...packet },
        { direction: 'out', port: uplink, src: node.underlay.ip, dst: party.node.underlay.ip },
      ];
    return [
      { direction: 'in', port: bridge, ...packet },
      { direction: 'out', port: uplink, ...packet },
    ];
  };
  const [there, back] = [forwarded(), reversedCrossings(request)];
  const crossings = isDatagram
    ? [...request, ...there, ...reversedCrossings(there), ...back]
    : [...request, ...back, ...there, ...reversedCrossings(there)];
  return { node: node.name, ports: [gatewayName, bridge, uplink], crossings };
}

/**
 * Kubernetes ("User space proxy mode"): "By default, kube-proxy in userspace mode chooses a backend
 * via a round-robin algorithm." A client that keeps its endpoint does for its time, and beyond that
 * nothing is said.
 */
function spreadOf(
  { spec }: Service,
  stimulus: Asking,
  endpoints: number,
): 'any' | 'the same' | 'every one' {
  if (stimulus.kind !== 'calls') return 'any';
  if (spec.sessionAffinity === 'None')
    return stimulus.protocol === 'TCP' && stimulus.count >= endpoints ? 'every one' : 'any';
  const lastsMs = (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) * 1000;
  return stimulus.everyMs * stimulus.count < lastsMs ? 'the same' : 'any';
}
