/** How much a path carries a second. */
import { medianSorted } from 'simple-statistics';
import type { MeasuredRatio, TurnTrials } from './measure.js';
import { measureOf, type MeasureName, type Trial } from './measures.js';
import type { Estimate } from './statistics/paired-ratio.js';
import { segmentBytes } from './traffic/run-trial.js';

/** Medians, and what is predicted: the baseline's, by the ratio of time. */
export function ratesOf(
  turns: readonly TurnTrials[],
  measure: MeasureName,
  ratios: readonly MeasuredRatio[],
) {
  const { counts, unit } = measureOf(measure);
  const rate = ({ units, seconds }: Trial) =>
    counts === 'segments' ? (units * segmentBytes * 8) / seconds / 1e6 : units / seconds;
  const middle = (of: keyof TurnTrials) =>
    medianSorted(turns.map((turn) => rate(turn[of])).sort((a, b) => a - b));
  const baseline = middle('baseline');
  const time = ratios.find(({ need }) => need === 'time')?.predicted;
  return {
    baseline,
    path: middle('path'),
    ...(time === undefined ? {} : { predicted: rateBy(baseline, time) }),
    unit,
  };
}

/** The longer a unit takes, the fewer there are. */
function rateBy(baseline: number, { value, low, high }: Estimate): Estimate {
  return { value: baseline / value, low: baseline / high, high: baseline / low };
}
