/** What a stimulus, and the answers to it, change in later promises. */
import { overIpv4 } from '../../domain/dual-stack.js';
import type { Intent } from '../../domain/intent.js';
import { externalServicePort } from '../kubernetes/service/external-access.js';
import { clusterHosts, hostWithAddress, senderNamed } from '../kubernetes/cluster-hosts.js';
import { runningCluster, viewOf } from '../../domain/timeline.js';
import type { Stimulus } from '../../domain/test-vector.js';
import type { HostNote } from '../../domain/observation.js';
import type { ServiceAddress } from '../kubernetes/service/session-affinity.js';
import {
  withoutAffinity,
  serviceAddressOf,
  answererAmong,
  readyBackends,
  affinityAfter,
} from '../kubernetes/service/session-affinity.js';
import { afterOpen } from './proxied-connections.js';
import type { PromiseState } from './promise-state.js';

export interface Answer {
  readonly asked: ServiceAddress;
  readonly intent: Extract<Intent, { readonly kind: 'balanced' }>;
  readonly answerer: string | undefined;
}

/**
 * The state after a stimulus of which `intent` was promised, and its host notes: they show which
 * endpoint of a Service it was.
 */
export function afterStimulus(
  state: PromiseState,
  stimulus: Stimulus,
  intent: Intent,
  notes: readonly HostNote[] = [],
): PromiseState {
  const alike = overIpv4(runningCluster(state.agentViews), stimulus);
  if (alike !== undefined) return afterStimulus(state, alike, intent, notes);
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

export function afterAnswer(
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
