/** A path with the work that the model has for it, and what its trials say about a unit. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { MeasureName, Need, Trial } from './measures.js';
import type { TrafficPath } from './reference-paths.js';
import type { CountedKinds } from './statistics/fit-work.js';
import { workOfPath, type PathWork } from './work-of-path.js';

/** Units that the switches have carried, by their own lookups where they say. */
export function carriedIn(
  { units, lookups }: Pick<Trial, 'units' | 'lookups'>,
  work: PathWork,
): number {
  return lookups === undefined || work.lookups === 0 ? units : lookups / work.lookups;
}

export function needOfTrial(trial: Trial, work: PathWork, need: Need): number {
  return needed(trial, need) / carriedIn(trial, work);
}

function needed({ seconds, switchNs, clientNs, serverNs, proxyNs }: Trial, need: Need): number {
  switch (need) {
    case 'time':
      return seconds * 1e9;
    case 'processor':
      return switchNs;
    case 'hosts':
      return clientNs + serverNs + proxyNs;
  }
}

/** Of a unit. */
export function countedOf(trial: Trial, work: PathWork): CountedKinds {
  const units = carriedIn(trial, work);
  return { polls: trial.polls / units, probes: trial.probes / units };
}

/** A path of a cluster. */
export interface PlannedPath {
  readonly path: TrafficPath;
  /** That the model has for a unit. */
  readonly work: PathWork;
  /** How many switches are on its way. */
  readonly switches: number;
}

export async function plannedPath(
  plan: ClusterPlan,
  path: TrafficPath,
  measure: MeasureName,
): Promise<PlannedPath> {
  return {
    path,
    work: await workOfPath(plan, path, measure),
    switches: nodesOf(plan, path).length,
  };
}

/** Those whose switches are on its way. */
export function nodesOf(
  plan: ClusterPlan,
  { client, server, proxy }: TrafficPath,
): readonly string[] {
  const ends = [client, server, proxy];
  return plan.nodes
    .filter(({ hosts }) => hosts.some(({ name }) => ends.includes(name)))
    .map(({ node }) => node);
}
