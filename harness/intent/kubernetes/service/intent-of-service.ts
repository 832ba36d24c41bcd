/**
 * L0 on Services: who may answer for a ClusterIP, and which sender they see (Kubernetes, "Service",
 * "Virtual IPs and Service Proxies", "Using Source IP").
 */
import { cidrContains, ipv4Number, parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import { Unsupported } from '../../../base/errors/errors.js';
import type { Cluster, KubeObjects } from '../../../kube/objects.js';
import type { Service } from '../../../kube/schemas/services.js';
import type { Answerer, Intent } from '../../../domain/intent.js';
import type { ControlPlanePromises } from '../../../domain/promises.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import { subnetNode } from '../cluster-hosts.js';
import { type ClusterHost } from '../../../domain/cluster-host.js';
import { between, end } from '../policy/intent-under-policies.js';
import { egressVerdict } from '../policy/policy-verdict.js';
import { type Conversation } from '../policy/rule-matches.js';
import { backends, backendsOn, serviceAt, type Backend, type PortOfService } from './backends.js';
import {
  balancedAmong,
  listenerAt,
  protocolOf,
  refuseShortTtl,
  shutPort,
  type ServiceStimulus,
  type Reach,
} from './service-reach.js';

/** The outcome of what is sent to an endpoint. */
export type ReachOf = (
  cluster: Cluster,
  from: ClusterHost,
  asked: Pick<PortOfService, 'protocol'>,
  backend: Backend,
) => Reach;

/**
 * What somebody who sends to a Service's address gets; undefined for everything else. @throws
 * Unsupported where nothing is promised.
 */
export function intentOfService(
  cluster: Cluster,
  from: ClusterHost,
  stimulus: Stimulus,
  reach: ReachOf,
): Intent | undefined {
  if (
    stimulus.kind === 'arp' ||
    stimulus.kind === 'dhcp' ||
    stimulus.kind === 'announcement' ||
    stimulus.kind === 'frame' ||
    !isServiceAddress(cluster, stimulus.to)
  )
    return undefined;
  if (stimulus.kind === 'talk')
    throw new Unsupported(
      `nothing is promised about a connection to ${stimulus.to} that was open before: it is a ` +
        `Service's address`,
    );
  const service = serviceAt(cluster.objects, stimulus.to);
  if (service === undefined)
    return {
      kind: 'denied',
      why: `no Service has the address ${stimulus.to}`,
      unheld: stimulus.to,
    };
  const name = `Service ${service.metadata.namespace}/${service.metadata.name}`;
  if (stimulus.kind === 'ping')
    return { kind: 'denied', why: `${name} is about ports, and ICMP has none` };
  const protocol = protocolOf(stimulus);
  const port = service.spec.ports.find(
    (candidate) => candidate.port === stimulus.port && candidate.protocol === protocol,
  );
  if (port === undefined)
    return { kind: 'denied', why: `${name} has no ${protocol} port ${stimulus.port}` };
  return intentOfPort(
    cluster,
    from,
    stimulus,
    { service, port, name: `${name}, ${protocol} port ${port.port}` },
    reach,
  );
}

/**
 * ServiceSpec, `internalTrafficPolicy`: `Local` drops what is sent where there are no endpoints on
 * the sender's node.
 * @throws Unsupported on Windows nodes, whose kube-proxy does not know it.
 */
function isInternalLocal({ metadata, spec }: Service, { kind, node }: ClusterHost): boolean {
  const isLocal = spec.internalTrafficPolicy === 'Local';
  if (isLocal && kind === 'node' && node.os === 'windows')
    throw new Unsupported(
      `nothing is promised about what ${node.name}, a Windows node, gets of ${metadata.name}, ` +
        'whose internalTrafficPolicy is Local',
    );
  return isLocal;
}

interface RequestedPort {
  readonly service: Service;
  readonly port: PortOfService;
  readonly name: string;
}

function intentOfPort(
  cluster: Cluster,
  from: ClusterHost,
  stimulus: ServiceStimulus,
  { service, port, name }: RequestedPort,
  reach: ReachOf,
): Intent {
  const all = backends(cluster.objects, service, port);
  if (all.length === 0) return intentWithoutEndpoint(cluster, from, stimulus, name);
  refuseShortTtl(stimulus);
  const able = isInternalLocal(service, from)
    ? backendsOn(from.node.name, cluster.objects, service, port)
    : all;
  if (able.length === 0)
    return {
      kind: 'denied',
      why: `${name}: its traffic stays on the node, and nobody on ${from.node.name} is ready`,
    };
  return balancedAmong(
    able.map((backend) => reach(cluster, from, port, backend)),
    service,
    stimulus,
    name,
  );
}

/**
 * The sender gets an error, unless its policies would not let it send to that address: whether they
 * apply when there is no endpoint is not specified.
 */
function intentWithoutEndpoint(
  { objects }: Cluster,
  from: ClusterHost,
  stimulus: ServiceStimulus,
  name: string,
): Intent {
  const asked = egressVerdict(objects, {
    protocol: protocolOf(stimulus),
    port: stimulus.port,
    from: end(objects, from.ip),
    to: { ip: stimulus.to },
  });
  const why = `nobody is ready behind ${name}`;
  if (asked.kind === 'allowed') return { kind: 'rejected', why };
  const outcomes = [
    { kind: 'denied', why },
    { kind: 'rejected', why },
  ] as const;
  return { kind: 'either', outcomes, why: `policies of ${from.name} may be asked first, or not` };
}

/**
 * Policies are about the endpoint: for a Service's traffic, egress rules are asked once the
 * destination is known, "when packets come back through the gateway" (the seed, "DNATTable"). What
 * leaves the cluster from the node's stack does not come back: whether it is dropped is not
 * specified (Kubernetes, "Network Policies", on rewritten addresses: "not defined whether this
 * happens before or after"). For the same reason it is open whether a pod gets its own node by a
 * Service, which policies cannot keep it from by the node's own address.
 */
export function reachOf(
  cluster: Cluster,
  from: ClusterHost,
  asked: Pick<PortOfService, 'protocol'>,
  { ip, port }: Backend,
  promises: ControlPlanePromises,
): Reach {
  const { protocol } = asked;
  const party = listenerAt(cluster, asked, { ip, port });
  if (from.kind === 'node' && party.name === from.name)
    throw new Unsupported(`nothing is promised about what ${from.name} sends to itself`);
  const answerer = { to: party.name, sources: promises.sourcesAtEndpoint(cluster, from, ip) };
  const { objects } = cluster;
  if ('node' in party && party.name === from.name)
    return reachOfItself(objects, party, { protocol, port }, answerer);
  const conversation = { protocol, port, from: end(objects, from.ip), to: end(objects, ip) };
  const verdict =
    'node' in party
      ? between(objects, from, party, conversation)
      : egressVerdict(objects, conversation);
  if (verdict.kind === 'allowed') return { answerer, policies: 'let it through' };
  const isCertain = verdict.kind === 'denied' && subnetNode(cluster, ip) !== undefined;
  return {
    answerer,
    policies: isCertain ? 'keep it back' : 'may keep it back',
    why: shutPort(party, asked, port, verdict.why),
  };
}

/**
 * "A pod cannot block access to itself" (Kubernetes, "Network Policies"); whether that holds by way
 * of a Service as well, whose address its policies may be asked about, is not specified.
 */
export function reachOfItself(
  objects: KubeObjects,
  self: ClusterHost,
  service: Pick<Conversation, 'protocol' | 'port'>,
  answerer: Answerer,
): Reach {
  const verdict = between(objects, self, self, {
    ...service,
    from: end(objects, self.ip),
    to: end(objects, self.ip),
  });
  return verdict.kind === 'allowed'
    ? { answerer, policies: 'let it through' }
    : { answerer, policies: 'may keep it back', why: `it is ${self.name} itself: ${verdict.why}` };
}

function isServiceAddress({ serviceCidr }: Cluster, ip: string): boolean {
  return cidrContains(parseCidr(serviceCidr), ipv4Number(ip));
}
