/**
 * A store: a folder of Parquet files, one a night, that nobody writes again. Stores of several
 * machines are merged by copying files. DuckDB reads them.
 */
import { InputError } from '../base/errors/errors.js';
import { columnTypes, type HistoryRow } from './history-row.js';
import { parquetFiles, readNightFiles, type NightFile } from './night-files.js';
import { connect, quoted, refuseBroken, tableOf } from './parquet.js';

export interface HistoryStore {
  readonly folder: string;
  /** Names of the nights that it has, in order of time. */
  readonly nights: readonly NightName[];
  /** Files that are not read, and those of which nobody knows that they are as written. */
  readonly notes: readonly string[];
  /** Rows for which a condition in SQL holds; `$1` and so on stand for `values`. */
  readonly rows: (where: string, values?: readonly string[]) => Promise<readonly HistoryRow[]>;
  /** Of two sides, the rows that the other does not have just so. */
  readonly differing: (
    before: Side,
    now: Side,
  ) => Promise<readonly [before: readonly HistoryRow[], now: readonly HistoryRow[]]>;
  /** Anything else that is asked: a query on the view `history`. */
  readonly query: (
    sql: string,
    values?: readonly string[],
  ) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly close: () => void;
}

/** What is compared: a night, or parts of it; then rows are the same whatever their image. */
export interface Side {
  readonly night: string;
  readonly parts?: readonly NightPart[];
}

/** Rows that have these. */
export type NightPart = Readonly<Partial<Record<'backend' | 'image' | 'machine', string>>>;

export interface NightName {
  readonly night: string;
  readonly at: string;
}

/** @throws InputError where there is no store, Unavailable naming a file that cannot be read. */
export async function openStore(folder: string): Promise<HistoryStore> {
  const files = await parquetFiles(folder);
  if (files.length === 0)
    throw new InputError(
      `there is no history in ${folder}: a night writes it, as ./flowbed nightly does`,
    );
  const connection = await connect();
  const orBroken = async <T>(work: Promise<T>): Promise<T> =>
    await work.catch((error: unknown) => refuseBroken(connection, files, error));
  const { nightFiles, notes } = withoutCopies(await orBroken(readNightFiles(connection, files)));
  const read = tableOf([...new Set(nightFiles.map(({ file }) => file))]);
  await orBroken(connection.run(`CREATE VIEW history AS SELECT * FROM ${read}`));
  const query: HistoryStore['query'] = async (sql, values = []) =>
    (await orBroken(connection.runAndReadAll(sql, [...values]))).getRowObjectsJson();
  const filesOf = (night: string) =>
    nightFiles.filter((one) => one.night === night).map(({ file }) => file);
  return {
    folder,
    query,
    differing: async (before, now) => {
      const rows = await query(
        differingSql(
          { table: tableOf(filesOf(before.night)), side: before },
          { table: tableOf(filesOf(now.night)), side: now },
        ),
      );
      const of = (side: string) => rows.filter((row) => row['side'] === side).map(parsedRow);
      return [of('before'), of('now')];
    },
    rows: async (where, values) =>
      (await query(`SELECT ${selected} FROM history WHERE ${where}`, values)).map(parsedRow),
    nights: namesIn(nightFiles),
    notes,
    close: () => {
      connection.closeSync();
    },
  };
}

/** A file is known by its content: whatever it is called, it counts once. */
function withoutCopies(files: readonly NightFile[]): {
  readonly nightFiles: readonly NightFile[];
  readonly notes: readonly string[];
} {
  const first = new Map<string, string>();
  for (const { digest, file } of files) if (!first.has(digest)) first.set(digest, file);
  const isCopy = ({ digest, file }: NightFile) => first.get(digest) !== file;
  const unsealed = new Set(
    files.filter((one) => !one.isSealed && !isCopy(one)).map((one) => one.file),
  );
  const [unsealedFirst] = unsealed;
  return {
    nightFiles: files.filter((one) => !isCopy(one)),
    notes: [
      ...new Set(
        files
          .filter(isCopy)
          .map(({ file, digest }) => `${file} is a copy of ${first.get(digest)}: it counts once`),
      ),
      ...(unsealedFirst === undefined
        ? []
        : [
            `${unsealedFirst}${unsealed.size > 1 ? ` and ${unsealed.size - 1} more` : ''}: no digest ` +
              'says whether this is as it was written; another version or program wrote it',
          ]),
    ],
  };
}

/** A night whose shards are files of their own began with the first of them. */
function namesIn(files: readonly NightName[]): readonly NightName[] {
  const names = new Map<string, NightName>();
  for (const { night, at } of files) if (!names.has(night)) names.set(night, { night, at });
  return [...names.values()];
}

/** A row as JSON text: maps as objects, times as they were written. */
const selected = `json_object(${Object.entries(columnTypes)
  .map(([column, type]) => {
    if (type === 'TIMESTAMP') return `'${column}', strftime("${column}", '%Y-%m-%dT%H:%M:%SZ')`;
    return `'${column}', "${column}"`;
  })
  .join(', ')}) AS row`;

function parsedRow(row: Readonly<Record<string, unknown>>): HistoryRow {
  return JSON.parse(String(row['row'])) as HistoryRow;
}

interface TableSide {
  readonly table: string;
  readonly side: Side;
}

/** Millions of rows are compared where they are: those that differ are few. */
function differingSql(before: TableSide, now: TableSide): string {
  const isPart = before.side.parts !== undefined;
  const keys = ['level', 'scenario', 'axes', 'backend', ...(isPart ? [] : ['image']), 'seed'];
  const key = `hash(${keys.join(', ')}, vector)`;
  const isChanged = ` AND ${key} IN (SELECT k FROM changed)`;
  const order = 'level, vector, scenario, axes, image';
  const compared = 'hash(verdict, trace, counters, work, converged_us)';
  const of = (name: string, { table, side }: TableSide, columns: string, more = '') =>
    `SELECT '${name}' AS side, ${columns} FROM ${table} WHERE ${conditionOf(side)}${more}`;
  const both = (columns: string, more = '') =>
    `${of('before', before, columns, more)} UNION ALL ${of('now', now, columns, more)}`;
  return `WITH both_sides AS (${both(`${key} AS k, ${compared} AS d`)}),
    changed AS (SELECT k FROM both_sides GROUP BY k
      HAVING count(DISTINCT side) < 2 OR min(d) <> max(d))
    SELECT side, row FROM (${both(`${order}, ${selected}`, isChanged)})
      ORDER BY ${order}`;
}

function conditionOf({ night, parts }: Side): string {
  const isNight = `night = '${quoted(night)}'`;
  if (parts === undefined) return isNight;
  const ofPart = (part: NightPart) =>
    Object.entries(part)
      .map(([column, value]) => `${column} = '${quoted(value)}'`)
      .join(' AND ');
  return `${isNight} AND (${parts.map((part) => `(${ofPart(part)})`).join(' OR ') || 'false'})`;
}
