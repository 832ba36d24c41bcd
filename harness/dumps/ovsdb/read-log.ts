/**
 * Database files: what ovsdb-server keeps (conf.db) and `ovsdb-client backup` writes (ovsdb(5),
 * "Standalone"; ovsdb(7)).
 */
import { InputError } from '../../base/errors/errors.js';
import type { TextSource } from '../text-source.js';
import { columnOfJson, type Column, type Database, type Row } from './database.js';

const header = /^OVSDB JSON (\d+) ([0-9a-f]{40})\n/;

/**
 * The schema is the first record; each other is a transaction: rows a table, of each row the
 * columns that changed, or null where it went.
 */
export function readLog({ text, file }: TextSource): Database {
  const [schema, ...transactions] = recordsOf(text, file);
  const isMany = manyOf(schema ?? {});
  const tables = new Map<string, Map<string, Row>>();
  for (const transaction of transactions) {
    const isDifference = transaction['_is_diff'] === true;
    for (const [table, rows] of Object.entries(transaction)) {
      if (table.startsWith('_') || typeof rows !== 'object' || rows === null) continue;
      const known = tables.get(table) ?? new Map<string, Row>();
      tables.set(table, known);
      for (const [uuid, changes] of Object.entries(rows as Readonly<Record<string, unknown>>)) {
        if (changes === null) known.delete(uuid);
        else
          known.set(
            uuid,
            changed(
              known.get(uuid) ?? new Map(),
              changes as Readonly<Record<string, unknown>>,
              file,
              (column) => isDifference && isMany(table, column),
            ),
          );
      }
    }
  }
  return { file, tables };
}

/** The documents of a file, each behind a line that gives its length in bytes. */
function recordsOf(text: string, file: string): readonly Readonly<Record<string, unknown>>[] {
  const bytes = Buffer.from(text);
  const records: Readonly<Record<string, unknown>>[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [line, length] = header.exec(bytes.subarray(at, at + 80).toString('latin1')) ?? [];
    const complaint = (message: string) => new InputError(`byte ${at}: ${message}`, { file });
    if (line === undefined)
      throw complaint(
        `expected "OVSDB JSON LENGTH SHA1", got "${
          bytes
            .subarray(at, at + 40)
            .toString()
            .split('\n')[0] ?? ''
        }"`,
      );
    const start = at + line.length;
    const end = start + Number(length);
    if (end > bytes.length)
      throw complaint(
        `a record of ${length} bytes, but the file ends after ${bytes.length - start}`,
      );
    try {
      records.push(
        JSON.parse(bytes.subarray(start, end).toString()) as Readonly<Record<string, unknown>>,
      );
    } catch (error) {
      throw complaint(
        `the record is not JSON: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    at = end;
  }
  return records;
}

/**
 * Whether a column can hold more than one value, by the schema: of these, transactions give the
 * difference where they say so.
 */
function manyOf(
  schema: Readonly<Record<string, unknown>>,
): (table: string, column: string) => boolean {
  type Typed = Readonly<
    Record<string, { readonly columns?: Readonly<Record<string, { readonly type?: unknown }>> }>
  >;
  const tables = (schema['tables'] ?? {}) as Typed;
  return (table, column) => {
    const type = tables[table]?.columns?.[column]?.type;
    const max = typeof type === 'object' && type !== null && 'max' in type ? type.max : 1;
    return max !== 1;
  };
}

function changed(
  before: Row,
  changes: Readonly<Record<string, unknown>>,
  file: string,
  isDifference: (column: string) => boolean,
): Row {
  const after = new Map(before);
  for (const [column, json] of Object.entries(changes)) {
    const value = columnOfJson(json, file);
    after.set(column, isDifference(column) ? applied(after.get(column), value) : value);
  }
  return after;
}

/**
 * A set's difference has the values that come and those that go; a map's the pairs that come or
 * have another value, and those that go as they were.
 */
function applied(before: Column | undefined, difference: Column): Column {
  if (difference instanceof Map) {
    const map = new Map(before instanceof Map ? before : []);
    for (const [key, value] of difference as ReadonlyMap<string, string>) {
      if (map.get(key) === value) map.delete(key);
      else map.set(key, value);
    }
    return map;
  }
  const set = before instanceof Map ? [] : ((before ?? []) as readonly string[]);
  const values = difference as readonly string[];
  return [
    ...set.filter((value) => !values.includes(value)),
    ...values.filter((value) => !set.includes(value)),
  ];
}
