/** L0 on Services: who may answer for a ClusterIP, and which sender they see (Kubernetes, "Service", "Virtual IPs and Service Proxies", "Using Source IP"). */
import { cidrContains, ipv4Number, parseCidr } from '../../base/address.js';
import { Unsupported } from '../../base/errors.js';
import type { Cluster } from '../../kube/objects.js';
import type { Service } from '../../kube/services.js';
import type { Answerer, Intent } from '../../nouns/intent.js';
import type { Stimulus } from '../../nouns/vector.js';
import { answersOn, holder, subnetNode, type Party } from '../parties.js';
import { between, end } from '../policy/intent.js';
import { egressVerdict } from '../policy/verdict.js';
import { backends, serviceAt, type Backend, type PortOfService } from './endpoints.js';

type Asking = Extract<Stimulus, { readonly kind: 'udp' | 'tcp' | 'sctp' | 'probe' | 'calls' }>;

/** What somebody who sends to a Service's address gets; undefined for everything else. @throws Unsupported where nothing is promised. */
export function intentOfService(cluster: Cluster, from: Party, stimulus: Stimulus): Intent | undefined {
  if (stimulus.kind === 'arp' || stimulus.kind === 'frame' || !isServiceAddress(cluster, stimulus.to)) return undefined;
  if (stimulus.kind === 'open' || stimulus.kind === 'talk') throw new Unsupported(`nothing is promised about connections to ${stimulus.to} that stay open: it is a Service's address`);
  const service = serviceAt(cluster.objects, stimulus.to);
  if (service === undefined) return { kind: 'denied', why: `no Service has the address ${stimulus.to}` };
  const name = `Service ${service.metadata.namespace}/${service.metadata.name}`;
  if (stimulus.kind === 'ping') return { kind: 'denied', why: `${name} is about ports, and ICMP has none` };
  const protocol = protocolOf(stimulus);
  const port = service.spec.ports.find((candidate) => candidate.port === stimulus.port && candidate.protocol === protocol);
  if (port === undefined) return { kind: 'denied', why: `${name} has no ${protocol} port ${stimulus.port}` };
  return intentOfPort(cluster, from, stimulus, { service, port, name: `${name}, ${protocol} port ${port.port}` });
}

interface Asked {
  readonly service: Service;
  readonly port: PortOfService;
  readonly name: string;
}

function intentOfPort(cluster: Cluster, from: Party, stimulus: Asking, { service, port, name }: Asked): Intent {
  const all = backends(cluster.objects, service, port);
  if (all.length === 0) return intentOfNobody(cluster, from, stimulus, name);
  const lifetime = 'ttl' in stimulus ? stimulus.ttl : undefined;
  if (lifetime !== undefined && lifetime < enoughTtl) throw new Unsupported(`nothing is promised about TTL ${lifetime} on the way to a Service: how many routers there are depends on who answers`);
  const reached = all.map((backend) => reachOf(cluster, from, port, backend));
  const answerers = reached.filter(({ policies }) => policies !== 'keep it back').map(({ answerer }) => answerer);
  const lost = reached.find(({ policies }) => policies !== 'let it through')?.why;
  if (answerers.length === 0) return { kind: 'denied', why: lost ?? '' };
  if (lost !== undefined && stimulus.kind === 'calls') throw new Unsupported(`nothing is promised about several calls of which some get lost: ${lost}`);
  return { kind: 'balanced', answerers, spread: spreadOf(service, stimulus, all.length), ...(lost === undefined ? {} : { lost }), why: name };
}

/** The sender is told, but where its policies would not let it ask that address: whether they are asked when there is no endpoint is left open. */
function intentOfNobody({ objects }: Cluster, from: Party, stimulus: Asking, name: string): Intent {
  const asked = egressVerdict(objects, { protocol: protocolOf(stimulus), port: stimulus.port, from: end(objects, from.ip), to: { ip: stimulus.to } });
  return { kind: asked.kind === 'denied' ? 'denied' : 'rejected', why: `nobody is ready behind ${name}` };
}

/** More routers than there are on any way through the cluster. */
const enoughTtl = 5;

interface Reach {
  readonly answerer: Answerer;
  readonly policies: 'let it through' | 'keep it back' | 'may keep it back';
  readonly why?: string;
}

/**
 * Policies are about the endpoint: for a Service's traffic, egress rules are asked once the destination is known, "when packets come back through the gateway" (the seed,
 * "DNATTable"). What leaves the cluster from the node's stack does not come back: whether it is kept back is left open (Kubernetes, "Network Policies", on rewritten
 * addresses: "not defined whether this happens before or after"). Nobody is kept from itself.
 */
function reachOf(cluster: Cluster, from: Party, { protocol }: PortOfService, { ip, port }: Backend): Reach {
  const party = holder(cluster, ip) ?? outside(cluster, ip);
  if (party === undefined) throw new Unsupported(`nothing is promised about ${ip}, which nobody holds`);
  if (!answersOn(party, protocol, port)) throw new Unsupported(`nothing is promised about ${protocol} port ${port} of ${party.name}, where nobody listens`);
  if (from.kind === 'node' && party.name === from.name) throw new Unsupported(`nothing is promised about what ${from.name} sends to itself`);
  const answerer = { to: party.name, sources: sourcesSeen(cluster, from, ip) };
  if (party.name === from.name) return { answerer, policies: 'let it through' };
  const { objects } = cluster;
  const conversation = { protocol, port, from: end(objects, from.ip), to: end(objects, ip) };
  const verdict = 'node' in party ? between(objects, from, party, conversation) : egressVerdict(objects, conversation);
  if (verdict.kind === 'allowed') return { answerer, policies: 'let it through' };
  return { answerer, policies: subnetNode(cluster, ip) === undefined ? 'may keep it back' : 'keep it back', why: verdict.why };
}

function outside({ externalHosts = [] }: Cluster, ip: string) {
  const host = externalHosts.find((candidate) => candidate.ip === ip);
  return host === undefined ? undefined : { name: host.name, listens: host.listens ?? [] };
}

/**
 * A pod is seen as itself by pods and by its own node. Outside of the pods' network it has its node's address, which is what it leaves by (Antrea: "masquerade pod to external
 * packets"). A node is seen by the address that it sends from. A pod that gets itself must not see itself as the sender: Antrea has an address for that, kube-proxy takes the node's.
 */
function sourcesSeen(cluster: Cluster, from: Party, ip: string): readonly string[] {
  const inPods = subnetNode(cluster, ip) !== undefined;
  if (from.kind === 'node') return [inPods ? from.node.gateway.ip : from.node.underlay.ip];
  if (ip === from.ip) return [from.node.gateway.ip, '169.254.169.252'];
  return [inPods || ip === from.node.underlay.ip ? from.ip : from.node.underlay.ip];
}

/** Of so many calls, each to one of k endpoints at random, one is left out once in a million times: k (1 - 1/k)^n. */
export function callsThatReachAll(endpoints: number): number {
  return endpoints === 1 ? 1 : Math.ceil(Math.log(1e-6 / endpoints) / Math.log(1 - 1 / endpoints));
}

/**
 * ServiceSpec, `sessionAffinity`: a client keeps its endpoint for so many seconds. From when they are counted, from its first connection or its last one, is left open: between
 * both, nothing is said. Without affinity, and after it, every endpoint takes its part of the connections ("traffic is load-balanced"). Of datagrams Kubernetes
 * does not say what a connection is, and select groups of Open vSwitch do not look at UDP's ports: one client may always get the same endpoint.
 */
function spreadOf({ spec }: Service, stimulus: Asking, endpoints: number): 'any' | 'the same' | 'every one' {
  if (stimulus.kind !== 'calls') return 'any';
  const all = stimulus.protocol === 'TCP' && stimulus.count >= callsThatReachAll(endpoints) ? 'every one' : 'any';
  if (spec.sessionAffinity === 'None') return all;
  const lasts = (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) * 1000;
  if (stimulus.everyMs * (stimulus.count - 1) < lasts - margin) return 'the same';
  return stimulus.everyMs > lasts + margin ? all : 'any';
}

/** Milliseconds that a switch may take to notice that a time is over, and a connection to be opened. */
const margin = 2000;

function protocolOf(stimulus: Asking): 'TCP' | 'UDP' | 'SCTP' {
  switch (stimulus.kind) {
    case 'calls':
      return stimulus.protocol;
    case 'udp':
      return 'UDP';
    case 'sctp':
      return 'SCTP';
    case 'tcp':
    case 'probe':
      return 'TCP';
  }
}

function isServiceAddress({ serviceCidr }: Cluster, ip: string): boolean {
  return cidrContains(parseCidr(serviceCidr), ipv4Number(ip));
}
