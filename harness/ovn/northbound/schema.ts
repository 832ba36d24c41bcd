/** Columns of a database and what they hold, from its schema (RFC 7047, 3.2). */
import type { Value } from '../../ovs/ovsdb/ovsdb.js';

/** The type of each column, by table and column. */
export type Schema = ReadonlyMap<string, ReadonlyMap<string, ColumnType>>;

export interface ColumnType {
  readonly kind: 'scalar' | 'set' | 'map';
  readonly atom: string;
}

type JsonType =
  | string
  | {
      readonly key: string | { readonly type: string };
      readonly value?: unknown;
      readonly min?: number;
      readonly max?: number | 'unlimited';
    };

/** @param text of an `.ovsschema` file. */
export function readSchema(text: string): Schema {
  const { tables } = JSON.parse(text) as {
    readonly tables: Readonly<
      Record<string, { readonly columns: Readonly<Record<string, { readonly type: JsonType }>> }>
    >;
  };
  return new Map(
    Object.entries(tables).map(([table, { columns }]) => [
      table,
      new Map(Object.entries(columns).map(([column, { type }]) => [column, columnType(type)])),
    ]),
  );
}

function columnType(type: JsonType): ColumnType {
  if (typeof type === 'string') return { kind: 'scalar', atom: type };
  const atom = typeof type.key === 'string' ? type.key : type.key.type;
  if (type.value !== undefined) return { kind: 'map', atom };
  return { kind: (type.min ?? 1) === 1 && (type.max ?? 1) === 1 ? 'scalar' : 'set', atom };
}

/** What a column holds of a row that says nothing about it (RFC 7047, 5.2.1). */
export function defaultOf({ kind, atom }: ColumnType): Value {
  if (kind === 'map') return ['map', []];
  if (kind === 'set') return ['set', []];
  const scalars: Readonly<Record<string, Value>> = {
    string: '',
    integer: 0,
    real: 0,
    boolean: false,
  };
  return scalars[atom] ?? ['uuid', '00000000-0000-0000-0000-000000000000'];
}
