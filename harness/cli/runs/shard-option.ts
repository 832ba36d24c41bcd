/** `--shard 3/10` of `flowbed run`: which points of the matrix it plays. */
import { InputError } from '../../base/errors/errors.js';
import { dealPoints } from '../../run/shards/deal-points.js';
import { labelOf, readDurations } from './durations.js';
import type { Point, ShardRequest } from './run-spec.js';

export interface ShardChoice {
  /** From 1. */
  readonly index: number;
  readonly of: number;
  /** Places in all points. */
  readonly points: readonly number[];
}

/** @throws InputError for a shard that is none, or that would have no point. */
export async function shardOf(
  { shard, durations }: ShardRequest,
  points: readonly Point[],
): Promise<ShardChoice | undefined> {
  if (shard === undefined) {
    if (durations === undefined) return undefined;
    throw new InputError('--durations says how points are dealt to shards: give one, --shard 1/4');
  }
  const [, first = '', second = ''] = /^(\d{1,6})\/(\d{1,6})$/.exec(shard) ?? [];
  const [index, of] = [Number(first), Number(second)];
  if (!(index >= 1 && index <= of))
    throw new InputError(`--shard: expected one of several, such as 3/10, got "${shard}"`);
  if (of > points.length)
    throw new InputError(
      `--shard ${shard}: there are ${points.length} points: one of ${of} shards would be empty`,
    );
  const known =
    durations === undefined ? new Map<string, number>() : await readDurations(durations);
  const dealt = dealPoints(
    points.map(({ scenario: { name }, axes }) => {
      const label = labelOf({ name, axes });
      return { label, durationMs: known.get(label) };
    }),
    of,
  );
  return { index, of, points: dealt[index - 1] ?? [] };
}
