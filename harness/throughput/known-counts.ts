/** What switches count for a unit and the model does not have, known before a path is measured. */
import type { Calibration } from './calibrate.js';
import { referencesLike, type Kind } from './host-needs.js';
import { countedOf, type PlannedPath } from './planned-path.js';
import { middle } from './statistics/fit-work.js';
import type { Estimate } from './statistics/paired-ratio.js';

/** Polls between the least and the most that reference paths of the kind have. */
export interface KnownCounts {
  readonly polls: Estimate;
  readonly probes: number;
}

/**
 * Nothing of the trials that are judged: a switch on a path that waits goes round its main loop for
 * each packet, and would be allowed the time of all that.
 * @param probesALookup of the path, as the second of traffic has them that is inspected before;
 *   missing of a reference path, whose own trials say it.
 */
export function knownCounts(
  calibration: Calibration,
  planned: PlannedPath,
  probesALookup?: number,
): KnownCounts {
  const own = calibration.filter(({ path }) => path.name === planned.path.name);
  return {
    polls: pollsOf(own.length > 0 ? own : referencesLike(calibration, planned)),
    probes:
      probesALookup === undefined ? middleOf(own, 'probes') : probesALookup * planned.work.lookups,
  };
}

/** What reference paths of the kind wait for in passes of main loops, for a unit. */
export function pollsLike(calibration: Calibration, kind: Kind): number {
  return middleOf(referencesLike(calibration, kind), 'polls');
}

function pollsOf(references: Calibration): Estimate {
  const each = references.map((one) => middleOf([one], 'polls'));
  return {
    value: middleOf(references, 'polls'),
    low: Math.min(...each),
    high: Math.max(...each),
  };
}

function middleOf(references: Calibration, count: 'polls' | 'probes'): number {
  const counts = references.flatMap(({ work, trials }) =>
    trials.map((trial) => countedOf(trial, work)[count]),
  );
  return counts.length === 0 ? 0 : middle(counts);
}
