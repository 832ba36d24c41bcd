/**
 * What is different from the state before, where a scenario's point of the matrix comes after
 * another and both are in the run.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ScenarioView } from '../../harness/explain/run-view.js';
import type { VectorView } from '../../harness/explain/vector-view.js';

/**
 * What each vector was that has changed, by its id: `must pass`, `must not pass, diverges`,
 * `not asked`.
 */
export type Changes = ReadonlyMap<string, string>;

/** Undefined where there is nothing to hold it against. */
export function changesOf(
  { report, vectors }: ScenarioView,
  all: readonly ScenarioView[],
): Changes | undefined {
  const before =
    report.after === undefined
      ? undefined
      : all.find(
          (other) =>
            other.report.name === report.name &&
            isDeepStrictEqual(other.report.axes, report.after?.axes),
        );
  if (before === undefined) return undefined;
  const held = new Map(before.vectors.map((vector) => [vector.report.id, outcomeOf(vector)]));
  return new Map(
    vectors.flatMap((vector) => {
      const was = held.get(vector.report.id) ?? 'not asked';
      return was === outcomeOf(vector) ? [] : [[vector.report.id, was] as const];
    }),
  );
}

/** `must not pass`; of one that does not conform, its verdict as well. */
export function outcomeOf({ levels, report: { verdict } }: VectorView): string {
  return `${levels.promise}${verdict === 'conforms' ? '' : `, ${verdict}`}`;
}
