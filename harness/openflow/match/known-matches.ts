/** Matches that were read before: a switch shows the same flows again and again. */
import type { Names } from '../syntax/form.js';
import type { Span } from '../syntax/text.js';
import { parseMatch, type Match } from './match.js';

/** More would cost more memory than they save time. */
const mostMatches = 50_000;

/** Of all bridges, by text: what stands there in numbers is the same everywhere. */
const known = new Map<string, Match>();

/** Ports by name, and tunnel options, which stand for something else on each bridge. */
const isOfOneBridge = /(?:port|output)[a-z_]*(?:\[[^\]]*\])?=(?!\d+(?:,|$))|tun_metadata/i;

/** As `parseMatch`; the same text is the same object. */
export function knownMatch(pieces: readonly Span[], names: Names): Match {
  const text = pieces.map((piece) => piece.text).join();
  const before = known.get(text);
  if (before !== undefined) return before;
  const match = parseMatch(pieces, names);
  if (isOfOneBridge.test(text)) return match;
  if (known.size >= mostMatches) known.clear();
  known.set(text, match);
  return match;
}
