/** What of a scenario's vectors is played between two resets. */
import type { TestVector } from '../domain/test-vector.js';

/** One vector, or several that may run as a batch. */
export type Batch = readonly TestVector[];

/**
 * So many are played between two resets, at most: enough that what a call costs is shared, few
 * enough that one which parts costs little.
 */
export const maxBatchSize = 1000;

/**
 * Those that may run as a batch, in parts of nearly equal length; each stands where its first
 * vector does.
 */
export function batchesOf(vectors: readonly TestVector[]): readonly Batch[] {
  const groups = new Map<string | TestVector, TestVector[]>();
  for (const vector of vectors) {
    const key = vector.together ?? vector;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [vector]);
    else group.push(vector);
  }
  return [...groups.values()].flatMap((group) => {
    const parts = Math.ceil(group.length / maxBatchSize);
    return Array.from({ length: parts }, (_, part) =>
      group.slice(
        Math.floor((part * group.length) / parts),
        Math.floor(((part + 1) * group.length) / parts),
      ),
    );
  });
}
