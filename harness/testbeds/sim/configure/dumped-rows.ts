/** Rows of a dump, as operations of the database that they are put into. */
import { Unavailable } from '../../../base/errors/errors.js';
import {
  textOf,
  wiredInterfaces,
  type DumpedColumn,
  type DumpedRow,
} from '../../../domain/plan/dumped-node.js';
import { set } from '../../../ovs/ovsdb/ovsdb-value.js';
import type { ColumnType, DatabaseSchema, Operation, Value } from '../../../ovs/ovsdb/ovsdb.js';
import { type DeviceOf, type InterfacePlan, local } from './interface-plan.js';

/** What is to be there once the rows are. */
export function dumpedInterfaces(rows: readonly DumpedRow[]): readonly InterfacePlan[] {
  const bridges = new Set(
    rows.flatMap((row) => (row.table === 'Bridge' ? [textOf(row, 'name')] : [])),
  );
  return rows
    .filter(({ table }) => table === 'Interface')
    .map((row) => {
      const [name, mac] = [textOf(row, 'name'), textOf(row, 'mac')];
      const ofport = bridges.has(name) ? local : Number(textOf(row, 'ofport_request'));
      return {
        name,
        ofport,
        type: textOf(row, 'type'),
        options: {},
        ...(mac === '' || bridges.has(name) ? {} : { mac }),
      };
    });
}

/**
 * Each row under the UUID that it had: in their order packets meet mirrors.
 * @throws Unavailable for a column that this version does not have.
 */
export function insertDumpedRows(
  rows: readonly DumpedRow[],
  schema: DatabaseSchema,
  deviceOf: DeviceOf,
): readonly Operation[] {
  const typed = (row: DumpedRow) =>
    Object.fromEntries(
      [...row.columns].map(([name, value]) => [name, valueOf(row.table, name, value, schema)]),
    );
  const wired = new Set(wiredInterfaces(rows));
  return [
    ...rows
      .filter(({ table }) => table !== 'Open_vSwitch')
      .map(({ table, uuid, columns }): Operation => {
        const name = textOf({ table, uuid, columns }, 'name');
        const isWired = table === 'Interface' && wired.has(name);
        const options = columns.get('options');
        const given = isWired
          ? new Map([
              ...columns,
              [
                'options',
                new Map<string, string>([
                  ...(options instanceof Map ? (options as ReadonlyMap<string, string>) : []),
                  ...Object.entries(deviceOf(name).options),
                ]),
              ],
            ])
          : columns;
        return { op: 'insert', table, uuid, row: typed({ table, uuid, columns: given }) };
      }),
    ...rows
      .filter(({ table }) => table === 'Open_vSwitch')
      .map(
        (row): Operation => ({
          op: 'mutate',
          table: 'Open_vSwitch',
          where: [],
          mutations: Object.entries(typed(row)).map(([name, value]) => [name, 'insert', value]),
        }),
      ),
  ];
}

export function bridgesIn(rows: readonly DumpedRow[]): Value {
  return set(
    rows.flatMap(({ table, uuid }) => (table === 'Bridge' ? [['uuid', uuid] as const] : [])),
  );
}

function valueOf(
  table: string,
  column: string,
  value: DumpedColumn,
  schema: DatabaseSchema,
): Value {
  const type = schema.tables[table]?.columns[column]?.type;
  if (type === undefined)
    throw new Unavailable(
      `the dump has ${table}.${column}, which this version of Open vSwitch does not know`,
      ['check with an image of the version that was dumped, or a newer one: --image'],
    );
  const { key, value: second } = typeof type === 'string' ? { key: type } : type;
  if (value instanceof Map)
    return [
      'map',
      [...(value as ReadonlyMap<string, string>)].map(([from, to]) => [
        atomOf(from, key),
        atomOf(to, second ?? 'string'),
      ]),
    ];
  return set((value as readonly string[]).map((text) => atomOf(text, key)));
}

function atomOf(text: string, type: ColumnType): Value {
  const name = typeof type === 'string' ? type : type.type;
  switch (name) {
    case 'integer':
    case 'real':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'uuid':
      return ['uuid', text];
    default:
      return text;
  }
}
