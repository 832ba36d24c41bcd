/** Measurements that are unlike those of the nights before. */
import { lastIsUnlike, median } from './change-points.js';
import { inputsChanged } from './changes.js';
import { keyOf, type HistoryRow } from './history-row.js';

export interface MeasureChange {
  readonly name: string;
  /** Of the level: the unit of the samples, or `times the baseline`. */
  readonly unit: string;
  /** The level of the last night, and how it relates to those since the last change of level. */
  readonly median: number;
  readonly ratio: number;
  readonly nights: number;
  /** Names of inputs that differ from those of the night before. */
  readonly explainedBy: readonly string[];
}

/** @param rows of measurements, in order of time; those with the same key are one series. */
export function measureChanges(rows: readonly HistoryRow[]): readonly MeasureChange[] {
  const byKey = new Map<string, HistoryRow[]>();
  for (const row of rows)
    if (row.samples.length > 0) byKey.set(keyOf(row), [...(byKey.get(keyOf(row)) ?? []), row]);
  const lastNight = rows.at(-1)?.night;
  return [...byKey.values()].flatMap((own): readonly MeasureChange[] => {
    const [before, last] = [own.at(-2), own.at(-1)];
    if (before === undefined || last === undefined || last.night !== lastNight) return [];
    const series = own.map(levelOf);
    const ratio = lastIsUnlike(series);
    if (ratio === undefined) return [];
    return [
      {
        name: measureName(last),
        unit: last.baseline.length > 0 ? 'times the baseline' : last.unit,
        median: series.at(-1) ?? NaN,
        ratio,
        nights: series.length,
        explainedBy: inputsChanged(before, last),
      },
    ];
  });
}

/** What one night says: with a baseline that was measured in turn, how often faster than it. */
export function levelOf({ samples, baseline }: HistoryRow): number {
  return baseline.length === 0 ? median(samples) : median(samples) / median(baseline);
}

/** `rates`; of a scenario `antrea/encap nodes=2 tcp/p1/p4, netns:trixie`. */
export function measureName({ scenario, axes, vector, backend, image }: HistoryRow): string {
  const name = [scenario, axes, vector].filter((part) => part !== '').join(' ');
  return backend === '' ? name : `${name}, ${backend}:${image}`;
}
