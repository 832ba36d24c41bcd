/** Measurements that are unlike those of the nights before. */
import { lastIsUnlike, median } from './change-points.js';
import type { HistoryRow } from './history-row.js';

export interface MeasureChange {
  readonly name: string;
  readonly unit: string;
  /** The median of the last night, and how it relates to those since the last change of level. */
  readonly median: number;
  readonly ratio: number;
  readonly nights: number;
}

/** @param rows of measurements, in order of time. */
export function measureChanges(rows: readonly HistoryRow[]): readonly MeasureChange[] {
  const names = [...new Set(rows.map(({ scenario }) => scenario))];
  const lastNight = rows.at(-1)?.night;
  return names.flatMap((name) => {
    const own = rows.filter(({ scenario, samples }) => scenario === name && samples.length > 0);
    const last = own.at(-1);
    if (last === undefined || last.night !== lastNight) return [];
    const series = own.map(({ samples }) => median(samples));
    const ratio = lastIsUnlike(series);
    return ratio === undefined
      ? []
      : [{ name, unit: last.unit, median: series.at(-1) ?? NaN, ratio, nights: series.length }];
  });
}
