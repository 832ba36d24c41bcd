/** The tables of a database, whatever form they were written in (RFC 7047, section 5.1). */
import { InputError } from '../../base/errors/errors.js';

/**
 * A set, of one value for a column that is none; or a map. References are UUIDs, all other values
 * their text.
 */
export type Column = readonly string[] | ReadonlyMap<string, string>;
export type Row = ReadonlyMap<string, Column>;
/** Rows by UUID. */
export type Table = ReadonlyMap<string, Row>;

export interface Database {
  readonly file: string;
  readonly tables: ReadonlyMap<string, Table>;
}

export function rowsOf({ tables }: Database, table: string): Table {
  return tables.get(table) ?? new Map();
}

export function setOf(row: Row, column: string): readonly string[] {
  const found = row.get(column) ?? [];
  return found instanceof Map ? [] : (found as readonly string[]);
}

/** The only value of a column; undefined where it is empty. */
export function oneOf(row: Row, column: string): string | undefined {
  return setOf(row, column)[0];
}

export function mapOf(row: Row, column: string): ReadonlyMap<string, string> {
  const found = row.get(column);
  return found instanceof Map ? found : new Map<string, string>();
}

/**
 * A port's devices that the switch has made: one, but for bonds, and not always of the port's name.
 */
export function madeInterfaces(port: Row, interfaces: Table): readonly string[] {
  return setOf(port, 'interfaces').flatMap((id) => {
    const row = interfaces.get(id) ?? new Map();
    return isMade(row) ? (oneOf(row, 'name') ?? []) : [];
  });
}

/** Without a number the switch has not made it. */
export function isMade(row: Row): boolean {
  return Number(oneOf(row, 'ofport') ?? oneOf(row, 'ofport_request') ?? -1) >= 1;
}

/** A value as JSON has it. @throws InputError for what is none. */
export function columnOfJson(value: unknown, file: string): Column {
  if (!Array.isArray(value)) return [atomOfJson(value, file)];
  const [tag, content] = value as readonly unknown[];
  if (tag === 'uuid' && typeof content === 'string') return [content];
  if (tag === 'set' && Array.isArray(content)) return content.map((atom) => atomOfJson(atom, file));
  if (tag === 'map' && Array.isArray(content))
    return new Map(content.map((pair) => pairOfJson(pair, file)));
  throw notAValue(value, file);
}

function pairOfJson(pair: unknown, file: string): readonly [string, string] {
  if (!Array.isArray(pair) || pair.length !== 2) throw notAValue(pair, file);
  return [atomOfJson(pair[0], file), atomOfJson(pair[1], file)];
}

function atomOfJson(value: unknown, file: string): string {
  if (Array.isArray(value) && value[0] === 'uuid' && typeof value[1] === 'string') return value[1];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw notAValue(value, file);
  return String(value);
}

function notAValue(value: unknown, file: string): InputError {
  return new InputError(
    'expected a value as OVSDB writes it, such as ["set",[]], got ' +
      (JSON.stringify(value)?.slice(0, 60) ?? 'nothing'),
    { file },
  );
}
