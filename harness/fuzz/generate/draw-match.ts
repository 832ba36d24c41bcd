import type { Random } from '../../base/random.js';
import { fields } from '../../openflow/match/fields.js';
import type { Match } from '../../openflow/match/match.js';
import { allowsField } from '../../openflow/match/prerequisites.js';
import { chance, pick, some } from './weighted.js';
import { drawMasked, matchOn, type Pool } from './draw-pool.js';

/** A match on a kind of packet of the pool and up to three of its fields, or on anything. */
export function drawMatch(random: Random, pool: Pool): Match {
  if (chance(random, 12)) return [];
  const kind = pick(random, pool.kinds);
  return drawBeside(random, pool, kind, random.integer(0, 3));
}

/** `given` and up to `most` fields of the pool that it allows. */
export function drawBeside(random: Random, pool: Pool, given: Match, most: number): Match {
  const free = [...pool.packet, ...pool.scratch].filter(
    (row) =>
      row.inFlows &&
      !row.isView &&
      !given.some(({ field }) => field.name === row.name) &&
      allowsField(given, row),
  );
  const added = some(random, free, most).map((row) => matchOn(row, drawMasked(random, pool, row)));
  return inOrder([...given, ...added]);
}

/** As ovs-ofctl prints them. */
export function inOrder(match: Match): Match {
  return fields.flatMap((row) => match.find(({ field }) => field === row) ?? []);
}
