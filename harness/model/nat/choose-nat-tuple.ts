/** What new connections are translated to: as it must be, or as the switch was seen to choose. */
import { assert, Unsupported } from '../../base/errors/errors.js';
import type { NatAction } from '../../openflow/actions/actions.js';
import { kernelNatReply } from './kernel-nat.js';
import { picksLeadingTo, natReply, type PickInRange } from './nat.js';
import { isTupleTaken, liveConnections, type WhenUnobservable } from '../conntrack/connection.js';
import { printTuple, reversed, type Tuple } from '../conntrack/tuple.js';
import type { ModelNode } from '../model-node.js';
import { AmbiguousOutcome } from '../ambiguity.js';

/**
 * The direction of the answers to a new connection; undefined where nothing is left to translate
 * to. Where the switch was seen to choose what it cannot have chosen, the first of what it could
 * have.
 * @throws AmbiguousOutcome where the choice is open and was not observed.
 */
export function chooseNatTuple(
  node: ModelNode,
  original: Tuple,
  { to }: NatAction,
): Tuple | undefined {
  const { behaviour } = node;
  if (behaviour.datapath === 'in the kernel') return chooseKernelTuple(node, original, to);
  const reply = (pick: PickInRange) =>
    natReply(original, to, (tuple) => isTupleTaken(node, tuple), pick, behaviour);
  let isOpen = false;
  let isUnobservable = false;
  const assumedFree: WhenUnobservable = (_, ended) => {
    isUnobservable = true;
    return ended === 'just now';
  };
  const first = natReply(
    original,
    to,
    (tuple) => isTupleTaken(node, tuple, assumedFree),
    () => {
      isOpen = true;
      return 0n;
    },
    behaviour,
  );
  if (isUnobservable && !isOpen) return chooseWhileOthersExpire(node, original, to) ?? first;
  if (!isOpen) return first;
  const observed = observedNatTuple(node, original, 'chooses by a seed of its own');
  assert(to !== undefined, 'a choice is open where flows ask for a range');
  const possible = observed && reply(picksLeadingTo(observed, to));
  if (
    observed !== undefined &&
    possible !== undefined &&
    printTuple(possible) === printTuple(observed)
  )
    return possible;
  // What is there under its tuple may have been begun by another flow, once nothing was left to
  // translate to.
  return mayBeExhausted(node, (tuple) => reply(picksLeadingTo(tuple, to))) ? undefined : first;
}

/**
 * What the kernel chooses. @throws Unsupported where it finds nothing: it then takes what is there
 * already, and drops the packet or makes it part of what it meets.
 */
function chooseKernelTuple(node: ModelNode, original: Tuple, to: NatAction['to']): Tuple {
  const reply = (pick: PickInRange) =>
    kernelNatReply(node, original, to, (tuple) => isTupleTaken(node, tuple), pick);
  let isOpen = false;
  const first = reply(() => {
    isOpen = true;
    return 0n;
  });
  const observed = isOpen ? observedNatTuple(node, original, 'in the kernel draws') : undefined;
  const possible = observed && to && reply(picksLeadingTo(observed, to));
  const isPossible =
    observed !== undefined &&
    possible !== undefined &&
    printTuple(possible) === printTuple(observed);
  const chosen = isPossible ? possible : first;
  if (chosen === undefined)
    throw new Unsupported(
      'the model does not know the outcome of a new connection in the kernel for which nothing ' +
        'is left to translate to',
    );
  return chosen;
}

/**
 * What has ended may still be in the way (Open vSwitch before 3.3): then the next is taken that is
 * not. Undefined where the switch was seen to choose nothing that fits.
 */
function chooseWhileOthersExpire(
  node: ModelNode,
  original: Tuple,
  to: NatAction['to'],
): Tuple | undefined {
  const observed = observedNatTuple(
    node,
    original,
    'knows alone whether what has ended is in the way of',
  );
  if (observed === undefined) return undefined;
  const possible = natReply(
    original,
    to,
    (tuple) =>
      isTupleTaken(
        node,
        tuple,
        (unobservable) => printTuple(unobservable) !== printTuple(observed),
      ),
    () => 0n,
    node.behaviour,
  );
  return possible !== undefined && printTuple(possible) === printTuple(observed)
    ? possible
    : undefined;
}

/** Whether a search that begins at something that is taken finds nothing. */
function mayBeExhausted(
  { connections, nowMs }: ModelNode,
  beginningAt: (tuple: Tuple) => Tuple | undefined,
): boolean {
  const taken = liveConnections(connections, nowMs).flatMap((connection) => [
    connection.original,
    connection.reply,
  ]);
  return taken.some(
    (tuple) => beginningAt(tuple) === undefined || beginningAt(reversed(tuple)) === undefined,
  );
}

/**
 * What the switch was seen to choose; undefined where it remembers no such connection. @throws
 * Ambiguous where it was not observed yet.
 */
function observedNatTuple(node: ModelNode, original: Tuple, why: string): Tuple | undefined {
  const { answers } = node;
  if (answers.natTuplesUsed >= answers.natTuples.length)
    throw new AmbiguousOutcome(
      `Open vSwitch ${why} what ${printTuple(original)} is translated to`,
      node,
      {
        kind: 'translation',
        original,
      },
    );
  return answers.natTuples[answers.natTuplesUsed++];
}
