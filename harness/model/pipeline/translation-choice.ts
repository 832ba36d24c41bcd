/** What new connections are translated to: as it must be, or as the switch was seen to choose. */
import { assert } from '../../base/errors.js';
import type { NatAction } from '../../openflow/actions.js';
import { picksFor, translatedReply, type Pick } from '../conntrack/nat.js';
import { isTaken, liveConnections, type Untold } from '../conntrack/connection.js';
import { printTuple, reversed, type Tuple } from '../conntrack/tuple.js';
import type { ModelNode } from '../node.js';
import { Undecided } from '../undecided.js';

/**
 * The direction of the answers to a new connection; undefined where nothing is left to translate
 * to. Where the switch was seen to choose what it cannot have chosen, the first of what it could
 * have.
 * @throws Undecided where the choice is open and was not seen.
 */
export function chooseTranslation(
  node: ModelNode,
  original: Tuple,
  { to }: NatAction,
): Tuple | undefined {
  const { connections, nowMs, behaviour } = node;
  const reply = (pick: Pick) =>
    translatedReply(original, to, (tuple) => isTaken(node, tuple), pick, behaviour);
  let isOpen = false;
  let isUntold = false;
  const likely: Untold = (_, ended) => {
    isUntold = true;
    return ended === 'just now';
  };
  const first = translatedReply(
    original,
    to,
    (tuple) => isTaken(node, tuple, likely),
    () => {
      isOpen = true;
      return 0n;
    },
    behaviour,
  );
  if (isUntold && !isOpen) return whileOthersEnd();
  if (!isOpen) return first;
  const seen = seenTranslation(node, original, 'chooses by a seed of its own');
  assert(to !== undefined, 'a choice is open where flows ask for a range');
  const possible = seen && reply(picksFor(seen, to));
  if (seen !== undefined && possible !== undefined && printTuple(possible) === printTuple(seen))
    return possible;
  // What is there under its tuple may have been begun by another flow, once nothing was left to
  // translate to.
  return mayBeExhausted((tuple) => reply(picksFor(tuple, to))) ? undefined : first;

  /**
   * What has ended may still be in the way (Open vSwitch before 3.3): then the next is taken that
   * is not.
   */
  function whileOthersEnd(): Tuple | undefined {
    const seen = seenTranslation(
      node,
      original,
      'knows alone whether what has ended is in the way of',
    );
    if (seen === undefined) return first;
    const possible = translatedReply(
      original,
      to,
      (tuple) => isTaken(node, tuple, (untold) => printTuple(untold) !== printTuple(seen)),
      () => 0n,
      behaviour,
    );
    return possible !== undefined && printTuple(possible) === printTuple(seen) ? possible : first;
  }

  /** Whether a search that begins at something that is taken finds nothing. */
  function mayBeExhausted(beginningAt: (tuple: Tuple) => Tuple | undefined): boolean {
    const taken = liveConnections(connections, nowMs).flatMap((connection) => [
      connection.original,
      connection.reply,
    ]);
    return taken.some(
      (tuple) => beginningAt(tuple) === undefined || beginningAt(reversed(tuple)) === undefined,
    );
  }
}

/**
 * What the switch was seen to choose; undefined where it remembers no such connection. @throws
 * Undecided where nobody has looked yet.
 */
function seenTranslation(node: ModelNode, original: Tuple, why: string): Tuple | undefined {
  const { decisions } = node;
  if (decisions.translationsAsked >= decisions.translations.length)
    throw new Undecided(`Open vSwitch ${why} what ${printTuple(original)} is translated to`, node, {
      kind: 'translation',
      original,
    });
  return decisions.translations[decisions.translationsAsked++];
}
