/**
 * L0 where nodes have not heard of all: each end goes by what its own node has heard, and a change
 * is in force on a node once that node has heard of it.
 */
import { Unsupported } from '../base/errors.js';
import type { Network } from '../kube/objects.js';
import { heardBy, running, type Hearing } from '../nouns/history.js';
import type { Intent } from '../nouns/intent.js';
import type { Node } from '../nouns/topology.js';
import type { Stimulus } from '../nouns/vector.js';
import { intentOf } from './intent.js';
import { holder, sender } from './parties.js';
import { promisedUnder, questionOf, reaches, verdictsOn } from './policy/intent.js';
import { together } from './policy/verdict.js';

/**
 * What the stimulus must lead to. @throws as `intentOf`, and Unsupported for what is no ping,
 * datagram or connection.
 */
export function intentAmongUnaware(hearing: Hearing<Network>, stimulus: Stimulus): Intent {
  const asked = questionOf(stimulus);
  if (asked === undefined || stimulus.kind === 'frame')
    throw new Unsupported(
      'nothing is promised about raw frames and ARP while nodes have not heard of all',
    );
  const there = running(hearing);
  const from = sender(there, stimulus.from);
  const unrestricted = intentOf(withoutObjects(there), stimulus);
  const to = holder(there, asked.ip);
  if (to === undefined || !reaches.has(unrestricted.kind)) return unrestricted;
  if (!knows(hearing, from.node, to.node))
    return { kind: 'denied', why: `${from.node.name} has not heard of ${to.node.name}` };
  const [opener, answerer] = [from, to].map(({ node }) => heardBy(hearing, node.name).objects);
  const verdicts =
    opener === undefined || answerer === undefined
      ? []
      : Object.values(
          verdictsOn(there, { opener, answerer }, { from, to, service: asked.service }),
        );
  const promise = knows(hearing, to.node, from.node)
    ? unrestricted
    : unanswered(unrestricted, stimulus, `${to.node.name} has not heard of ${from.node.name}`);
  return promisedUnder(together(verdicts), promise);
}

function withoutObjects({ objects, ...network }: Network): Network {
  return network;
}

/**
 * Whether the node has heard of the other one, which it may have known before under the same
 * addresses.
 */
function knows(hearing: Hearing<Network>, node: Node, other: Node): boolean {
  return heardBy(hearing, node.name).nodes.some(
    ({ name, underlay, podCidr }) =>
      name === other.name && underlay.ip === other.underlay.ip && podCidr === other.podCidr,
  );
}

/** Datagrams arrive, and what answers them does not; without answers no connection stands. */
function unanswered(intent: Intent, { kind }: Stimulus, why: string): Intent {
  const isDatagram = kind === 'ping' || kind === 'udp';
  return isDatagram && (intent.kind === 'delivered' || intent.kind === 'round-trip')
    ? { kind: 'delivered', to: intent.to, source: intent.source, why }
    : { kind: 'denied', why };
}
