/**
 * L0 over time: what is promised depends on what was before, namely on connections that stand, on
 * switches that have no flows, and on what each node has heard of. Where policies change,
 * connections that stand are not asked again (the seed, "EgressRuleTable": "ongoing connections are
 * not affected").
 */
import { Unsupported, assert } from '../../base/errors/errors.js';
import type { Cluster, KubeObjects, Network } from '../../kube/objects.js';
import {
  agentViewsAfter,
  viewOf,
  runningCluster,
  type AgentViews,
  type TimelineEvent,
} from '../../domain/timeline.js';
import type { Intent } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { HostNote } from '../../domain/observation.js';
import type { Topology } from '../../domain/topology.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { intentWithStaleAgents } from './stale-agents.js';
import { intentOf } from '../intent.js';
import { hostWithAddress, clusterHosts, senderNamed } from '../kubernetes/cluster-hosts.js';
import { type ClusterHost } from '../../domain/cluster-host.js';
import { withPolicyVerdict, verdictsOn } from '../kubernetes/policy/intent-under-policies.js';
import { combinedVerdict, type PolicyVerdict } from '../kubernetes/policy/policy-verdict.js';
import {
  afterOpen,
  intentThroughProxy,
  refuseUnprogrammed,
  stillProxied,
  type ProxiedConnection,
} from './proxied-connections.js';
import {
  intentOfService,
  reachOf,
  reachOfItself,
} from '../kubernetes/service/intent-of-service.js';
import {
  externalServicePort,
  externalAccessIntent,
} from '../kubernetes/service/external-access.js';
import { listenerAt, type Reach } from '../kubernetes/service/service-reach.js';
import {
  answererAmong,
  serviceAddressOf,
  affinityAfter,
  liveAffinity,
  withAffinity,
  withoutAffinity,
  readyBackends,
  type Affinity,
  type ServiceAddress,
} from '../kubernetes/service/session-affinity.js';

export interface PromiseState {
  /** Those of the control plane that programs the network. */
  readonly promises: ControlPlanePromises;
  readonly agentViews: AgentViews<Network>;
  /** Nodes whose switches have no flows. */
  readonly unprogrammed: ReadonlySet<string>;
  /** Connections that stand, by name. */
  readonly connections: ReadonlyMap<string, StandingConnection>;
  /** Those that stand with a proxy, by name. */
  readonly proxied: ReadonlyMap<string, ProxiedConnection>;
  /** The endpoints of Services that clients keep. */
  readonly affinity: Affinity;
}

interface StandingConnection {
  readonly from: ClusterHost;
  readonly to: ClusterHost;
  readonly port: number;
  /**
   * The nodes on its way whose switches have forgotten it: they take its next packet for the first
   * of a new one.
   */
  readonly forgottenBy: ReadonlySet<string>;
  /** Whether the one that answers is still the one that it was opened to. */
  readonly isUninterrupted: boolean;
  /**
   * Where it was opened to a Service: to which, whom the endpoint sees, and whether it has been one
   * ever since.
   */
  readonly service?: {
    readonly asked: ServiceAddress;
    readonly sources: readonly string[];
    readonly isServed: boolean;
  };
}

export function initialPromiseState(
  network: Network,
  promises: ControlPlanePromises,
): PromiseState {
  return {
    promises,
    agentViews: { cluster: network, stale: new Map() },
    unprogrammed: new Set(),
    connections: new Map(),
    proxied: new Map(),
    affinity: new Map(),
  };
}

/**
 * The course once that has happened: who has left takes its connections along; a switch that has
 * started anew has neither flows nor connections, until its agent programs it. Whether clients of a
 * node keep their endpoints when its switch or its agent starts anew, nobody says.
 */
export function afterEvent(state: PromiseState, event: TimelineEvent<Network>): PromiseState {
  const hearing = agentViewsAfter(state.agentViews, event);
  const restarted =
    event.kind === 'switch restarts' || event.kind === 'agent restarts' ? event.node : undefined;
  const affinity = liveAffinity(state.affinity, (node) =>
    node !== restarted && hearing.cluster.nodes.some(({ name }) => name === node)
      ? viewOf(hearing, node)
      : undefined,
  );
  if (event.kind === 'switch restarts')
    return withUnprogrammed({ ...state, agentViews: hearing, affinity }, event.node);
  const there = clusterHosts(runningCluster(hearing));
  const stays = (party: ClusterHost) =>
    there.some(
      (other) =>
        other.name === party.name && other.ip === party.ip && other.node.name === party.node.name,
    );
  const standing = [...state.connections]
    .filter(([, { from }]) => stays(from))
    .map(
      ([name, connection]) =>
        [
          name,
          {
            ...connection,
            isUninterrupted: connection.isUninterrupted && stays(connection.to),
            ...stillServed(hearing, connection),
          },
        ] as const,
    );
  const isLit = (node: string) =>
    (event.kind === 'switch is programmed' || event.kind === 'agent restarts') &&
    event.node === node;
  const dark = [...state.unprogrammed].filter(
    (name) => !isLit(name) && hearing.cluster.nodes.some((node) => node.name === name),
  );
  return {
    promises: state.promises,
    agentViews: hearing,
    unprogrammed: new Set(dark),
    connections: new Map(standing),
    proxied: stillProxied(state.proxied, runningCluster(hearing)),
    affinity,
  };
}

function stillServed(
  hearing: AgentViews<Network>,
  { from, to, service, port }: StandingConnection,
): Pick<StandingConnection, 'service'> {
  if (service === undefined) return {};
  const isServed =
    service.isServed &&
    readyBackends(viewOf(hearing, from.node.name), service.asked).some(
      (backend) => backend.ip === to.ip && backend.port === port,
    );
  return { service: { ...service, isServed } };
}

function withUnprogrammed(state: PromiseState, node: string): PromiseState {
  const standing = [...state.connections].map(([name, connection]) => {
    const isOnWay = connection.from.node.name === node || connection.to.node.name === node;
    return [
      name,
      isOnWay
        ? { ...connection, forgottenBy: new Set([...connection.forgottenBy, node]) }
        : connection,
    ] as const;
  });
  return {
    ...state,
    unprogrammed: new Set([...state.unprogrammed, node]),
    connections: new Map(standing),
  };
}

/**
 * What the stimulus must lead to now. @throws as `intentOf` does, and Unsupported for a connection
 * whose other end is somebody else by now.
 */
export function promisedIntent(state: PromiseState, stimulus: Stimulus): Intent {
  const { promises, agentViews, unprogrammed } = state;
  const there = runningCluster(agentViews);
  const to =
    stimulus.kind === 'talk'
      ? state.connections.get(stimulus.connection)?.to.name
      : nameOf(there, stimulus);
  const unlit = [stimulus.from, to]
    .flatMap((name) => clusterHosts(there).filter((party) => party.name === name))
    .find(({ node }) => unprogrammed.has(node.name));
  if (unlit !== undefined)
    return { kind: 'denied', why: `the switch of ${unlit.node.name} has no flows` };
  refuseUnprogrammed(there, stimulus, unprogrammed.size > 0 || agentViews.stale.size > 0);
  if (stimulus.kind === 'talk')
    return intentThroughProxy(state.proxied, stimulus) ?? intentOfTalk(state, stimulus);
  const { objects } = agentViews.cluster;
  const asked = objects === undefined ? undefined : serviceAddressOf(agentViews.cluster, stimulus);
  if (asked !== undefined) return promisedByService(state, stimulus, asked);
  const isExposed =
    objects !== undefined &&
    (agentViews.stale.size > 0 || unprogrammed.size > 0) &&
    externalAccessIntent({ ...agentViews.cluster, objects }, stimulus, promises) !== undefined;
  if (isExposed)
    throw new Unsupported(
      'nothing is promised about Services that are asked for from outside while switches have ' +
        'no flows or nodes have not heard of all',
    );
  return agentViews.stale.size === 0
    ? intentOf(agentViews.cluster, stimulus, promises)
    : intentWithStaleAgents(agentViews, stimulus, promises);
}

/** @throws Unsupported for connections that stay open to an endpoint that is no pod. */
function promisedByService(state: PromiseState, stimulus: Stimulus, asked: ServiceAddress): Intent {
  const { promises, agentViews, unprogrammed, affinity } = state;
  const there = runningCluster(agentViews);
  const { objects } = viewOf(agentViews, senderNamed(there, stimulus.from).node.name);
  const isCalm = objects === undefined || (agentViews.stale.size === 0 && unprogrammed.size === 0);
  const intent = isCalm
    ? intentOf(agentViews.cluster, stimulus, promises)
    : intentOfService(
        { ...there, objects },
        senderNamed(there, stimulus.from),
        stimulus,
        (cluster, from, { protocol }, { ip, port }) =>
          reachNow(cluster, state, from, { ip, port, protocol }),
      );
  assert(intent !== undefined, "a Service's address was asked for");
  if (
    stimulus.kind === 'open' &&
    intent.kind === 'balanced' &&
    intent.answerers.some(
      ({ to }) => !clusterHosts(there).some(({ kind, name }) => kind === 'pod' && name === to),
    )
  )
    throw new Unsupported(
      `nothing is promised about connections to ${asked.ip} that stay open: not all of its ` +
        'endpoints are pods',
    );
  return withAffinity(affinity, stimulus.from, asked, intent);
}

/**
 * A pod is reached as it is by its own address; a host on the network between nodes as long as
 * there are flows, by policies alone. @throws Unsupported where nobody listens.
 */
function reachNow(
  { objects, ...there }: Cluster,
  state: PromiseState,
  from: ClusterHost,
  endpoint: ServiceAddress,
): Reach {
  const to = hostWithAddress(there, endpoint.ip);
  if (to?.name === from.name)
    return reachOfItself(objects, from, endpoint, {
      to: to.name,
      sources: state.promises.sourcesAtEndpoint(there, from, endpoint.ip),
    });
  const isOutside = there.externalHosts?.some(({ ip }) => ip === endpoint.ip) === true;
  if (to === undefined && !isOutside) return keptBack(endpoint.ip, `nobody holds ${endpoint.ip}`);
  if (to?.kind !== 'pod')
    return to !== undefined && state.unprogrammed.has(to.node.name)
      ? keptBack(to.name, `the switch of ${to.node.name} has no flows`)
      : reachOf({ ...there, objects }, from, endpoint, endpoint, state.promises);
  const direct = promisedIntent(state, askingFor(endpoint, from));
  if (direct.kind === 'denied') return keptBack(to.name, direct.why);
  listenerAt({ ...there, objects }, endpoint, endpoint);
  const answerer = {
    to: to.name,
    sources: state.promises.sourcesAtEndpoint(there, from, endpoint.ip),
  };
  if (direct.kind === 'either') return { answerer, policies: 'may keep it back', why: direct.why };
  return {
    answerer: direct.kind === 'delivered' ? { ...answerer, unanswered: direct.why } : answerer,
    policies: 'let it through',
  };
}

function keptBack(to: string, why: string): Reach {
  return { answerer: { to, sources: [] }, policies: 'keep it back', why };
}

function askingFor({ ip, port, protocol }: ServiceAddress, { name: from }: ClusterHost): Stimulus {
  switch (protocol) {
    case 'TCP':
      return { kind: 'probe', from, to: ip, port };
    case 'UDP':
      return { kind: 'udp', from, to: ip, port };
    case 'SCTP':
      return { kind: 'sctp', from, to: ip, port };
  }
}

/**
 * The course behind a stimulus of which `intent` was promised, and what hosts noted: it tells which
 * endpoint of a Service it was.
 */
export function afterStimulus(
  state: PromiseState,
  stimulus: Stimulus,
  intent: Intent,
  notes: readonly HostNote[] = [],
): PromiseState {
  const { objects } = state.agentViews.cluster;
  const byOther =
    objects === undefined
      ? undefined
      : externalServicePort({ ...state.agentViews.cluster, objects }, stimulus);
  if (byOther !== undefined)
    return { ...state, affinity: withoutAffinity(state.affinity, stimulus.from, byOther) };
  const asked =
    intent.kind === 'balanced' && intent.relay === undefined && stimulus.kind !== 'talk'
      ? serviceAddressOf(state.agentViews.cluster, stimulus)
      : undefined;
  if (asked !== undefined && intent.kind === 'balanced')
    return afterAnswer(state, stimulus, { asked, intent, answerer: answererAmong(notes, asked) });
  if (stimulus.kind !== 'open' && stimulus.kind !== 'talk') return state;
  const relayed = afterOpen(state.proxied, runningCluster(state.agentViews), stimulus, intent);
  if (relayed !== undefined) return { ...state, proxied: relayed };
  const standing = new Map(state.connections);
  const known = standing.get(stimulus.connection);
  const there = runningCluster(state.agentViews);
  const [from, to] = [
    clusterHosts(there).find(({ name }) => name === stimulus.from),
    hostWithAddress(there, stimulus.to),
  ];
  const isLost =
    intent.kind === 'balanced' &&
    intent.lost !== undefined &&
    !notes.some(({ kind }) => kind === 'received'); // its opener has given it up
  if (isLost) standing.delete(stimulus.connection);
  else if (known?.service !== undefined && intent.kind === 'balanced')
    standing.set(
      stimulus.connection,
      known.service.isServed ? { ...known, forgottenBy: new Set() } : known,
    );
  else if (intent.kind !== 'round-trip') standing.delete(stimulus.connection);
  else if (known !== undefined)
    standing.set(stimulus.connection, { ...known, forgottenBy: new Set() });
  else if (from !== undefined && to !== undefined)
    standing.set(stimulus.connection, {
      from,
      to,
      port: stimulus.port,
      forgottenBy: new Set(),
      isUninterrupted: true,
    });
  return { ...state, connections: standing };
}

interface Answer {
  readonly asked: ServiceAddress;
  readonly intent: Extract<Intent, { readonly kind: 'balanced' }>;
  readonly answerer: string | undefined;
}

function afterAnswer(
  state: PromiseState,
  stimulus: Stimulus,
  { asked, intent, answerer }: Answer,
): PromiseState {
  const there = runningCluster(state.agentViews);
  const [from, to] = [
    senderNamed(there, stimulus.from),
    clusterHosts(there).find(({ name }) => name === answerer),
  ];
  const heard = viewOf(state.agentViews, from.node.name);
  const affinity = affinityAfter(
    state.affinity,
    heard,
    { client: from.name, node: from.node.name },
    asked,
    answerer,
  );
  if (stimulus.kind !== 'open') return { ...state, affinity };
  const port = readyBackends(heard, asked).find(({ ip }) => ip === to?.ip)?.port;
  const sources = intent.answerers.find((one) => one.to === answerer)?.sources ?? [];
  const isOpened = to !== undefined && port !== undefined;
  const others = [...state.connections].filter(([name]) => name !== stimulus.connection);
  return {
    ...state,
    affinity,
    connections: new Map([
      ...others,
      ...(isOpened
        ? [
            [
              stimulus.connection,
              {
                from,
                to,
                port,
                forgottenBy: new Set<string>(),
                isUninterrupted: true,
                service: { asked, sources, isServed: true },
              },
            ] as const,
          ]
        : []),
    ]),
  };
}

/**
 * @throws Unsupported for a connection whose other end is somebody else by now, and for one to a
 *   Service that its opener's switch has forgotten: which endpoint it had, nobody knows.
 */
function intentOfTalk(
  { promises, agentViews, connections }: PromiseState,
  { connection, to }: Extract<Stimulus, { readonly kind: 'talk' }>,
): Intent {
  const known = connections.get(connection);
  if (known === undefined) return { kind: 'denied', why: `no connection ${connection} stands` };
  if (
    !known.isUninterrupted &&
    hostWithAddress(runningCluster(agentViews), known.service === undefined ? to : known.to.ip) !==
      undefined
  )
    throw new Unsupported(
      `nothing is promised about connection ${connection}, whose other end is somebody else by now`,
    );
  if (!known.isUninterrupted) return { kind: 'denied', why: `${known.to.name} is gone` };
  const [opener, answerer] = [known.from, known.to].map(
    ({ node }) => viewOf(agentViews, node.name).objects,
  );
  if (known.service !== undefined && known.forgottenBy.has(known.from.node.name))
    throw new Unsupported(
      `nothing is promised about a connection of ${known.from.name} to ${known.service.asked.ip} ` +
        `that the switch of ${known.from.node.name} has forgotten`,
    );
  const verdict =
    opener === undefined || answerer === undefined
      ? undefined
      : policyVerdictAgain(runningCluster(agentViews), known, { opener, answerer }, promises);
  const stands: Intent =
    known.service === undefined
      ? { kind: 'round-trip', to: known.to.name, source: known.from.ip }
      : intentOfStanding(known, known.service);
  return verdict === undefined || verdict.kind === 'allowed'
    ? stands
    : withPolicyVerdict(
        {
          ...verdict,
          why: `the connection was forgotten, and of new ones it holds: ${verdict.why}`,
        },
        stands,
      );
}

/**
 * Nobody else gets what belongs to a connection. What becomes of it once its endpoint is none any
 * more, nobody says (Kubernetes, "Virtual IPs and Service Proxies", is about new ones).
 */
function intentOfStanding(
  { to }: StandingConnection,
  { asked, sources, isServed }: NonNullable<StandingConnection['service']>,
): Intent {
  const lost = isServed ? {} : { lost: `${to.name} is no endpoint of it any more` };
  return {
    kind: 'balanced',
    answerers: [{ to: to.name, sources }],
    spread: 'any',
    ...lost,
    why: `its connection to ${asked.ip} is with ${to.name}`,
  };
}

/**
 * Only a switch that has forgotten the connection asks policies again, and only those of its own
 * pods.
 */
function policyVerdictAgain(
  network: Topology,
  { from, to, port, forgottenBy }: StandingConnection,
  heard: { readonly opener: KubeObjects; readonly answerer: KubeObjects },
  promises: ControlPlanePromises,
): PolicyVerdict {
  const { atOpener, atAnswerer } = verdictsOn(
    network,
    heard,
    { from, to, service: { protocol: 'TCP', port } },
    promises,
  );
  return combinedVerdict([
    ...(forgottenBy.has(from.node.name) ? [atOpener] : []),
    ...(forgottenBy.has(to.node.name) ? [atAnswerer] : []),
  ]);
}

function nameOf(network: Network, stimulus: Stimulus): string | undefined {
  if (stimulus.kind === 'frame') return undefined;
  return hostWithAddress(network, stimulus.kind === 'arp' ? stimulus.target : stimulus.to)?.name;
}
