/** Trials in turn, and what they say: ratios, verdicts. */
import { assert } from '../base/errors/errors.js';
import { referenceSamples, type Calibration } from './calibrate.js';
import { hostNeeds, hostRatio } from './host-needs.js';
import { knownCounts } from './known-counts.js';
import { measureOf, type MeasureName, type Need, type Trial } from './measures.js';
import { needOfTrial, type PlannedPath } from './planned-path.js';
import { needOf, predictRatio, type UnitWork } from './statistics/fit-work.js';
import { allowance, judgeRatio, type RatioVerdict } from './statistics/judge-ratio.js';
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
  /** Groups of cached flows that a lookup of the path goes through. */
  readonly probesALookup: number;
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
    if (need === 'hosts') {
      const predicted = hostRatio(calibration, compared.path, compared.baseline);
      const verdict = judgeRatio(measured, predicted, hostAllowance);
      // Who needs less than others of the kind is no fault.
      const isFaster = verdict.kind === 'faster than the model allows';
      return { need, measured, predicted, verdict: isFaster ? { kind: 'conforms' } : verdict };
    }
    const ratioBy = ratioOf(measure, need, calibration, compared);
    const predicted = predictRatio(fittedKinds, references, ratioBy, random);
    return { need, measured, predicted, verdict: judgeRatio(measured, predicted, allowance) };
  });
}

/** By how much programs may need more than those of any reference path of the kind. */
const hostAllowance = 1.4;

/** What a ratio is by the coefficients of a fit, and by nothing of the turns. */
function ratioOf(
  measure: MeasureName,
  need: Need,
  calibration: Calibration,
  { baseline, path, probesALookup, processors }: Compared,
): (coefficients: UnitWork) => Estimate {
  const needOfOne = (planned: PlannedPath, probes?: number) => {
    const { work, switches } = planned;
    const hosts = hostNeeds(calibration, planned);
    const counted = knownCounts(calibration, planned, probes);
    return (coefficients: UnitWork, of: keyof Estimate) => {
      const counts = { polls: counted.polls[of], probes: counted.probes };
      const ns = needOf(coefficients, { ...work, ...counts });
      if (need === 'processor') return ns;
      const clients = measureOf(measure).clients ?? 1;
      return timeOfUnit({ ...hosts, clients, switches: ns, switchCount: switches }, processors);
    };
  };
  const [ofPath, ofBaseline] = [needOfOne(path, probesALookup), needOfOne(baseline)];
  return (coefficients) => {
    const ratio = (of: keyof Estimate) =>
      ofPath(coefficients, of) / ofBaseline(coefficients, 'value');
    return { value: ratio('value'), low: ratio('low'), high: ratio('high') };
  };
}
