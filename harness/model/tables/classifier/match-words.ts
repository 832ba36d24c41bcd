/** Matches as words of the flow key: `key[place] & mask === value` for all of them. */
import { oncePer } from '../../../base/once-per.js';
import { wordsOf } from '../../../openflow/match/fields.js';
import type { Match } from '../../../openflow/match/match.js';
import type { FieldMatch } from '../../../openflow/match/field-match.js';
import { maskOf } from '../../fields/field-values.js';
import { isExtracted } from '../../fields/supported-fields.js';
import { presence } from '../../fields/tunnel-options.js';

/** Three lists of one length; masks and values are signed, as all results of bitwise operators. */
export interface MatchWords {
  readonly places: readonly number[];
  readonly masks: readonly number[];
  readonly values: readonly number[];
}

/**
 * Of the fields that the model can compare; a word that several fields share is there once. Made
 * once a match: nodes that are built again have most flows that they had.
 */
export const matchWords = oncePer(wordsOfMatch);

function wordsOfMatch(match: Match): MatchWords {
  const found = new Map<number, { mask: number; value: number }>();
  const ask = (place: number, mask: number, value: number) => {
    if (mask === 0) return;
    const before = found.get(place) ?? { mask: 0, value: 0 };
    found.set(place, { mask: before.mask | mask, value: before.value | (value & mask) });
  };
  for (const entry of match) if (isExtracted(entry.field)) askForField(entry, ask);
  const places = [...found.keys()].sort((a, b) => a - b);
  const all = places.map((place) => found.get(place) ?? { mask: 0, value: 0 });
  return { places, masks: all.map(({ mask }) => mask), values: all.map(({ value }) => value) };
}

function askForField(
  { field, value, mask: asked }: FieldMatch,
  ask: (place: number, mask: number, value: number) => void,
): void {
  const mask = maskOf(field, value, asked);
  const count = wordsOf(field);
  for (let index = 0; index < count; index++) {
    const bits = (number: bigint) =>
      Number(
        BigInt.asIntN(32, (number << BigInt(field.shift)) >> BigInt((count - 1 - index) * 32)),
      );
    ask(field.word + index, bits(mask), bits(value));
  }
  if (field.notation !== 'option') return;
  const there = presence(field);
  ask(there.word, there.mask | 0, there.mask | 0);
}
