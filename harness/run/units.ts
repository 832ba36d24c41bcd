/** What of a scenario's vectors is played between two resets. */
import type { TestVector } from '../nouns/vector.js';

/** One vector, or several that may be played together. */
export type Unit = readonly TestVector[];

/** So many are played between two resets, at most: enough that what a call costs is shared, few enough that one which parts costs little. */
export const mostTogether = 1000;

/** In the order of the vectors; those beside each other that may be played together, in parts of nearly equal length. */
export function unitsOf(vectors: readonly TestVector[]): readonly Unit[] {
  const runs: TestVector[][] = [];
  for (const vector of vectors) {
    const last = runs.at(-1);
    if (vector.together !== undefined && last?.[0]?.together === vector.together) last.push(vector);
    else runs.push([vector]);
  }
  return runs.flatMap((run) => {
    const parts = Math.ceil(run.length / mostTogether);
    return Array.from({ length: parts }, (_, part) => run.slice(Math.floor((part * run.length) / parts), Math.floor(((part + 1) * run.length) / parts)));
  });
}
