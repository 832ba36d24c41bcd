/** What the programs at both ends of a path need for a unit, and a proxy between them. */
import type { Calibration } from './calibrate.js';
import { carriedIn, needOfTrial, type PlannedPath } from './planned-path.js';
import { middle } from './statistics/fit-work.js';
import type { PathWork } from './work-of-path.js';
import type { Estimate } from './statistics/paired-ratio.js';
import type { Stages } from './statistics/time-of-unit.js';

/** What is the same of paths whose hosts, and whose switches' main loops, need the same. */
export type Kind = Pick<PlannedPath, 'switches'> & {
  readonly path: { readonly name?: string; readonly proxy?: string };
  /** Missing where routed ones and others count. */
  readonly work?: Pick<PathWork, 'forwards'>;
};

/**
 * Reference paths of a kind: with a proxy or without, with as many switches, and routed by nodes or
 * not, for what a stack gives back to its switch needs one more pass of its main loop. Where there
 * are none, the last of these does not matter, or the last two.
 */
export function referencesLike(calibration: Calibration, kind: Kind): Calibration {
  const isRelayed = ({ path }: Kind) => path.proxy !== undefined;
  const isRouted = ({ work }: Kind) => (work?.forwards ?? 0) > 0;
  const candidates = calibration.filter((one) => isRelayed(one) === isRelayed(kind));
  const across = candidates.filter(({ switches }) => switches === kind.switches);
  const alike =
    kind.work === undefined ? across : across.filter((one) => isRouted(one) === isRouted(kind));
  return [alike, across, candidates].find(({ length }) => length > 0) ?? [];
}

export type HostNeeds = Pick<Stages, 'client' | 'server' | 'proxy'>;

/**
 * In nanoseconds of processors, by the reference paths of the kind: with a proxy or without, and
 * with as many switches. For a request programs need half as much again where its frames pass two
 * switches. A proxy needs 0 where no reference path has one.
 */
export function hostNeeds(calibration: Calibration, kind: Kind): HostNeeds {
  const references = referencesLike(calibration, kind);
  const needOf = (of: 'clientNs' | 'serverNs' | 'proxyNs') => {
    const needs = references.flatMap(({ work, trials }) =>
      trials.map((trial) => trial[of] / carriedIn(trial, work)),
    );
    return needs.length === 0 ? 0 : middle(needs);
  };
  return { client: needOf('clientNs'), server: needOf('serverNs'), proxy: needOf('proxyNs') };
}

/**
 * What programs of a path need in times those of the baseline: between the least and the most that
 * those of any reference path of the kind do.
 */
export function hostRatio(calibration: Calibration, kind: Kind, baseline: PlannedPath): Estimate {
  const needOf = ({ work, trials }: Calibration[number]) =>
    middle(trials.map((trial) => needOfTrial(trial, work, 'hosts')));
  const own = calibration.find(({ path }) => path.name === baseline.path.name);
  const of = own === undefined ? NaN : needOf(own);
  const ratios = referencesLike(calibration, kind).map((one) => needOf(one) / of);
  return { value: middle(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
}

/** As a report has them: of a path within a node, across nodes, and by a proxy. */
export function reportedHostNeeds(calibration: Calibration): Readonly<Record<string, number>> {
  const within = hostNeeds(calibration, { switches: 1, path: {} });
  const across = hostNeeds(calibration, { switches: 2, path: {} });
  const { proxy } = hostNeeds(calibration, { switches: 1, path: { proxy: 'any' } });
  return {
    client: within.client,
    server: within.server,
    'client across nodes': across.client,
    'server across nodes': across.server,
    proxy,
  };
}
