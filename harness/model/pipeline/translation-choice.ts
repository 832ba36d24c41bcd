/** What new connections are translated to: as it must be, or as the switch was seen to choose. */
import { assert } from '../../base/errors.js';
import type { NatAction } from '../../openflow/actions.js';
import { picksFor, translatedReply, type Pick } from '../conntrack/nat.js';
import { isTaken, liveConnections } from '../conntrack/connection.js';
import { printTuple, reversed, type Tuple } from '../conntrack/tuple.js';
import type { ModelNode } from '../node.js';
import { Undecided } from '../undecided.js';

/**
 * The direction of the answers to a new connection; undefined where nothing is left to translate to. Where the switch was seen to
 * choose what it cannot have chosen, the first of what it could have.
 * @throws Undecided where the choice is open and was not seen.
 */
export function chooseTranslation(node: ModelNode, original: Tuple, { to }: NatAction): Tuple | undefined {
  const { connections, nowMs, behaviour, decisions } = node;
  const reply = (pick: Pick) => translatedReply(original, to, (tuple) => isTaken(node, tuple), pick, behaviour);
  let isOpen = false;
  const first = reply(() => {
    isOpen = true;
    return 0n;
  });
  if (!isOpen) return first;
  if (decisions.translationsAsked >= decisions.translations.length) throw new Undecided(`Open vSwitch chooses by a seed of its own what ${printTuple(original)} is translated to`, node, { kind: 'translation', original });
  const seen = decisions.translations[decisions.translationsAsked++];
  assert(to !== undefined, 'a choice is open where flows ask for a range');
  if (seen === undefined) return mayBeExhausted((tuple) => reply(picksFor(tuple, to))) ? undefined : first;
  const possible = reply(picksFor(seen, to));
  return possible !== undefined && printTuple(possible) === printTuple(seen) ? possible : first;

  /** Whether a search that begins at something that is taken finds nothing. */
  function mayBeExhausted(beginningAt: (tuple: Tuple) => Tuple | undefined): boolean {
    const taken = liveConnections(connections, nowMs).flatMap((connection) => [connection.original, connection.reply]);
    return taken.some((tuple) => beginningAt(tuple) === undefined || beginningAt(reversed(tuple)) === undefined);
  }
}
