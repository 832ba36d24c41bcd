/** What draws of northbound content share. */
import type { Random } from '../../harness/base/random.js';
import type { NorthboundRow, NorthboundValue } from '../../harness/domain/plan/northbound-plan.js';
import type { Pod } from '../../harness/domain/topology.js';

export interface OvnDrawing {
  readonly random: Random;
  readonly pods: readonly Pod[];
  readonly rows: NorthboundRow[];
  /** Columns of rows of the network, by the id of each. */
  readonly columns: Map<string, Readonly<Record<string, NorthboundValue>>>;
  /** Addresses that stand for something else, to be asked for, with a port where it has one. */
  readonly targets: { readonly ip: string; readonly port?: number }[];
}

/** The id of the row of the router between both switches. */
export const clusterRouterRow = 'router ovn_cluster_router';

/** Of pods, of subnets, and of nobody. */
export const addresses = [
  '10.10.1.2',
  '10.10.1.3',
  '10.10.2.2',
  '10.10.2.3',
  '10.10.1.0/24',
  '10.10.2.0/24',
  '10.10.0.0/16',
  '10.10.1.2/31',
  '192.0.2.1',
] as const;

/** Other columns of a row of the network, beside those that it has been given before. */
export function addColumns(
  { columns }: Pick<OvnDrawing, 'columns'>,
  id: string,
  more: Readonly<Record<string, NorthboundValue>>,
): void {
  columns.set(id, { ...columns.get(id), ...more });
}

/** A set of references to rows. */
export function references(rows: readonly NorthboundRow[]): NorthboundValue {
  return { set: rows.map(({ id }) => ({ row: id })) };
}

export function pick<T>(random: Random, all: readonly T[]): T {
  return all[random.integer(0, all.length - 1)] as T;
}

export function oneIn(random: Random, count: number): boolean {
  return random.integer(1, count) === 1;
}

/** Between `least` and `most` of them, numbered from 1. */
export function some<T>(
  random: Random,
  least: number,
  most: number,
  make: (number: number) => T,
): readonly T[] {
  return Array.from({ length: random.integer(least, most) }, (_, index) => make(index + 1));
}
