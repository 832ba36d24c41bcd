/** What the programs at both ends of a path need for a unit, and a proxy between them. */
import type { Calibration } from './calibrate.js';
import { carriedIn, type PlannedPath } from './planned-path.js';
import { middle } from './statistics/fit-work.js';
import type { Stages } from './statistics/time-of-unit.js';

export type HostNeeds = Pick<Stages, 'client' | 'server' | 'proxy'>;

/** What is the same of paths whose hosts need the same. */
type Kind = Pick<PlannedPath, 'switches'> & { readonly path: { readonly proxy?: string } };

/**
 * In nanoseconds of processors, by the reference paths of the kind: with a proxy or without, and
 * with as many switches. For a request programs need half as much again where its frames pass two
 * switches. A proxy needs 0 where no reference path has one.
 */
export function hostNeeds(calibration: Calibration, kind: Kind): HostNeeds {
  const isRelayed = ({ path }: Kind) => path.proxy !== undefined;
  const candidates = calibration.filter((one) => isRelayed(one) === isRelayed(kind));
  const alike = candidates.filter(({ switches }) => switches === kind.switches);
  const references = alike.length > 0 ? alike : candidates;
  const needOf = (of: 'clientNs' | 'serverNs' | 'proxyNs') => {
    const needs = references.flatMap(({ work, trials }) =>
      trials.map((trial) => trial[of] / carriedIn(trial, work)),
    );
    return needs.length === 0 ? 0 : middle(needs);
  };
  return { client: needOf('clientNs'), server: needOf('serverNs'), proxy: needOf('proxyNs') };
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
