/** How long points of scenarios took once, by which they are dealt and put in turn. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { canonicalJson } from '../../base/files/digest.js';
import { InputError } from '../../base/errors/errors.js';
import { readInput } from '../../base/files/read-input.js';
import { longestFirst } from '../../run/shards/deal-points.js';
import type { Point } from './run-spec.js';

/** What is read of a report.json, and all that is in scenarios/durations.json. */
const durationsFile = z.object({
  scenarios: z.array(
    z.object({
      name: z.string(),
      axes: z.record(z.string(), z.string()),
      durationMs: z.number().nonnegative(),
    }),
  ),
});

export type PointDuration = z.infer<typeof durationsFile>['scenarios'][number];

/** A point's name in one text, whatever the order of its axes. */
export function labelOf({ name, axes }: Pick<PointDuration, 'name' | 'axes'>): string {
  return canonicalJson([name, axes]);
}

/** Those of a report.json, by label, in milliseconds. @throws InputError where it is none. */
export async function readDurations(file: string): Promise<ReadonlyMap<string, number>> {
  return new Map(
    (await readPointDurations(file)).map((point) => [labelOf(point), point.durationMs]),
  );
}

/** @throws InputError where the file cannot be read, or is no report.json. */
export async function readPointDurations(file: string): Promise<readonly PointDuration[]> {
  const text = (await readInput(file)).toString('utf8');
  try {
    return durationsFile.parse(JSON.parse(text)).scenarios;
  } catch {
    throw new InputError('no report.json: a run writes it into its folder', { file });
  }
}

/** The file in which the project keeps how long points took. @param root the project's folder. */
export function usualDurations(root: string): string {
  return join(root, 'scenarios/durations.json');
}

/**
 * The places in `points` in the order in which a run begins them (`longestFirst`): theirs where the
 * project has no such file.
 */
export async function turnsOf(root: string, points: readonly Point[]): Promise<readonly number[]> {
  const file = usualDurations(root);
  const known = existsSync(file) ? await readDurations(file) : new Map<string, number>();
  return longestFirst(
    points.map(({ scenario: { name }, axes }) => ({
      durationMs: known.get(labelOf({ name, axes })),
    })),
  );
}
