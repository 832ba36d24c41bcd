/** A zone that runs: what is known of it as a whole. */

import { assert, unknownName } from '../base/errors/errors.js';
import type { Schema } from './northbound/schema.js';
import type { ZonePlan } from '../domain/plan/northbound-plan.js';
import { type ZoneReplicas, throughAllChassis } from './barrier.js';
import type { Daemon } from '../ovs/process/daemon.js';
import type { Chassis } from './chassis.js';
import { type FlowSource, flowSources } from './cookies.js';
import { heldRows } from './northbound/held-rows.js';
import { plannedRows, writtenRows } from './northbound/row-names.js';
import type { TrackerZones } from './tracker-zones.js';
import type { Zone } from './zone.js';

/** A zone that runs, with its chassis. */
export interface RunningZone {
  readonly zone: Zone;
  readonly replicas: ZoneReplicas;
  readonly chassis: Chassis[];
  /** Nodes whose ovn-controller has ended with them, and has not started again. */
  readonly ended: Set<string>;
  /** Zones of the connection tracker, by node. */
  readonly zones: Map<string, TrackerZones>;
  /** The rows and programs that were applied last. */
  wanted: Pick<ZonePlan, 'programs' | 'rows'>;
}

/** Has northd and all controllers compile from scratch, and waits until they have. */
export async function recomputeZone(
  { zone, replicas, chassis }: RunningZone,
  limitMs: number,
): Promise<void> {
  const compilers = [zone.northd, ...chassis.map(({ controller }) => controller)];
  for (const { unixctl } of compilers) await unixctl.call('inc-engine/recompute');
  await throughAllChassis(zone, replicas, [], limitMs);
}

/** Waits until all chassis are done with what stands before. */
export async function quiesceZone({ zone, replicas }: RunningZone, limitMs: number): Promise<void> {
  await throughAllChassis(zone, replicas, [], limitMs);
}

/** Of rows that programs have written the database alone knows. */
export async function sourcesOfZone(
  { zone, wanted }: RunningZone,
  schema: Schema,
): Promise<readonly FlowSource[]> {
  const rows =
    wanted.programs === undefined
      ? plannedRows(zone.name, wanted.rows)
      : writtenRows(await heldRows(zone, schema));
  return await flowSources(zone, rows);
}

/** Those whose ovn-controller runs. */
export function runningChassis({ chassis, ended }: RunningZone): readonly Chassis[] {
  return chassis.filter(({ plan: { node } }) => !ended.has(node));
}

/** Those that run. */
export function daemonsOf(zones: readonly RunningZone[]): readonly Daemon[] {
  return zones.flatMap((running) => [
    running.zone.northd,
    running.zone.north.server,
    running.zone.south.server,
    ...runningChassis(running).map(({ controller }) => controller),
  ]);
}

/** The zone that a node is in. */
export function zoneOf(zones: readonly RunningZone[], node: string): RunningZone {
  const found = zones.find(({ chassis }) => chassis.some(({ plan }) => plan.node === node));
  assert(found !== undefined, `node ${node} is a chassis of a zone`);
  return found;
}

export function chassisOf(zones: readonly RunningZone[], node: string): Chassis {
  const found = zoneOf(zones, node).chassis.find(({ plan }) => plan.node === node);
  assert(found !== undefined, `node ${node} is a chassis of its zone`);
  return found;
}

/** @throws InputError for a name that is none. */
export function zoneCalled(zones: readonly RunningZone[], name: string): RunningZone {
  const found = zones.find(({ zone }) => zone.name === name);
  const known = zones.map(({ zone }) => zone.name);
  if (found === undefined) throw unknownName('zone', name, known);
  return found;
}
