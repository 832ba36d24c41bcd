/**
 * What L0 says of all who ask for a Service, by whatever address: who is behind it, whom they see,
 * and how calls are spread.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import type { Cluster } from '../../../kube/objects.js';
import type { Service } from '../../../kube/schemas/services.js';
import type { Answerer, Intent, Unheld } from '../../../domain/intent.js';
import type { Stimulus } from '../../../domain/test-vector.js';
import { answersOn, hostWithAddress } from '../cluster-hosts.js';
import { type ClusterHost } from '../../../domain/cluster-host.js';
import type { Backend, PortOfService } from './backends.js';

export type ServiceStimulus = Extract<
  Stimulus,
  { readonly kind: 'udp' | 'tcp' | 'sctp' | 'probe' | 'calls' | 'open' }
>;

/** An endpoint, whom it sees, and what policies say about it. */
export interface Reach {
  readonly answerer: Answerer;
  readonly policies: 'let it through' | 'keep it back' | 'may keep it back';
  /** Which port of whom is shut, and by which policies. */
  readonly why?: string;
  /** Who gets it all the same, of whom nothing comes back. */
  readonly ignoredBy?: readonly string[];
  /** The endpoint's address, where nobody holds it. */
  readonly unheld?: Unheld;
}

/** `TCP port 8080 of web2: NetworkPolicy shop/web let no such ingress of web2 through`. */
export function shutPort(
  { name }: { readonly name: string },
  { protocol }: Pick<PortOfService, 'protocol'>,
  port: number,
  why: string,
): string {
  return `${protocol} port ${port} of ${name}: ${why}`;
}

/**
 * One of those that policies let through. @throws Unsupported for several calls of which some get
 * lost.
 */
export function balancedAmong(
  reached: readonly Reach[],
  service: Service,
  stimulus: ServiceStimulus,
  why: string,
): Intent {
  const answerers = reached
    .filter(({ policies }) => policies !== 'keep it back')
    .map(({ answerer }) => answerer);
  const shut = reached.flatMap(({ why: reason }) => reason ?? []);
  const lost = shut.length === 0 ? undefined : [...new Set(shut)].join('; ');
  const ignoredBy = [...new Set(reached.flatMap((one) => one.ignoredBy ?? []))];
  const ignored = ignoredBy.length === 0 ? {} : { ignoredBy };
  if (answerers.length === 0) {
    return {
      kind: 'denied',
      why: lost ?? '',
      ...ignored,
      ...(reached.every(({ unheld }) => unheld !== undefined)
        ? { unheld: reached.map(({ unheld }) => unheld).join(', ') }
        : {}),
    };
  }
  const unanswered = answerers.find((answerer) => answerer.unanswered !== undefined)?.unanswered;
  if (unanswered !== undefined && stimulus.kind === 'calls')
    throw new Unsupported(
      `nothing is promised about several calls of which some are not answered: ${unanswered}`,
    );
  if (lost !== undefined && stimulus.kind === 'calls')
    throw new Unsupported(
      `nothing is promised about several calls of which some get lost: ${lost}`,
    );
  return {
    kind: 'balanced',
    answerers,
    spread: spreadOf(service, stimulus, reached.length),
    ...(lost === undefined ? {} : { lost }),
    ...ignored,
    why,
  };
}

/** More routers than there are on any way through the cluster. */
const enoughTtl = 5;

/** @throws Unsupported for a packet whose TTL may expire. */
export function refuseShortTtl(stimulus: ServiceStimulus): void {
  const lifetime = 'ttl' in stimulus ? stimulus.ttl : undefined;
  if (lifetime !== undefined && lifetime < enoughTtl)
    throw new Unsupported(
      `nothing is promised about TTL ${lifetime} on the way to a Service: how many routers ` +
        'there are depends on who answers',
    );
}

/** Who answers on an endpoint. @throws Unsupported where nobody does. */
export function listenerAt(
  cluster: Cluster,
  { protocol }: Pick<PortOfService, 'protocol'>,
  { ip, port }: Backend,
): ClusterHost | ExternalListener {
  const party = hostWithAddress(cluster, ip) ?? externalHostAt(cluster, ip);
  if (party === undefined)
    throw new Unsupported(`nothing is promised about ${ip}, which nobody holds`);
  if (!answersOn(party, protocol, port))
    throw new Unsupported(
      `nothing is promised about ${protocol} port ${port} of ${party.name}, where nobody listens`,
    );
  return party;
}

type ExternalListener = Pick<ClusterHost, 'name' | 'listens'>;

function externalHostAt({ externalHosts = [] }: Cluster, ip: string): ExternalListener | undefined {
  const host = externalHosts.find((candidate) => candidate.ip === ip);
  return host === undefined ? undefined : { name: host.name, listens: host.listens ?? [] };
}

/**
 * Of so many calls, each to one of k endpoints at random, one is left out once in a million times:
 * k (1 - 1/k)^n.
 */
function callsThatReachAll(endpoints: number): number {
  return endpoints === 1 ? 1 : Math.ceil(Math.log(1e-6 / endpoints) / Math.log(1 - 1 / endpoints));
}

/**
 * ServiceSpec, `sessionAffinity`: a client keeps its endpoint for so many seconds. From when they
 * are counted, from its first connection or its last one, is not specified: between both, nothing
 * is promised. Without affinity, and after it, every endpoint takes its part of the connections
 * ("traffic is load-balanced"). Of datagrams Kubernetes does not say what a connection is, and
 * select groups of Open vSwitch do not hash UDP's ports: one client may always get the same
 * endpoint. With a `trafficDistribution` some of them may be preferred.
 */
function spreadOf(
  { spec }: Service,
  stimulus: ServiceStimulus,
  endpoints: number,
): 'any' | 'the same' | 'every one' {
  if (stimulus.kind !== 'calls') return 'any';
  const all =
    spec.trafficDistribution === undefined &&
    stimulus.protocol === 'TCP' &&
    stimulus.count >= callsThatReachAll(endpoints)
      ? 'every one'
      : 'any';
  if (spec.sessionAffinity === 'None') return all;
  const lasts = (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) * 1000;
  if (stimulus.everyMs * (stimulus.count - 1) < lasts - margin) return 'the same';
  return stimulus.everyMs > lasts + margin ? all : 'any';
}

/**
 * Milliseconds that a switch may take to notice that a time is over, and a connection to be opened.
 */
const margin = 2000;

export function protocolOf(
  stimulus: Extract<Stimulus, { readonly port: number }>,
): 'TCP' | 'UDP' | 'SCTP' {
  switch (stimulus.kind) {
    case 'calls':
      return stimulus.protocol;
    case 'udp':
      return 'UDP';
    case 'sctp':
      return 'SCTP';
    case 'tcp':
    case 'probe':
    case 'open':
    case 'talk':
      return 'TCP';
  }
}
