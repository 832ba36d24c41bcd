import { columns, type ColumnMeaning } from './columns.js';
import type { Column } from './database.js';

/** What a row says that is refused, and what is to be noted of it. */
export interface ColumnComplaints {
  /** `other_config:forward-bpdu=true` */
  readonly refused: readonly string[];
  readonly notes: readonly string[];
}
/** @param row the columns of a row of `table`; `_uuid` and `_version` are of every table. */
export function complainAboutRow(
  table: string,
  row: ReadonlyMap<string, Column>,
): ColumnComplaints {
  const [refusedColumns, notes]: [string[], string[]] = [[], []];
  const judge = (name: string, meaning: ColumnMeaning, values: readonly string[]): void => {
    if (meaning.kind === 'read' || meaning.kind === 'irrelevant' || meaning.kind === 'keys') return;
    const set = values.filter(meaning.isSet);
    if (set.length === 0) return;
    const what = `${name}=${set.join(',')}`;
    if (meaning.kind === 'refused') refusedColumns.push(what);
    else notes.push(`${what}: ${meaning.note}`);
  };
  for (const [column, value] of row) {
    if (column.startsWith('_')) continue;
    const meaning = columns[table]?.[column];
    if (meaning === undefined) refusedColumns.push(`${column}, a column that is not known`);
    else if (meaning.kind === 'keys')
      for (const [key, text] of value instanceof Map
        ? (value as ReadonlyMap<string, string>)
        : []) {
        const ofKey = meaning.keys[key];
        if (ofKey !== undefined) judge(`${column}:${key}`, ofKey, [text]);
      }
    else judge(column, meaning, value instanceof Map ? [...value.values()] : (value as string[]));
  }
  return { refused: refusedColumns, notes };
}
