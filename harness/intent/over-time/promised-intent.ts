/** L0 of one stimulus in a promise state. */
import type { Unsettled } from '../../domain/promises.js';
import type { Stimulus } from '../../domain/test-vector.js';
import type { ClusterHost } from '../../domain/cluster-host.js';
import type { Reach } from '../kubernetes/service/service-reach.js';
import { listenerAt } from '../kubernetes/service/service-reach.js';
import type { ServiceAddress } from '../kubernetes/service/session-affinity.js';
import { withAffinity, serviceAddressOf } from '../kubernetes/service/session-affinity.js';
import type { Cluster } from '../../kube/objects.js';
import { clusterHosts, hostWithAddress, senderNamed } from '../kubernetes/cluster-hosts.js';
import {
  reachOfItself,
  reachOf,
  intentOfService,
} from '../kubernetes/service/intent-of-service.js';
import type { PromiseState } from './promise-state.js';
import { assert, Unsupported } from '../../base/errors/errors.js';
import { overIpv4 } from '../../domain/dual-stack.js';
import { nobodyHolds, type Intent } from '../../domain/intent.js';
import { runningCluster, viewOf } from '../../domain/timeline.js';
import { intentOf } from '../intent.js';
import { promisedOverIpv6 } from '../over-ipv6.js';
import { externalAccessIntent } from '../kubernetes/service/external-access.js';
import { refuseUnprogrammed, intentThroughProxy } from './proxied-connections.js';
import { intentWithStaleAgents } from './stale-agents.js';
import { nameOf, intentOfTalk } from './intent-of-talk.js';

export function keptBack(to: string, why: string): Reach {
  return { answerer: { to, sources: [] }, policies: 'keep it back', why };
}

export function askingFor(
  { ip, port, protocol }: ServiceAddress,
  { name: from }: ClusterHost,
): Stimulus {
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
 * A pod is reached as it is by its own address; a host on the network between nodes as long as
 * there are flows, by policies alone. @throws Unsupported where nobody listens.
 */
export function reachNow(
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
  if (to === undefined && !isOutside) {
    const { why, unheld } = nobodyHolds(endpoint.ip);
    return { ...keptBack(endpoint.ip, why), unheld };
  }
  if (to?.kind !== 'pod')
    return to !== undefined && state.unprogrammed.has(to.node.name)
      ? keptBack(to.name, `the switch of ${to.node.name} has no flows`)
      : reachOf({ ...there, objects }, from, endpoint, endpoint, state.promises);
  const direct = promisedIntent(state, askingFor(endpoint, from));
  if (direct.kind === 'denied')
    return {
      ...keptBack(to.name, direct.why),
      ...(direct.ignoredBy === undefined ? {} : { ignoredBy: direct.ignoredBy }),
    };
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

/** @throws Unsupported for connections that stay open to an endpoint that is no pod. */
export function promisedByService(
  state: PromiseState,
  stimulus: Stimulus,
  asked: ServiceAddress,
): Intent {
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
 * What the stimulus must lead to now. @throws as `intentOf` does, and Unsupported for a connection
 * whose other end is somebody else by now.
 */
export function promisedIntent(state: PromiseState, stimulus: Stimulus): Intent {
  const there = runningCluster(state.agentViews);
  const alike = overIpv4(there, stimulus);
  if (alike !== undefined)
    return promisedOverIpv6(there, promisedIntent(askedOverIpv6(state), alike));
  const intent = certainIntent(state, stimulus);
  const unsettled = unsettledNow(state, stimulus);
  if (unsettled === undefined || intent.kind !== 'round-trip') return intent;
  const { to } = intent;
  const { why, sources } = unsettled;
  const lost: readonly Intent[] = [
    ...sources.map((source): Intent => ({ ...intent, source })),
    ...[intent.source, ...sources].map(
      (source): Intent => ({ kind: 'delivered', to, source, why }),
    ),
    { kind: 'denied', why },
    // Zones that disagree send it to each other until its TTL is over.
    { kind: 'rejected', why },
  ];
  return { kind: 'either', outcomes: [intent, ...lost], why };
}

function askedOverIpv6(state: PromiseState): PromiseState {
  const { promises, agentViews } = state;
  const cluster = promises.forIpv6?.(agentViews.cluster) ?? agentViews.cluster;
  return { ...state, agentViews: { ...agentViews, cluster } };
}

function unsettledNow(
  { promises, agentViews, connections }: PromiseState,
  stimulus: Stimulus,
): Unsettled | undefined {
  if (
    promises.unsettled === undefined ||
    stimulus.kind === 'frame' ||
    stimulus.kind === 'arp' ||
    stimulus.kind === 'dhcp' ||
    stimulus.kind === 'announcement'
  )
    return undefined;
  const there = runningCluster(agentViews);
  const from = clusterHosts(there).find(({ name }) => name === stimulus.from);
  const to =
    stimulus.kind === 'talk'
      ? connections.get(stimulus.connection)?.to
      : hostWithAddress(there, stimulus.to);
  return from === undefined ? undefined : promises.unsettled(there, from, to);
}

function certainIntent(state: PromiseState, stimulus: Stimulus): Intent {
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
    return intentThroughProxy(state.proxied, there, stimulus) ?? intentOfTalk(state, stimulus);
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
        'no flows or agents are stale',
    );
  return agentViews.stale.size === 0
    ? intentOf(agentViews.cluster, stimulus, promises)
    : intentWithStaleAgents(agentViews, stimulus, promises);
}
