/** The vectors of a traffic event. */
import { runningCluster, type SequenceStep } from '../harness/domain/timeline.js';
import { podsOf } from '../harness/domain/topology.js';
import type { Stimulus } from '../harness/domain/test-vector.js';
import type { Cluster } from '../harness/kube/objects.js';
import type { TrafficEvent } from './cluster-event.js';
import type { TimelineState } from './timeline-state.js';

export const betweenCallsMs = 10;

/** Whether it runs: its node's agent knows of it. */
export function isRunning({ agentViews: hearing }: TimelineState, name: string): boolean {
  const cluster = runningCluster(hearing);
  return [
    ...podsOf(cluster).map(({ pod }) => pod),
    ...cluster.nodes,
    ...(cluster.externalHosts ?? []),
  ].some((host) => host.name === name);
}

export function isExternalAccess(
  { now: { cluster } }: TimelineState,
  { from, to: target }: { readonly from: string; readonly to: string },
): boolean {
  return (
    target.startsWith('Node ') ||
    (cluster.externalHosts ?? []).some(({ name }) => name === from || name === target)
  );
}

export function stimulusOf(
  traffic: TrafficEvent,
  { from }: { readonly from: string },
  to: string,
): Stimulus {
  switch (traffic.kind) {
    case 'open':
      return { kind: 'open', from, to, port: traffic.port, connection: traffic.id };
    case 'talk':
      return { kind: 'talk', from, to, port: 0, connection: traffic.connection };
    case 'send':
      if (traffic.service.protocol !== 'ICMP' && traffic.service.calls !== undefined)
        return {
          kind: 'calls',
          from,
          to,
          protocol: traffic.service.protocol,
          port: traffic.service.port,
          count: traffic.service.calls,
          everyMs: betweenCallsMs,
        };
      return traffic.service.protocol === 'TCP'
        ? { kind: 'probe', from, to, port: traffic.service.port, transmissions: 1 }
        : traffic.service.protocol === 'UDP'
          ? { kind: 'udp', from, to, port: traffic.service.port }
          : { kind: 'ping', from, to };
  }
}

export function vectorsFor(
  state: TimelineState,
  traffic: TrafficEvent,
): readonly SequenceStep<Cluster>[] {
  const { connections, addresses } = state;
  const opening = traffic.kind === 'talk' ? connections.get(traffic.connection) : traffic;
  if (opening === undefined || !isRunning(state, opening.from)) return [];
  // What is promised then of NodePorts and of external hosts depends on more than the nodes that
  // agents know of.
  if (
    isExternalAccess(state, opening) &&
    (state.agentViews.stale.size > 0 || state.unprogrammedNodes.size > 0)
  )
    return [];
  const to = addresses.get(opening.to);
  if (to === addresses.get(opening.from)) return [];
  const isTaken =
    !isRunning(state, opening.to) &&
    [...addresses].some(([name, ip]) => ip === to && isRunning(state, name));
  // Of who has somebody else's address nothing is promised to those who mean the other.
  if (to === undefined || (isTaken && traffic.kind === 'talk')) return [];
  if (traffic.kind === 'talk' && state.unpromisedConnections.has(traffic.connection)) return [];
  if (traffic.kind === 'open') connections.set(traffic.id, traffic);
  return [
    { kind: 'vector', vector: { id: traffic.id, stimulus: stimulusOf(traffic, opening, to) } },
  ];
}
