/** What a northbound database holds. */
import { Unavailable } from '../../base/errors/errors.js';
import { northboundTables } from '../../domain/plan/northbound-plan.js';
import type { Row } from '../../ovs/ovsdb/ovsdb.js';
import type { Zone } from '../zone.js';
import type { HeldRows } from './northbound-changes.js';
import type { Schema } from './schema.js';

/** All rows that a plan could have put there. */
export async function heldRows({ north }: Pick<Zone, 'north'>, schema: Schema): Promise<HeldRows> {
  const tables = northboundTables.filter((table) => schema.has(table));
  const results = await north.ovsdb.transact(
    tables.map((table) => ({
      op: 'select' as const,
      table,
      where: [],
      columns: ['_uuid', ...(schema.get(table)?.keys() ?? [])],
    })),
  );
  return new Map(
    tables.map((table, index) => [
      table,
      new Map((results[index] ?? []).map((row) => [uuidOf(row), row])),
    ]),
  );
}

function uuidOf(row: Row): string {
  const uuid = row['_uuid'];
  if (!Array.isArray(uuid) || uuid[0] !== 'uuid')
    throw new Unavailable(`the database prints a row without its UUID: ${JSON.stringify(row)}`);
  return String(uuid[1]);
}
