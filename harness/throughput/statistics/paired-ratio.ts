/**
 * How many times as much one thing needs as another, from trials that were made in turn: each ratio
 * is of two neighbours in time, so that what slows the machine for a while slows both.
 */
import { median, quantileSorted } from 'simple-statistics';

/** An estimate with the interval that holds the true value in 95 of 100 repetitions. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** One turn: the baseline, and what is compared with it. */
export interface Turn {
  readonly baseline: number;
  readonly path: number;
}

/** Fewer turns have no such interval: six signed ranks all of one sign happen 1 time in 32. */
export const turnsMin = 6;

/**
 * Hodges and Lehmann's estimate of the logarithm's shift, and the interval of Wilcoxon's signed
 * ranks, exact (Hollander, Wolfe, Chicken, "Nonparametric Statistical Methods", 3.2 and 3.3).
 * @returns the ratio of path to baseline; its interval is without end for fewer than `turnsMin`.
 */
export function pairedRatio(turns: readonly Turn[]): Estimate {
  const { value, low, high } = locationOf(
    turns.map(({ baseline, path }) => Math.log(path / baseline)),
  );
  return { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) };
}

/**
 * Hodges and Lehmann's estimate of where values lie, with the same interval.
 * @returns an interval without ends for fewer than `turnsMin`.
 */
export function locationOf(values: readonly number[]): Estimate {
  const averages = walshAverages(values);
  if (averages.length === 0) return { value: NaN, low: -Infinity, high: Infinity };
  const value = median(averages);
  const outside = ranksOutside(values.length);
  const [low, high] = [averages[outside], averages[averages.length - 1 - outside]];
  if (values.length < turnsMin || low === undefined || high === undefined)
    return { value, low: -Infinity, high: Infinity };
  return { value, low, high };
}

/** All means of two of them, each with itself as well, sorted. */
function walshAverages(values: readonly number[]): number[] {
  return values
    .flatMap((one, index) => values.slice(index).map((other) => (one + other) / 2))
    .sort((a, b) => a - b);
}

const outsideOneIn = 40;

/**
 * How many averages at either end are outside of the interval: at most 2.5 % of the sums of ranks.
 */
function ranksOutside(turns: number): number {
  let ways: readonly number[] = [1];
  for (let rank = 1; rank <= turns; rank++)
    ways = Array.from(
      { length: ways.length + rank },
      (_, sum) => (ways[sum] ?? 0) + (ways[sum - rank] ?? 0),
    );
  const most = 2 ** turns / outsideOneIn;
  let [below, sum] = [0, 0];
  while (below + (ways[sum] ?? 0) <= most) below += ways[sum++] ?? 0;
  return Math.max(sum - 1, 0);
}

/** The values between which 95 of 100 of these are. */
export function middleOf(values: readonly number[]): Estimate {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    value: quantileSorted(sorted, 0.5),
    low: quantileSorted(sorted, 0.025),
    high: quantileSorted(sorted, 0.975),
  };
}
