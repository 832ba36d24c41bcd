/** Whether a vector's cached pass was answered by the datapaths' caches alone. */
import type { Observation } from '../domain/observation.js';
import type { CacheLookups } from '../domain/switching.js';
import type { Pass } from '../domain/test-vector.js';
import type { Count } from '../domain/verdict.js';

export interface PassLookups {
  readonly pass: Pick<Pass, 'name'>;
  /** What the real datapaths' caches were asked during it. */
  readonly lookups: CacheLookups;
}

/** Whether a pass asks for what is in the caches since the one before it. */
export function isWarm({ pass }: Pick<PassLookups, 'pass'>): boolean {
  return pass.name === 'again' || pass.name === 'cached';
}

/** Whether the datapaths' caches answered all packets of a pass, and there were some. */
export function isCached(played: PassLookups): boolean {
  return isWarm(played) && played.lookups.hit > 0 && played.lookups.missed === 0;
}

/**
 * One pass must be the cache's alone. A vector that parted before it could come to that has nothing
 * of it to compare, and neither has one whose frames enter no switch.
 */
export function cacheCount(
  passes: readonly (PassLookups & { readonly model: Observation })[],
): Count {
  const isExpected = passes.some(
    (played) => isWarm(played) && played.model.frames.some(({ direction }) => direction === 'in'),
  );
  return {
    expected: isExpected ? 1 : 0,
    made: isExpected && passes.some(isCached) ? 1 : 0,
    skipped: 0,
  };
}
