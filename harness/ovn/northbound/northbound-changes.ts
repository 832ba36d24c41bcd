/**
 * From the rows that a northbound database holds to those that a plan wants: what has to be done,
 * as one transaction. What others have put there stays as it is.
 */
import { sha256 } from '../../base/files/digest.js';
import { InputError } from '../../base/errors/errors.js';
import type {
  NorthboundAtom,
  NorthboundRow,
  NorthboundTable,
  NorthboundValue,
} from '../../domain/plan/northbound-plan.js';
import { map } from '../../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Row, Value } from '../../ovs/ovsdb/ovsdb.js';
import { staticMacBindingId } from '../../domain/plan/northbound-plan.js';
import { defaultOf, type ColumnType, type Schema } from './schema.js';
import { unsupportedByOvn } from './unsupported-by-ovn.js';

/** In external_ids of each row that a plan wants: the row's id, by which it is known for ours. */
export const ownerKey = 'flowbed-row';

/** The rows of the database by table and UUID. */
export type HeldRows = ReadonlyMap<NorthboundTable, ReadonlyMap<string, Row>>;

/** What ovn-northd writes into rows of others (ovn-nb(5)): no plan wants anything of it. */
const written: Readonly<Partial<Record<NorthboundTable, readonly string[]>>> = {
  NB_Global: [
    'nb_cfg',
    'nb_cfg_timestamp',
    'sb_cfg',
    'sb_cfg_timestamp',
    'hv_cfg',
    'hv_cfg_timestamp',
    'connections',
    'ssl',
    'ipsec',
    'options',
    'name',
  ],
  Logical_Switch_Port: ['up', 'dynamic_addresses', 'tag'],
  Logical_Router_Port: ['status'],
};

/** The one row of its table: it is there once ovn-northd runs, and never comes or goes. */
const singleton: NorthboundTable = 'NB_Global';

/**
 * The UUID that a row of a plan has, of its zone and id alone, so that two databases of the same
 * plan are alike.
 */
export function rowUuid(zone: string, id: string): string {
  const digits = sha256(`${zone}\n${id}`);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

/**
 * The operations of the transaction; none where all is as wanted.
 * @param version of OVN, for the words of what it does not have.
 * @throws InputError for a reference to no row, Unavailable for a table or column that this
 *   version does not have.
 */
export function northboundChanges(
  zone: string,
  wanted: readonly NorthboundRow[],
  held: HeldRows,
  schema: Schema,
  version: string,
): readonly Operation[] {
  const encode = encoder(zone, wanted);
  const ids = new Set(wanted.map(({ id }) => id));
  const operations = wanted.flatMap((row): readonly Operation[] => {
    const columns = schema.get(row.table);
    if (columns === undefined) throw unsupportedByOvn(version, `the table ${row.table}`);
    for (const column of Object.keys(row.columns))
      if (!columns.has(column))
        throw unsupportedByOvn(version, `column ${column} of ${row.table}, which ${row.id} has`);
    return row.table === singleton
      ? changedSingleton(row, held, columns, encode)
      : changedRow(row, rowUuid(zone, row.id), held, columns, encode);
  });
  return [...operations, ...removals(zone, held, ids)];
}

/** Rows that are ours and not wanted any more. */
function removals(zone: string, held: HeldRows, ids: ReadonlySet<string>): readonly Operation[] {
  return [...held].flatMap(([table, rows]) =>
    [...rows].flatMap(([uuid, row]): readonly Operation[] => {
      const id = ownerOf(row) ?? unmarkedOwner(zone, table, uuid, row);
      return id === undefined || ids.has(id) || table === singleton
        ? []
        : [{ op: 'delete', table, where: [['_uuid', '==', ['uuid', uuid]]] }];
    }),
  );
}

function ownerOf(row: Row): string | undefined {
  const ids = row['external_ids'];
  if (!Array.isArray(ids)) return undefined;
  const [, entries] = ids as readonly [string, readonly (readonly [string, string])[]];
  return entries.find(([key]) => key === ownerKey)?.[1];
}

/**
 * Of a table without external_ids a row's UUID says whether it is ours: it follows from the row's
 * id, and that from what the row says.
 */
function unmarkedOwner(
  zone: string,
  table: NorthboundTable,
  uuid: string,
  row: Row,
): string | undefined {
  if (table !== 'Static_MAC_Binding') return undefined;
  const id = staticMacBindingId(String(row['logical_port']), String(row['ip']));
  return rowUuid(zone, id) === uuid ? id : undefined;
}

type Encode = (row: NorthboundRow, value: NorthboundValue) => Value;
type Columns = ReadonlyMap<string, ColumnType>;

function encoder(zone: string, wanted: readonly NorthboundRow[]): Encode {
  const ids = new Set<string>();
  for (const { id } of wanted) {
    if (ids.has(id)) throw new InputError(`zone ${zone} has two northbound rows called "${id}"`);
    ids.add(id);
  }
  const atom = (row: NorthboundRow, value: NorthboundAtom): Value => {
    if (typeof value !== 'object') return value;
    if (ids.has(value.row)) return ['uuid', rowUuid(zone, value.row)];
    throw new InputError(`zone ${zone}: row "${row.id}" refers to "${value.row}", which is no row`);
  };
  return (row, value) => {
    if (typeof value !== 'object' || 'row' in value) return atom(row, value);
    return 'set' in value ? ['set', value.set.map((one) => atom(row, one))] : map(value.map);
  };
}

/** Its options are shared with ovn-northd: those that are wanted are put in beside its own. */
function changedSingleton(
  row: NorthboundRow,
  held: HeldRows,
  columns: Columns,
  encode: Encode,
): readonly Operation[] {
  const [[, before] = [undefined, undefined]] = held.get(singleton) ?? [];
  return Object.entries(row.columns).flatMap(([column, value]): readonly Operation[] => {
    if (columns.get(column)?.kind !== 'map' || typeof value !== 'object' || !('map' in value))
      throw new InputError(
        `row "${row.id}": of ${singleton} only maps can be wanted, not ${column}`,
      );
    const entries = new Map(entriesOf(before?.[column]));
    const others = Object.entries(value.map).filter(([key, text]) => entries.get(key) !== text);
    if (others.length === 0) return [];
    return [
      {
        op: 'mutate',
        table: singleton,
        where: [],
        mutations: [
          [column, 'delete', ['set', others.map(([key]) => key)]],
          [column, 'insert', encode(row, { map: Object.fromEntries(others) })],
        ],
      },
    ];
  });
}

function entriesOf(value: Value | undefined): readonly (readonly [string, string])[] {
  return Array.isArray(value) ? (value[1] as readonly (readonly [string, string])[]) : [];
}

function changedRow(
  row: NorthboundRow,
  uuid: string,
  held: HeldRows,
  columns: Columns,
  encode: Encode,
): readonly Operation[] {
  const external = row.columns['external_ids'];
  const own = typeof external === 'object' && 'map' in external ? external.map : {};
  const columnsWanted = columns.has('external_ids')
    ? { ...row.columns, external_ids: { map: { ...own, [ownerKey]: row.id } } }
    : row.columns;
  const wanted = Object.fromEntries(
    Object.entries(columnsWanted).map(([column, value]) => [column, encode(row, value)]),
  );
  const before = held.get(row.table)?.get(uuid);
  if (before === undefined) return [{ op: 'insert', table: row.table, uuid, row: wanted }];
  const others = [...columns].flatMap(([column, type]): readonly (readonly [string, Value])[] => {
    if (written[row.table]?.includes(column) === true) return [];
    const value = wanted[column] ?? defaultOf(type);
    return canonicalValue(value) === canonicalValue(before[column] ?? defaultOf(type))
      ? []
      : [[column, value]];
  });
  if (others.length === 0) return [];
  return [
    {
      op: 'update',
      table: row.table,
      where: [['_uuid', '==', ['uuid', uuid]]],
      row: Object.fromEntries(others),
    },
  ];
}

/** A text that is the same for equal values: a set of one is written as what is in it, too. */
export function canonicalValue(value: Value): string {
  if (!Array.isArray(value)) return JSON.stringify([value]);
  const [tag, content] = value as readonly [string, unknown];
  if (tag === 'uuid' || tag === 'named-uuid') return JSON.stringify([value]);
  const members = (content as readonly unknown[]).map((member) => JSON.stringify(member)).sort();
  return tag === 'map' ? `{${members.join(',')}}` : `[${members.join(',')}]`;
}
