/**
 * L0 on connections that stand with a proxy of a Windows node: "kube-proxy … sets up a connection
 * to a backend Pod to forward the request using this connection" (the Windows design, "Design"). So
 * a connection stays with the endpoint that took it, however the Service's endpoints change; when
 * that one is gone, it ends, and no other endpoint takes it.
 */
import { Unsupported } from '../../base/errors/errors.js';
import type { Network } from '../../kube/objects.js';
import type { Intent } from '../../domain/intent.js';
import type { Topology } from '../../domain/topology.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { clusterHosts } from '../kubernetes/cluster-hosts.js';
import { type ClusterHost } from '../../domain/cluster-host.js';

export interface ProxiedConnection {
  /** Who has opened it, and the node whose proxy has taken it. */
  readonly from: string;
  readonly by: string;
  /** Who has it behind the proxy, and whom that one sees. */
  readonly to: string;
  readonly source: string;
  /** The pod that has it as it was then; missing for who is none. */
  readonly pod?: ClusterHost;
  readonly isUninterrupted: boolean;
}

type OfConnection = Extract<Stimulus, { readonly kind: 'open' | 'talk' }>;

/**
 * The connections behind a stimulus of which `intent` was promised; undefined where no proxy has
 * any part in it.
 */
export function afterOpen(
  relayed: ReadonlyMap<string, ProxiedConnection>,
  network: Topology,
  { kind, from, connection }: OfConnection,
  intent: Intent,
): ReadonlyMap<string, ProxiedConnection> | undefined {
  if (kind === 'talk')
    return intent.kind === 'abandoned'
      ? withoutConnection(relayed, connection)
      : relayed.has(connection)
        ? relayed
        : undefined;
  if (intent.kind === 'abandoned') return relayed;
  if (intent.kind !== 'round-trip' || intent.relay === undefined) return undefined;
  const {
    to,
    source,
    relay: { by },
  } = intent;
  const pod = clusterHosts(network).find((party) => party.kind === 'pod' && party.name === to);
  return new Map([
    ...relayed,
    [
      connection,
      { from, by, to, source, isUninterrupted: true, ...(pod === undefined ? {} : { pod }) },
    ],
  ]);
}

function withoutConnection(
  relayed: ReadonlyMap<string, ProxiedConnection>,
  connection: string,
): ReadonlyMap<string, ProxiedConnection> {
  return new Map([...relayed].filter(([name]) => name !== connection));
}

/**
 * Connections after the network has changed to this: an opener that leaves takes its own along, and
 * a pod that has one, and is gone, or is another under its name, answers no more.
 */
export function stillProxied(
  relayed: ReadonlyMap<string, ProxiedConnection>,
  network: Topology,
): ReadonlyMap<string, ProxiedConnection> {
  const there = clusterHosts(network);
  const isThere = (name: string) =>
    there.some((party) => party.name === name) ||
    (network.externalHosts ?? []).some((host) => host.name === name);
  const stays = (pod: ClusterHost) =>
    there.some(
      ({ kind, name, ip, node }) =>
        kind === 'pod' && name === pod.name && ip === pod.ip && node.name === pod.node.name,
    );
  return new Map(
    [...relayed]
      .filter(([, { from, by }]) => isThere(from) && isThere(by))
      .map(([name, one]) => [
        name,
        {
          ...one,
          isUninterrupted: one.isUninterrupted && (one.pod === undefined || stays(one.pod)),
        },
      ]),
  );
}

/** Undefined for a connection that stands with no proxy. */
export function intentThroughProxy(
  relayed: ReadonlyMap<string, ProxiedConnection>,
  network: Topology,
  { connection }: OfConnection,
): Intent | undefined {
  const known = relayed.get(connection);
  if (known === undefined) return undefined;
  const { by, to, source, pod, isUninterrupted } = known;
  if (isUninterrupted) return { kind: 'round-trip', to, source, through: by };
  const now = clusterHosts(network).find(({ ip }) => ip === pod?.ip);
  return {
    kind: 'abandoned',
    by,
    why: `${to}, which had the connection, is gone`,
    ...(now === undefined ? {} : { refusedBy: now.name }),
  };
}

/**
 * @throws Unsupported for what goes to a Windows node while switches have no flows, or agents are
 *   stale.
 */
export function refuseUnprogrammed(
  { nodes, objects }: Network,
  stimulus: Stimulus,
  isUnsettled: boolean,
): void {
  if (!isUnsettled || !('port' in stimulus) || !('to' in stimulus)) return;
  const node = nodes.find(
    ({ os, underlay, gateway }) =>
      os === 'windows' && (underlay.ip === stimulus.to || gateway.ip === stimulus.to),
  );
  const isServed = objects?.services.some(({ spec }) =>
    spec.ports.some(({ nodePort }) => nodePort === stimulus.port),
  );
  if (node !== undefined && isServed === true)
    throw new Unsupported(
      `nothing is promised about ports of ${node.name} for Services while a switch has no ` +
        'flows, or an agent is stale',
    );
}
