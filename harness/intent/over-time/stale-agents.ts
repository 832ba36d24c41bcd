/**
 * L0 with stale agents: each end goes by the state that its own node's agent has received, and a
 * change is in force on a node once its agent has received it.
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
    throw new Unsupported('nothing is promised about raw frames and ARP while agents are stale');
  const there = runningCluster(agentViews);
  const from = senderNamed(there, stimulus.from);
  const unrestricted = intentOf(withoutObjects(there), stimulus, promises);
  const to = hostWithAddress(there, asked.ip);
  if (to === undefined || !reaches.has(unrestricted.kind)) return unrestricted;
  if (!knowsNode(agentViews, from.node, to.node))
    return { kind: 'denied', why: `${from.node.name} does not know ${to.node.name} yet` };
  const [opener, answerer] = [from, to].map(({ node }) => viewOf(agentViews, node.name).objects);
  const verdicts =
    opener === undefined || answerer === undefined
      ? []
      : Object.values(
          verdictsOn(there, { opener, answerer }, { from, to, service: asked.service }, promises),
        );
  const promise = knowsNode(agentViews, to.node, from.node)
    ? unrestricted
    : withoutReply(unrestricted, stimulus, `${to.node.name} does not know ${from.node.name} yet`);
  return withPolicyVerdict(combinedVerdict(verdicts), promise);
}

function withoutObjects({ objects, ...network }: Network): Network {
  return network;
}

/**
 * Whether the node's agent knows of the other node, which it may have known before under the same
 * addresses.
 */
function knowsNode(hearing: AgentViews<Network>, node: Node, other: Node): boolean {
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
    : { kind: 'denied', why, ...('to' in intent ? { ignoredBy: [intent.to] } : {}) };
}
