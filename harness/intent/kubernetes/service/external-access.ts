/**
 * L0 on Services that are asked for from outside of the cluster, or as if from there: by a port of
 * a node, by the address of a load balancer, or by an external IP (Kubernetes, "Service", and
 * "Using Source IP").
 */
import { Unsupported } from '../../../base/errors/errors.js';
import { oncePer } from '../../../base/once-per.js';
import type { Cluster } from '../../../kube/objects.js';
import type { Service } from '../../../kube/schemas/services.js';
import type { Intent } from '../../../domain/intent.js';
import type { Node } from '../../../domain/topology.js';
import type { ControlPlanePromises } from '../../../domain/promises.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import { hostWithAddress, clusterHosts, subnetNode } from '../cluster-hosts.js';
import { type ClusterHost } from '../../../domain/cluster-host.js';
import { end } from '../policy/intent-under-policies.js';
import {
  egressVerdict,
  ingressVerdict,
  type Conversation,
  type End,
  type PolicyVerdict,
} from '../policy/policy-verdict.js';
import type { ServiceAddress } from './session-affinity.js';
import { backends, backendsOn, type Backend, type PortOfService } from './backends.js';
import {
  balancedAmong,
  listenerAt,
  protocolOf,
  refuseShortTtl,
  type ServiceStimulus,
  type Reach,
} from './service-reach.js';

/** Who asks: an external host, or with its place in the cluster a pod or a node. */
interface ServiceClient {
  readonly name: string;
  readonly ip: string;
  readonly party?: ClusterHost;
}

/** A port of a Service as it is asked for, and the node that its packets come to. */
interface ExternalPort {
  readonly service: Service;
  readonly port: PortOfService;
  readonly name: string;
  readonly node: Node;
  readonly by: "a node's port" | 'an address';
}

/**
 * What somebody gets who sends to a port of a node that is a Service's, or to an address from
 * outside that is one's; undefined for everything else. @throws Unsupported where nothing is
 * promised.
 */
export function externalAccessIntent(
  cluster: Cluster,
  stimulus: Stimulus,
  promises: ControlPlanePromises,
): Intent | undefined {
  if (!('port' in stimulus) || !('to' in stimulus)) return undefined;
  const asker = clientNamed(cluster, stimulus.from);
  const exposure = asker === undefined ? undefined : externalPortAt(cluster, asker, stimulus);
  if (asker === undefined || exposure === undefined) return undefined;
  if (stimulus.kind === 'open' || stimulus.kind === 'talk')
    throw new Unsupported(
      `nothing is promised about connections to ${exposure.name} that stay open`,
    );
  return intentOfExternalPort(cluster, asker, stimulus, exposure, promises);
}

/**
 * The port of a Service that is asked for so, as it is asked for in the cluster; undefined for
 * everything else.
 */
export function externalServicePort(
  cluster: Cluster,
  stimulus: Stimulus,
): ServiceAddress | undefined {
  if (!('port' in stimulus) || !('to' in stimulus) || stimulus.kind === 'talk') return undefined;
  const asker = clientNamed(cluster, stimulus.from);
  const exposure = asker === undefined ? undefined : externalPortAt(cluster, asker, stimulus);
  const ip = exposure?.service.spec.clusterIP;
  return exposure === undefined || ip === undefined
    ? undefined
    : { ip, port: exposure.port.port, protocol: exposure.port.protocol };
}

function clientNamed(cluster: Cluster, name: string): ServiceClient | undefined {
  const host = (cluster.externalHosts ?? []).find((candidate) => candidate.name === name);
  if (host !== undefined) return { name, ip: host.ip };
  const party = clusterHosts(cluster).find((candidate) => candidate.name === name);
  return party === undefined ? undefined : { name, ip: party.ip, party };
}

type Sent = Extract<Stimulus, { readonly to: string; readonly port: number }>;

function externalPortAt(
  cluster: Cluster,
  asker: ServiceClient,
  stimulus: Sent,
): ExternalPort | undefined {
  const protocol = protocolOf(stimulus);
  for (const service of cluster.objects.services) {
    for (const port of service.spec.ports) {
      if (port.protocol !== protocol) continue;
      const node =
        port.nodePort === stimulus.port ? nodeWithAddress(cluster, asker, stimulus.to) : undefined;
      if (node !== undefined)
        return {
          service,
          port,
          node,
          name: `${nameOf(service, port)}, by port ${stimulus.port} of ${node.name}`,
          by: "a node's port",
        };
      const nearest =
        asker.party?.node ??
        cluster.nodes.find(
          (candidate) =>
            candidate.name ===
            cluster.externalHosts?.find((host) => host.name === asker.name)?.balancedTo,
        );
      if (
        port.port === stimulus.port &&
        addressesOf(service).includes(stimulus.to) &&
        nearest !== undefined
      )
        return {
          service,
          port,
          node: nearest,
          name: `${nameOf(service, port)}, by ${stimulus.to}`,
          by: 'an address',
        };
    }
  }
  return undefined;
}

function nameOf({ metadata }: Service, { protocol, port }: PortOfService): string {
  return `Service ${metadata.namespace}/${metadata.name}, ${protocol} port ${port}`;
}

/** By which it is asked for from outside, beside ports of nodes. */
const addressesOf = oncePer(({ spec: { type, externalIPs }, status }: Service) => [
  ...externalIPs,
  ...(type === 'LoadBalancer' ? (status.loadBalancer?.ingress ?? []).map(({ ip }) => ip) : []),
]);

/**
 * The node that has the address. Its ports are open on all of its addresses (kube-proxy,
 * `--nodeport-addresses`: by default "all available IPs"), so pods reach them by their gateway's as
 * well.
 * @throws Unsupported where a node asks itself, and for the gateway's address of another node:
 *   whether the packet counts as one from outside there depends on how kube-proxy tells pods.
 */
function nodeWithAddress(
  { nodes }: Cluster,
  { name, party }: ServiceClient,
  ip: string,
): Node | undefined {
  const node = nodes.find(
    ({ underlay, gateway }) => underlay.ip === ip || (party !== undefined && gateway.ip === ip),
  );
  if (node === undefined || node.os === 'windows') return undefined;
  if (party?.kind === 'node' && party.node === node)
    throw new Unsupported(`nothing is promised about what ${name} sends to itself`);
  if (ip === node.gateway.ip && party?.node !== node)
    throw new Unsupported(
      `nothing is promised about ports of ${node.name} that ${name} asks for by ${ip}, the ` +
        'address of its gateway',
    );
  return node;
}

function intentOfExternalPort(
  cluster: Cluster,
  asker: ServiceClient,
  stimulus: ServiceStimulus,
  exposure: ExternalPort,
  promises: ControlPlanePromises,
): Intent {
  const { service, port, node, name } = exposure;
  if (asker.party?.node.os === 'windows')
    throw new Unsupported(
      `nothing is promised about what ${asker.name}, on a Windows node, gets by ${name}`,
    );
  const all = backends(cluster.objects, service, port);
  if (all.length === 0) return intentWithoutEndpoint(cluster, asker, stimulus, exposure);
  refuseShortTtl(stimulus);
  const able =
    isExternalAccess(asker, exposure) && isLocal(service)
      ? backendsOn(node.name, cluster.objects, service, port)
      : all;
  if (able.length === 0)
    return {
      kind: 'denied',
      why: `${name}: its traffic from outside stays on the node, and nobody there is ready`,
    };
  return balancedAmong(
    able.map((backend) => reachOf(cluster, asker, stimulus, exposure, backend, promises)),
    service,
    stimulus,
    name,
  );
}

function isLocal({ spec }: Service): boolean {
  return spec.externalTrafficPolicy === 'Local';
}

/** Pods that ask their own node, and nodes that ask for an address, do not. */
function isExternalAccess({ party }: ServiceClient, { node }: ExternalPort): boolean {
  return party?.node !== node;
}

/**
 * The sender is told, but where its policies would not let it ask that address (as for ClusterIPs).
 * @throws Unsupported where another node had to pass it on.
 */
function intentWithoutEndpoint(
  { objects }: Cluster,
  { name, ip, party }: ServiceClient,
  stimulus: ServiceStimulus,
  exposure: ExternalPort,
): Intent {
  const why = `nobody is ready behind ${exposure.name}`;
  if (party === undefined) return { kind: 'rejected', why };
  if (party.kind === 'pod' && party.node !== exposure.node)
    throw new Unsupported(
      `whether ${name} is told that ${why}, by ${exposure.node.name} and through ` +
        `${party.node.name}, is not promised`,
    );
  const asked = egressVerdict(objects, {
    protocol: protocolOf(stimulus),
    port: stimulus.port,
    from: end(objects, ip),
    to: { ip: stimulus.to },
  });
  return { kind: asked.kind === 'allowed' ? 'rejected' : 'denied', why };
}

function reachOf(
  cluster: Cluster,
  asker: ServiceClient,
  stimulus: ServiceStimulus,
  exposure: ExternalPort,
  { ip, port }: Backend,
  promises: ControlPlanePromises,
): Reach {
  const target = listenerAt(cluster, exposure.port, { ip, port });
  if (asker.party?.kind === 'node' && target.name === asker.name)
    throw new Unsupported(`nothing is promised about what ${asker.name} sends to itself`);
  const sources = sourcesAt(cluster, asker, exposure, ip, promises);
  const answerer = { to: target.name, sources };
  const { objects } = cluster;
  const protocol = protocolOf(stimulus);
  const conversation = (from: End): Conversation => ({
    protocol,
    port,
    from,
    to: end(objects, ip),
  });
  const self = end(objects, asker.ip);
  const isItself = target.name === asker.name;
  // "The source or destination IP address may be rewritten … not defined whether this happens
  // before or after NetworkPolicy processing" (Kubernetes, "Network Policies").
  const outward =
    self.pod === undefined
      ? []
      : [
          egressVerdict(objects, {
            protocol,
            port: stimulus.port,
            from: self,
            to: { ip: stimulus.to },
          }),
          ...(isItself ? [] : [egressVerdict(objects, conversation(self))]),
        ];
  const inward = isItself
    ? []
    : clientIdentities(cluster, asker, sources).map((from) =>
        from.ip === gatewayOf(cluster, ip) ? allowed : ingressVerdict(objects, conversation(from)),
      );
  const refusals = [refusal(outward), refusal(inward)];
  const definite =
    refusals.find((found) => found?.always === true) ??
    refusals.find((found) => found !== undefined);
  if (definite === undefined) return { answerer, policies: 'let it through' };
  return {
    answerer,
    policies: definite.always ? 'keep it back' : 'may keep it back',
    why: definite.why,
  };
}

const allowed: PolicyVerdict = { kind: 'allowed' };

/** Of verdicts one of which counts. */
function refusal(
  verdicts: readonly PolicyVerdict[],
): { readonly always: boolean; readonly why: string } | undefined {
  const refusals = verdicts.flatMap((verdict) => (verdict.kind === 'allowed' ? [] : [verdict]));
  const [first] = refusals;
  if (first === undefined) return undefined;
  return { always: verdicts.every(({ kind }) => kind === 'denied'), why: first.why };
}

/**
 * Whom policies of the endpoint may take the sender for: a pod for itself, as well as for whom it
 * is seen as. Who is no pod is only seen.
 */
function clientIdentities(
  { objects }: Cluster,
  { ip }: ServiceClient,
  sources: readonly string[],
): readonly End[] {
  const self = end(objects, ip);
  const seen = sources.map((source) => end(objects, source));
  return self.pod === undefined ? seen : [self, ...seen.filter((other) => other.ip !== ip)];
}

/**
 * The seed, "IngressRuleTable": "traffic from the local gateway cannot be dropped because of
 * Network Policies".
 */
function gatewayOf(cluster: Cluster, ip: string): string | undefined {
  const party = hostWithAddress(cluster, ip);
  return party?.kind === 'pod' ? party.node.gateway.ip : undefined;
}

/**
 * "Using Source IP": with `externalTrafficPolicy: Cluster` the node that is asked puts its own
 * address in the sender's place, by which it reaches the endpoint; with `Local` it does not. What
 * ends at that node itself leaves it by no address. Pods that ask their own node for a Service with
 * `Local`, and by a load balancer's address, may get it as by the ClusterIP.
 */
function sourcesAt(
  cluster: Cluster,
  asker: ServiceClient,
  { service, node, by }: ExternalPort,
  ip: string,
  promises: ControlPlanePromises,
): readonly string[] {
  const { party } = asker;
  const arriving =
    party === undefined
      ? asker.ip
      : party.node === node
        ? party.kind === 'pod'
          ? party.ip
          : node.underlay.ip
        : party.node.underlay.ip;
  const hidden =
    ip === node.underlay.ip
      ? arriving
      : subnetNode(cluster, ip) === undefined
        ? node.underlay.ip
        : node.gateway.ip;
  if (party === undefined || party.node !== node) return [isLocal(service) ? arriving : hidden];
  if (party.kind === 'node') return [hidden];
  const asByClusterIp = promises.sourcesAtEndpoint(cluster, party, ip);
  if (isLocal(service)) return asByClusterIp;
  return by === 'an address' ? [...new Set([hidden, ...asByClusterIp])] : [hidden];
}
