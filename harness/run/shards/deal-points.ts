/** Points of a matrix, dealt to machines so that all take about as long, and put in turn. */

/** What is dealt, with how long it took once; undefined where nobody knows. */
export interface DealtPoint {
  readonly label: string;
  readonly durationMs: number | undefined;
}

/**
 * The places in `points` of each of `of` shards: the longest first, to whoever has least (Graham,
 * "Bounds on Multiprocessing Timing Anomalies", 1969). The same for the same points and durations.
 */
export function dealPoints(
  points: readonly DealtPoint[],
  of: number,
): readonly (readonly number[])[] {
  const known = points.flatMap(({ durationMs }) => (durationMs === undefined ? [] : [durationMs]));
  const usual = known.toSorted((a, b) => a - b)[Math.floor(known.length / 2)] ?? 1;
  const longestFirst = points
    .map(({ durationMs = usual }, place) => ({ durationMs, place }))
    .sort((a, b) => b.durationMs - a.durationMs || a.place - b.place);
  const shards = Array.from({ length: of }, () => ({ total: 0, places: [] as number[] }));
  for (const { durationMs, place } of longestFirst) {
    const least = shards.reduce((best, shard) => (shard.total < best.total ? shard : best));
    least.total += durationMs;
    least.places.push(place);
  }
  return shards.map(({ places }) => places.toSorted((a, b) => a - b));
}

/**
 * The places in `points` in the order in which they begin, where some are played at a time: the
 * longest first, so that none is left alone at the end. One of which nobody knows how long it takes
 * counts as longer than all; equal ones stay in their order.
 */
export function longestFirst(points: readonly Pick<DealtPoint, 'durationMs'>[]): readonly number[] {
  return points
    .map(({ durationMs = Infinity }, place) => ({ durationMs, place }))
    .sort((a, b) => Number(a.durationMs < b.durationMs) - Number(b.durationMs < a.durationMs))
    .map(({ place }) => place);
}
