/** One bridge as data: what was programmed, and what changes while packets pass. */
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { PortPlan } from '../domain/plan/port-plan.js';
import type { FlowId } from '../domain/switching.js';
import type { Bucket, Group } from '../openflow/groups/group.js';
import type { Meter } from '../openflow/meters.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import type { Rule } from './tables/flow-tables.js';
import type { FlowTables } from './tables/flow-table.js';
import type { FlowRecords } from './tables/flows/flow-record.js';
import type { MeterState } from './tables/meters.js';
import type { Generations } from './megaflow/generations.js';
import type { Mirror } from './l2/mirrors.js';
import { withOptionFields, type OptionFields } from './fields/tunnel-options.js';
import type { MacTable } from './l2/mac-table.js';
import type { Snooping } from './l2/multicast-snooping.js';
import type { OwnAddress } from './tunnels/routes.js';

/** A group as a switch holds it. */
export interface ModelGroup extends Group {
  /** The buckets that the last change of buckets brought, where it was one: see `hashedBuckets`. */
  readonly inserted?: readonly Bucket[];
}

export interface ModelBridge extends FlowRecords {
  readonly plan: BridgePlan;
  /** Ports by OpenFlow number; LOCAL is not among them. */
  readonly ports: ReadonlyMap<number, PortPlan>;
  readonly tables: FlowTables;
  readonly options: OptionFields;
  readonly groups: Map<number, ModelGroup>;
  readonly meters: Map<Meter['id'], MeterState>;
  readonly ids: Map<Rule, FlowId>;
  readonly macs: MacTable;
  /** Missing where multicast goes to everybody. */
  readonly snooping: Snooping | undefined;
  /** Of its LOCAL port: there tunnels end. */
  readonly addresses: readonly OwnAddress[];
  readonly mirrors: readonly Mirror[];
  /** What the plan asks for, or a change that stays has made of it: to which a reset goes back. */
  planned: { readonly rules: readonly Rule[]; readonly groups: ReadonlyMap<number, ModelGroup> };
  /**
   * How many flows there are that learn with delete_learned, by table and cookie of what they
   * learn.
   */
  readonly learners: Map<string, number>;
  /** Whether its flows and groups are those of the plan, all of them. */
  isUnchanged: boolean;
  /** Those of its node. */
  readonly generations: Generations;
}

/** Where frames come in: a port of a bridge. */
export interface PortLocation {
  readonly bridge: ModelBridge;
  /** LOCAL or another. */
  readonly number: number;
}

/** Of ports with the same name, the first. */
export function portLocations(bridges: readonly ModelBridge[]): ReadonlyMap<string, PortLocation> {
  const all = bridges.flatMap((bridge): readonly (readonly [string, PortLocation])[] => [
    [bridge.plan.name, { bridge, number: reservedPorts.LOCAL }],
    ...[...bridge.ports.values()].map(
      ({ name, ofport }) => [name, { bridge, number: ofport }] as const,
    ),
  ]);
  return new Map(all.toReversed());
}

/** The group with the bridge's own fields. */
export function groupWithOptionFields(group: Group, options: OptionFields): Group {
  return {
    ...group,
    buckets: group.buckets.map((bucket) => ({
      ...bucket,
      actions: withOptionFields(bucket.actions, options),
    })),
  };
}

export function portName(bridge: ModelBridge, port: number): string {
  return port === reservedPorts.LOCAL
    ? bridge.plan.name
    : (bridge.ports.get(port)?.name ?? String(port));
}
