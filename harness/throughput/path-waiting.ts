/** Waiting, apart from work: what all stages had of processors, beside the clock. */
import { referenceSamples, type Calibration } from './calibrate.js';
import { referencesLike } from './host-needs.js';
import { pollsLike } from './known-counts.js';
import type { Compared, TurnTrials } from './measure.js';
import { measureOf, type MeasureName, type Trial } from './measures.js';
import { carriedIn, countedOf, type PlannedPath } from './planned-path.js';
import { fitWork, middle } from './statistics/fit-work.js';
import { locationOf, type Estimate } from './statistics/paired-ratio.js';
import {
  judgeWaiting,
  waitingShare,
  type Occupied,
  type Waiting,
  type WaitingVerdict,
} from './statistics/waiting.js';
import { fittedKinds } from './work-of-path.js';

export interface PathWaiting extends Waiting {
  /** In the middle of the turns, how much of the clock each had of a processor. */
  readonly busy: Readonly<Record<'switches' | 'in vain' | 'client' | 'server' | 'proxy', number>>;
  readonly verdict: WaitingVerdict;
}

/** @param turns of the path beside the baseline. */
export function judgePathWaiting(
  measure: MeasureName,
  turns: readonly TurnTrials[],
  calibration: Calibration,
  { path, baseline, processors }: Omit<Compared, 'probesALookup'>,
): PathWaiting {
  const waitingOf = accountOf(measure, calibration, processors);
  const trials = turns.map((turn) => turn.path);
  const own = waitingOf(path, trials);
  const beside = waitingOf(
    baseline,
    turns.map((turn) => turn.baseline),
  );
  const busyOf = (of: 'switchNs' | 'clientNs' | 'serverNs' | 'proxyNs') =>
    middle(trials.map((trial) => trial[of] / (trial.seconds * 1e9)));
  return {
    ...own.waiting,
    busy: {
      switches: busyOf('switchNs'),
      'in vain': own.inVain,
      client: busyOf('clientNs'),
      server: busyOf('serverNs'),
      proxy: busyOf('proxyNs'),
    },
    verdict: judgeWaiting(own.waiting, beside.waiting),
  };
}

/** How much trials of a path have waited, and reference paths of its kind. */
function accountOf(measure: MeasureName, calibration: Calibration, processors: number) {
  const { coefficients } = fitWork(fittedKinds, referenceSamples(calibration));
  const occupied = (planned: PlannedPath, trials: readonly Trial[]) => {
    const polls = pollsLike(calibration, planned);
    return trials.map((trial) =>
      occupiedIn(trial, planned, measure, { polls, pollNs: coefficients['polls'] ?? 0 }),
    );
  };
  const sharesOf = (planned: PlannedPath, trials: readonly Trial[]) =>
    occupied(planned, trials).map((one) => waitingShare(one, processors));
  return (
    planned: PlannedPath,
    trials: readonly Trial[],
  ): { readonly waiting: Waiting; readonly inVain: number } => {
    const middles = referencesLike(calibration, planned).map((one) =>
      middle(sharesOf(one, one.trials)),
    );
    const clean: Estimate = {
      value: middle(middles),
      low: Math.min(...middles),
      high: Math.max(...middles),
    };
    return {
      waiting: { measured: locationOf(sharesOf(planned, trials)), clean },
      inVain: middle(occupied(planned, trials).map(({ inVainNs, unitNs }) => inVainNs / unitNs)),
    };
  };
}

function occupiedIn(
  trial: Trial,
  { work, switches }: PlannedPath,
  measure: MeasureName,
  known: { readonly polls: number; readonly pollNs: number },
): Occupied {
  const units = carriedIn(trial, work);
  const { clients = 1 } = measureOf(measure);
  const more = Math.max(0, countedOf(trial, work).polls - known.polls);
  return {
    unitNs: (trial.seconds * 1e9) / units,
    inVainNs: Math.min(more * known.pollNs, trial.switchNs / units),
    stages: {
      client: trial.clientNs / units,
      clients,
      server: trial.serverNs / units,
      proxy: trial.proxyNs / units,
      switches: trial.switchNs / units,
      switchCount: switches,
    },
  };
}
