/**
 * L0 over time: what is promised depends on what was before, namely on connections that stand, on
 * switches that have no flows, and on the state that each node's agent has received. Where policies
 * change, connections that stand are not asked again (the seed, "EgressRuleTable": "ongoing
 * connections are not affected").
 */
import type { ServiceAddress } from '../kubernetes/service/session-affinity.js';
import type { Network } from '../../kube/objects.js';
import {
  agentViewsAfter,
  viewOf,
  runningCluster,
  type AgentViews,
  type TimelineEvent,
} from '../../domain/timeline.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import { clusterHosts } from '../kubernetes/cluster-hosts.js';
import { type ClusterHost } from '../../domain/cluster-host.js';
import { stillProxied, type ProxiedConnection } from './proxied-connections.js';
import {
  liveAffinity,
  readyBackends,
  type Affinity,
} from '../kubernetes/service/session-affinity.js';

export interface PromiseState {
  /** Those of the control plane that programs the network. */
  readonly promises: ControlPlanePromises;
  /** Whether a switch that restarts has forgotten its connections: the kernel keeps its own. */
  readonly connectionsOf: 'the switch' | 'the kernel';
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

export function initialPromiseState(
  network: Network,
  promises: ControlPlanePromises,
  connectionsOf: PromiseState['connectionsOf'] = 'the switch',
): PromiseState {
  return {
    promises,
    connectionsOf,
    agentViews: { cluster: network, stale: new Map() },
    unprogrammed: new Set(),
    connections: new Map(),
    proxied: new Map(),
    affinity: new Map(),
  };
}

/**
 * The state after the event: who has left takes its connections along; a switch that has restarted
 * has no flows until its agent programs it, and no connections but the kernel's; a node that has
 * restarted whole has none. Whether clients of
 * a node keep their endpoints when its switch or its agent restarts is not specified.
 */
export function afterEvent(state: PromiseState, event: TimelineEvent<Network>): PromiseState {
  const hearing = agentViewsAfter(state.agentViews, event);
  const isDark = event.kind === 'switch restarts' || event.kind === 'node restarts';
  const restarted = isDark || event.kind === 'agent restarts' ? event.node : undefined;
  const affinity = liveAffinity(state.affinity, (node) =>
    node !== restarted && hearing.cluster.nodes.some(({ name }) => name === node)
      ? viewOf(hearing, node)
      : undefined,
  );
  if (isDark) return withUnprogrammed({ ...state, agentViews: hearing, affinity }, event);
  const there = clusterHosts(runningCluster(hearing));
  const stillThere = (party: ClusterHost) =>
    there.find(
      (other) =>
        other.name === party.name &&
        other.ip === party.ip &&
        (other.node.name === party.node.name || other.migratable === true),
    );
  const standing = [...state.connections]
    .filter(([, { from }]) => stillThere(from) !== undefined)
    .map(
      ([name, connection]) =>
        [
          name,
          {
            ...connection,
            from: stillThere(connection.from) ?? connection.from,
            to: stillThere(connection.to) ?? connection.to,
            isUninterrupted: connection.isUninterrupted && stillThere(connection.to) !== undefined,
            ...stillServed(hearing, connection),
          },
        ] as const,
    );
  const isLit = (node: string) =>
    (event.kind === 'switch is programmed' || event.kind === 'agent restarts') &&
    event.node === node;
  const unprogrammed = [...state.unprogrammed].filter(
    (name) => !isLit(name) && hearing.cluster.nodes.some((node) => node.name === name),
  );
  return {
    promises: state.promises,
    connectionsOf: state.connectionsOf,
    agentViews: hearing,
    unprogrammed: new Set(unprogrammed),
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

/** The kernel's connections end with the network of a node that restarts whole. */
function withUnprogrammed(
  state: PromiseState,
  { kind, node }: Extract<TimelineEvent, { readonly kind: 'switch restarts' | 'node restarts' }>,
): PromiseState {
  const standing = [...state.connections].map(([name, connection]) => {
    const isForgotten =
      (state.connectionsOf === 'the switch' || kind === 'node restarts') &&
      (connection.from.node.name === node || connection.to.node.name === node);
    return [
      name,
      isForgotten
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

export interface StandingConnection {
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
