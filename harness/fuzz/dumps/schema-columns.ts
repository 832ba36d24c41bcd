/** The columns of a version's database, with their types (RFC 7047, section 3.2). */
import { assert } from '../../base/errors/errors.js';

/** What one value of a column, or one key or value of a map, may be. */
export interface AtomType {
  readonly type: string;
  readonly words?: readonly string[];
  readonly least?: number;
  readonly most?: number;
  /** The table that a UUID is of. */
  readonly refTable?: string;
}

export interface SchemaColumn {
  readonly table: string;
  readonly column: string;
  readonly key: AtomType;
  /** Of maps. */
  readonly value?: AtomType;
  /** Of sets and maps, at most so many. */
  readonly most: number;
}

type WrittenAtom =
  | string
  | {
      readonly type: string;
      readonly enum?: readonly [string, unknown];
      readonly minInteger?: number;
      readonly maxInteger?: number;
      readonly refTable?: string;
    };

interface WrittenColumn {
  readonly type:
    | string
    | {
        readonly key: WrittenAtom;
        readonly value?: WrittenAtom;
        readonly max?: number | 'unlimited';
      };
}

/** @param schema the text of vswitch.ovsschema. */
export function schemaColumns(schema: string): readonly SchemaColumn[] {
  const { tables } = JSON.parse(schema) as {
    readonly tables: Readonly<
      Record<string, { readonly columns: Readonly<Record<string, WrittenColumn>> }>
    >;
  };
  const found = Object.entries(tables).flatMap(([table, { columns }]) =>
    Object.entries(columns).map(([column, { type }]): SchemaColumn => {
      const { key, value, max = 1 } = typeof type === 'string' ? { key: type } : type;
      return {
        table,
        column,
        key: atomOf(key),
        ...(value === undefined ? {} : { value: atomOf(value) }),
        most: max === 'unlimited' ? Infinity : max,
      };
    }),
  );
  assert(found.length > 0, 'a schema has columns');
  return found;
}

function atomOf(written: WrittenAtom): AtomType {
  if (typeof written === 'string') return { type: written };
  const { type, enum: words, minInteger, maxInteger, refTable } = written;
  return {
    type,
    ...(words === undefined ? {} : { words: words[1] as readonly string[] }),
    ...(minInteger === undefined ? {} : { least: minInteger }),
    ...(maxInteger === undefined ? {} : { most: maxInteger }),
    ...(refTable === undefined ? {} : { refTable }),
  };
}
