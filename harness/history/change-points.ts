/**
 * Where a series of numbers changes: E-divisive with a permutation test (Matteson and James, "A
 * Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", 2014), and
 * whether its last number is unlike those since the last change.
 */
import { randomFor, type Random } from '../base/random.js';

export interface ChangePointOptions {
  /** How often a series without a change may be taken for one with one. */
  readonly falseAlarms: number;
  /** More of them distinguish smaller rates. */
  readonly permutations: number;
  /** The fewest numbers on either side of a change. */
  readonly sizeMin: number;
}

const usual: ChangePointOptions = { falseAlarms: 0.01, permutations: 199, sizeMin: 4 };

/** Places at which a new level begins, in order. The same for the same series. */
export function changePoints(
  series: readonly number[],
  options: Partial<ChangePointOptions> = {},
): readonly number[] {
  const all = { ...usual, ...options };
  const random = randomFor(series.length, 'change points');
  return split(series, 0, all, random).toSorted((a, b) => a - b);
}

function split(
  series: readonly number[],
  from: number,
  options: ChangePointOptions,
  random: Random,
): readonly number[] {
  const { sizeMin, permutations, falseAlarms } = options;
  if (series.length < 2 * sizeMin) return [];
  const best = bestSplit(series, sizeMin);
  let atLeast = 0;
  for (let count = 0; count < permutations; count++)
    if (bestSplit(shuffled(series, random), sizeMin).statistic >= best.statistic) atLeast++;
  if ((atLeast + 1) / (permutations + 1) > falseAlarms) return [];
  return [
    ...split(series.slice(0, best.place), from, options, random),
    from + best.place,
    ...split(series.slice(best.place), from + best.place, options, random),
  ];
}

/** The place at which both sides are the furthest apart, by the energy statistic. */
function bestSplit(
  series: readonly number[],
  sizeMin: number,
): { readonly place: number; readonly statistic: number } {
  let best = { place: sizeMin, statistic: -Infinity };
  const total = sumOfDistances(series, 0, series.length);
  // Distances within the left side, from one place to the next.
  let left = sumOfDistances(series, 0, sizeMin);
  let right = sumOfDistances(series, sizeMin, series.length);
  for (let place = sizeMin; place <= series.length - sizeMin; place++) {
    const [n, m] = [place, series.length - place];
    const between = total - left - right;
    const energy =
      (2 * between) / (n * m) -
      (n < 2 ? 0 : (2 * left) / (n * (n - 1))) -
      (m < 2 ? 0 : (2 * right) / (m * (m - 1)));
    const statistic = ((n * m) / (n + m)) * energy;
    if (statistic > best.statistic) best = { place, statistic };
    left += distancesTo(series, place, 0, place);
    right -= distancesTo(series, place, place + 1, series.length);
  }
  return best;
}

function sumOfDistances(series: readonly number[], from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index++) sum += distancesTo(series, index, from, index);
  return sum;
}

function distancesTo(series: readonly number[], at: number, from: number, to: number): number {
  let sum = 0;
  for (let index = from; index < to; index++)
    sum += Math.abs((series[at] ?? 0) - (series[index] ?? 0));
  return sum;
}

function shuffled(series: readonly number[], random: Random): readonly number[] {
  const result = [...series];
  for (let index = result.length - 1; index > 0; index--) {
    const other = random.integer(0, index);
    [result[index], result[other]] = [result[other] ?? 0, result[index] ?? 0];
  }
  return result;
}

/** Fewer nights since the last change say nothing about the next one. */
const nightsMin = 8;
/**
 * So many deviations from the median, as the median of deviations estimates them, which is the
 * worse the fewer nights there are: less than one alarm in 500 nights of normal noise, measured for
 * 8 to 60 nights (change-points.test.ts).
 */
function deviationsMax(nights: number): number {
  return 3.8 + 540 / nights ** 2;
}

/** The ratio of the last number to the median before, where it is unlike those; else undefined. */
export function lastIsUnlike(
  series: readonly number[],
  options: Partial<ChangePointOptions> = {},
): number | undefined {
  const earlier = series.slice(0, -1);
  const last = series.at(-1);
  const level = earlier.slice(changePoints(earlier, options).at(-1) ?? 0);
  if (last === undefined || level.length < nightsMin) return undefined;
  const middle = median(level);
  const deviation = 1.4826 * median(level.map((value) => Math.abs(value - middle)));
  const isUnlike =
    deviation === 0
      ? last !== middle
      : Math.abs(last - middle) > deviationsMax(level.length) * deviation;
  return isUnlike ? last / middle : undefined;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = NaN, high = NaN] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.floor(sorted.length / 2)],
  ];
  return (low + high) / 2;
}
