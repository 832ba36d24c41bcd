/** Northbound rows by the first digits of their UUIDs, as people call them: `ACL drop-all`. */
import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Row } from '../../ovs/ovsdb/ovsdb.js';
import { ownerKey, rowUuid, type HeldRows } from './northbound-changes.js';

const digits = 8;

/** Those of a plan, by their ids. */
export function plannedRows(
  zone: string,
  rows: readonly NorthboundRow[],
): ReadonlyMap<string, string> {
  return new Map(
    rows.map(({ table, id }) => [rowUuid(zone, id).slice(0, digits), `${table} ${id}`]),
  );
}

/** All that a database holds: by the id that a plan gave, or by what a row says. */
export function writtenRows(held: HeldRows): ReadonlyMap<string, string> {
  return new Map(
    [...held].flatMap(([table, rows]) =>
      [...rows].map(([uuid, row]) => [uuid.slice(0, digits), `${table} ${nameOf(row)}`] as const),
    ),
  );
}

function nameOf(row: Row): string {
  const ids = row['external_ids'];
  const entries = Array.isArray(ids) ? (ids[1] as readonly (readonly [string, string])[]) : [];
  const own = entries.find(([key]) => key === ownerKey)?.[1];
  const said = own ?? row['name'] ?? row['match'] ?? row['ip_prefix'] ?? '?';
  return typeof said === 'string' ? said : JSON.stringify(said);
}
