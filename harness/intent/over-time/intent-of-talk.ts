/** L0 of packets in a connection that stands. */
import type { Intent } from '../../domain/intent.js';
import { type PolicyVerdict, combinedVerdict } from '../kubernetes/policy/policy-verdict.js';
import { verdictsOn, withPolicyVerdict } from '../kubernetes/policy/intent-under-policies.js';
import type { KubeObjects, Network } from '../../kube/objects.js';
import type { Topology } from '../../domain/topology.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { hostWithAddress } from '../kubernetes/cluster-hosts.js';
import { Unsupported } from '../../base/errors/errors.js';
import { runningCluster, viewOf } from '../../domain/timeline.js';
import type { PromiseState, StandingConnection } from './promise-state.js';

/**
 * Nobody else gets what belongs to a connection. What happens to it once its endpoint is none any
 * more is not specified (Kubernetes, "Virtual IPs and Service Proxies", is about new ones).
 */
export function intentOfStanding(
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
export function policyVerdictAgain(
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

export function nameOf(network: Network, stimulus: Stimulus): string | undefined {
  if (stimulus.kind === 'frame' || stimulus.kind === 'dhcp' || stimulus.kind === 'announcement')
    return undefined;
  return hostWithAddress(network, stimulus.kind === 'arp' ? stimulus.target : stimulus.to)?.name;
}

/**
 * @throws Unsupported for a connection whose other end is somebody else by now, and for one to a
 *   Service that its opener's switch has forgotten: which endpoint it had, nobody knows.
 */
export function intentOfTalk(
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
  if (!known.isUninterrupted)
    return { kind: 'denied', why: `${known.to.name} is gone`, unheld: known.to.ip };
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
