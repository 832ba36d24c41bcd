/** Trials in turn, and what they say: ratios, verdicts. */
import { assert } from '../base/errors/errors.js';
import { referenceSamples, type Calibration } from './calibrate.js';
import { hostNeeds } from './host-needs.js';
import { measureOf, type MeasureName, type Need, type Trial } from './measures.js';
import { countedOf, needOfTrial, type PlannedPath } from './planned-path.js';
import { middleCounted, needOf, predictRatio, type UnitWork } from './statistics/fit-work.js';
import { judgeRatio, type RatioVerdict } from './statistics/judge-ratio.js';
import { pairedRatio, type Estimate, type Turn } from './statistics/paired-ratio.js';
import { timeOfUnit } from './statistics/time-of-unit.js';
import { fittedKinds } from './work-of-path.js';

/** A path beside the baseline. */
export interface MeasuredRatio {
  readonly need: Need;
  readonly measured: Estimate;
  readonly predicted: Estimate;
  readonly verdict: RatioVerdict;
}

export interface TurnTrials {
  readonly baseline: Trial;
  readonly path: Trial;
}

/** @param trials of the baseline and of the path, turn by turn. */
export function turnsOf(trials: readonly (readonly Trial[])[]): readonly TurnTrials[] {
  return trials.map(([baseline, path]) => {
    assert(baseline !== undefined && path !== undefined, 'a turn has a trial of each');
    return { baseline, path };
  });
}

export interface Compared {
  readonly baseline: PlannedPath;
  readonly path: PlannedPath;
  /** That work at once. */
  readonly processors: number;
}

export function judgeTurns(
  measure: MeasureName,
  turns: readonly TurnTrials[],
  calibration: Calibration,
  compared: Compared,
  random: () => number,
): readonly MeasuredRatio[] {
  const references = referenceSamples(calibration);
  return measureOf(measure).needs.map((need) => {
    const pairs: readonly Turn[] = turns.map(({ baseline, path }) => ({
      baseline: needOfTrial(baseline, compared.baseline.work, need),
      path: needOfTrial(path, compared.path.work, need),
    }));
    const measured = pairedRatio(pairs);
    const ratioBy = ratioOf(measure, need, turns, calibration, compared);
    const predicted = predictRatio(fittedKinds, references, ratioBy, random);
    return { need, measured, predicted, verdict: judgeRatio(measured, predicted) };
  });
}

/** What a ratio is by the coefficients of a fit. */
function ratioOf(
  measure: MeasureName,
  need: Need,
  turns: readonly TurnTrials[],
  calibration: Calibration,
  { baseline, path, processors }: Compared,
): (coefficients: UnitWork) => number {
  const needOfOne = (at: 'baseline' | 'path', planned: PlannedPath) => {
    const { work, switches } = planned;
    const hosts = hostNeeds(calibration, planned);
    const counted = middleCounted(turns.map((turn) => countedOf(turn[at], work)));
    return (coefficients: UnitWork) => {
      const ns = needOf(coefficients, { ...work, ...counted });
      if (need === 'processor') return ns;
      const clients = measureOf(measure).clients ?? 1;
      return timeOfUnit({ ...hosts, clients, switches: ns, switchCount: switches }, processors);
    };
  };
  const [ofPath, ofBaseline] = [needOfOne('path', path), needOfOne('baseline', baseline)];
  return (coefficients) => ofPath(coefficients) / ofBaseline(coefficients);
}
