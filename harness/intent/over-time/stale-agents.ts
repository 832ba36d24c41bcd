/**
 * L0 where nodes have not heard of all: each end goes by what its own node has heard, and a change
 * is in force on a node once that node has heard of it.
 */
import { Unsupported } from '../../base/errors/errors.js';
import type { Network } from '../../kube/objects.js';
import { viewOf, runningCluster, type AgentViews } from '../../domain/timeline.js';
import type { Intent } from '../../domain/intent.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { Node } from '../../domain/topology.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { intentOf } from '../intent.js';
import { hostWithAddress, senderNamed } from '../kubernetes/cluster-hosts.js';
import {
  withPolicyVerdict,
  policyQueryOf,
  reaches,
  verdictsOn,
} from '../kubernetes/policy/intent-under-policies.js';
import { combinedVerdict } from '../kubernetes/policy/policy-verdict.js';

/**
 * What the stimulus must lead to. @throws as `intentOf`, and Unsupported for what is no ping,
 * datagram or connection.
 */
export function intentWithStaleAgents(
  agentViews: AgentViews<Network>,
  stimulus: Stimulus,
  promises: ControlPlanePromises,
): Intent {
  const asked = policyQueryOf(stimulus);
  if (asked === undefined || stimulus.kind === 'frame')
    throw new Unsupported(
      'nothing is promised about raw frames and ARP while nodes have not heard of all',
    );
  const there = runningCluster(agentViews);
  const from = senderNamed(there, stimulus.from);
  const unrestricted = intentOf(withoutObjects(there), stimulus, promises);
  const to = hostWithAddress(there, asked.ip);
  if (to === undefined || !reaches.has(unrestricted.kind)) return unrestricted;
  if (!hasHeardOf(agentViews, from.node, to.node))
    return { kind: 'denied', why: `${from.node.name} has not heard of ${to.node.name}` };
  const [opener, answerer] = [from, to].map(({ node }) => viewOf(agentViews, node.name).objects);
  const verdicts =
    opener === undefined || answerer === undefined
      ? []
      : Object.values(
          verdictsOn(there, { opener, answerer }, { from, to, service: asked.service }, promises),
        );
  const promise = hasHeardOf(agentViews, to.node, from.node)
    ? unrestricted
    : withoutReply(unrestricted, stimulus, `${to.node.name} has not heard of ${from.node.name}`);
  return withPolicyVerdict(combinedVerdict(verdicts), promise);
}

function withoutObjects({ objects, ...network }: Network): Network {
  return network;
}

/**
 * Whether the node has heard of the other one, which it may have known before under the same
 * addresses.
 */
function hasHeardOf(hearing: AgentViews<Network>, node: Node, other: Node): boolean {
  return viewOf(hearing, node.name).nodes.some(
    ({ name, underlay, podCidr }) =>
      name === other.name && underlay.ip === other.underlay.ip && podCidr === other.podCidr,
  );
}

/** Datagrams arrive, and what answers them does not; without answers no connection stands. */
function withoutReply(intent: Intent, { kind }: Stimulus, why: string): Intent {
  const isDatagram = kind === 'ping' || kind === 'udp';
  return isDatagram && (intent.kind === 'delivered' || intent.kind === 'round-trip')
    ? { kind: 'delivered', to: intent.to, source: intent.source, why }
    : { kind: 'denied', why };
}
