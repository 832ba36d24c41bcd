/**
 * A store: a folder of Parquet files, one a night, that nobody writes again. Stores of several
 * machines are merged by copying files. DuckDB reads them.
 */
import { mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { InputError, Unavailable } from '../base/errors/errors.js';
import { remediesFor } from '../base/errors/machine-refusal.js';
import { makeFolder } from '../base/files/make-folder.js';
import { within } from '../base/files/path-part.js';
import { columnTypes, historyFormat, type HistoryRow } from './history-row.js';

export interface HistoryStore {
  readonly folder: string;
  /** Names of the nights that it has, in order of time. */
  readonly nights: () => Promise<readonly NightName[]>;
  /** Rows for which a condition in SQL holds; `$1` and so on stand for `values`. */
  readonly rows: (where: string, values?: readonly string[]) => Promise<readonly HistoryRow[]>;
  /** Of two nights, the rows that the other does not have just so. */
  readonly differing: (
    before: string,
    now: string,
  ) => Promise<readonly [before: readonly HistoryRow[], now: readonly HistoryRow[]]>;
  /** Anything else that is asked: a query on the view `history`. */
  readonly query: (
    sql: string,
    values?: readonly string[],
  ) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly close: () => void;
}

export interface NightName {
  readonly night: string;
  readonly at: string;
}

/** The folder of a store that holds a file a night. */
export function nightsFolder(folder: string): string {
  return join(folder, 'nights');
}

function fileOfNight(folder: string, night: string): string {
  return within(nightsFolder(folder), night, '.parquet');
}

export async function hasNight(folder: string, night: string): Promise<boolean> {
  return (await parquetFiles(folder)).includes(fileOfNight(folder, night));
}

async function connect(): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  // Nothing is fetched: what it needs is built in.
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  return await instance.connect();
}

/** @throws InputError where there is no store, Unavailable naming a file that cannot be read. */
export async function openStore(folder: string): Promise<HistoryStore> {
  const files = await parquetFiles(folder);
  if (files.length === 0)
    throw new InputError(
      `there is no history in ${folder}: a night writes it, as ./flowbed nightly does`,
    );
  const connection = await connect();
  const listed = files.map((file) => `'${quoted(file)}'`).join(', ');
  const rows = `read_parquet([${listed}], union_by_name = true)`;
  const view = `CREATE VIEW history AS SELECT * FROM ${rows}`;
  await connection.run(view).catch((error: unknown) => refuseBroken(connection, files, error));
  await refuseOtherVersions(connection, files);
  const query: HistoryStore['query'] = async (sql, values = []) => {
    const reader = await connection
      .runAndReadAll(sql, [...values])
      .catch((error: unknown) => refuseBroken(connection, files, error));
    return reader.getRowObjectsJson();
  };
  return {
    folder,
    query,
    differing: async (before, now) => {
      const only = async (night: string, other: string) =>
        (await query(differingSql, [night, other])).map(
          (row) => JSON.parse(String(row['row'])) as HistoryRow,
        );
      return [await only(before, now), await only(now, before)];
    },
    rows: async (where, values) =>
      (await query(`SELECT ${selected} FROM history WHERE ${where}`, values)).map(
        (row) => JSON.parse(String(row['row'])) as HistoryRow,
      ),
    nights: async () =>
      (
        await query(
          `SELECT night, strftime(min("at"), '%Y-%m-%dT%H:%M:%SZ') AS began FROM history ` +
            'GROUP BY night ORDER BY min("at"), night',
        )
      ).map(({ night, began }) => ({ night: String(night), at: String(began) })),
    close: () => {
      connection.closeSync();
    },
  };
}

/** A row as JSON text: maps as objects, times as they were written. */
const selected = `json_object(${Object.entries(columnTypes)
  .map(([column, type]) => {
    if (type === 'TIMESTAMP') return `'${column}', strftime("${column}", '%Y-%m-%dT%H:%M:%SZ')`;
    return `'${column}', "${column}"`;
  })
  .join(', ')}) AS row`;

const compared = 'hash(verdict, trace, counters, work, converged_us)';
const keys = 'level, scenario, axes, backend, image, seed, vector, digest';
/** Millions of rows are compared where they are: those that differ are few. */
const differingSql = `SELECT ${selected} FROM
  (SELECT *, ${compared} AS digest FROM history WHERE night = $1) ANTI JOIN
  (SELECT ${keys} FROM (SELECT *, ${compared} AS digest FROM history WHERE night = $2))
  USING (${keys})`;

async function parquetFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(nightsFolder(folder)).catch(() => []);
  return names
    .filter((name) => name.endsWith('.parquet'))
    .sort()
    .map((name) => join(nightsFolder(folder), name));
}

/** Finds the file that cannot be read: a query over all of them does not say it. */
async function refuseBroken(
  connection: DuckDBConnection,
  files: readonly string[],
  error: unknown,
): Promise<never> {
  for (const file of files) {
    const failed = await connection
      .run(`SELECT count(*) FROM read_parquet('${quoted(file)}')`)
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    if (failed !== undefined)
      throw new Unavailable(
        `${file} cannot be read as Parquet`,
        [
          `move it out of the store, the other nights stay: mv ${file} ${file}.broken`,
          'or copy it again from the machine that wrote it',
        ],
        [messageOf(failed).split('\n')[0] ?? ''],
      );
  }
  throw error;
}

async function refuseOtherVersions(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<void> {
  const columns = await connection.runAndReadAll('DESCRIBE history');
  const has = columns.getRowObjectsJson().some((row) => row['column_name'] === 'format');
  for (const file of has ? [] : files.slice(0, 1)) throw notHistory(file, 'no column format');
  const others = await connection.runAndReadAll(
    `SELECT DISTINCT format, night FROM history WHERE format IS DISTINCT FROM '${historyFormat}'`,
  );
  const [first] = others.getRowObjectsJson();
  if (first !== undefined)
    throw notHistory(`night ${textOf(first['night'])}`, `format ${textOf(first['format'])}`);
}

/** Of a column that holds text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : 'none';
}

function notHistory(what: string, found: string): InputError {
  return new InputError(
    `${what} has ${found}: this version of flowbed reads ${historyFormat}; read it with the ` +
      'version that wrote it, or move it out of the store',
  );
}

/**
 * Rows of one vector lie together, so that most groups of rows are not read when it is asked for.
 */
export const nightOrder = 'ORDER BY level, vector, scenario, axes, image';
export const nightFormat = 'FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 8192';

/**
 * Writes the rows of a night into its file, beside its place first. @throws Unavailable where it
 * cannot be written; then there is no such file.
 */
export async function writeNight(
  folder: string,
  night: string,
  rows: readonly HistoryRow[],
): Promise<string> {
  await makeFolder(nightsFolder(folder));
  const scratch = await mkdtemp(join(folder, '.writing-'));
  const target = fileOfNight(folder, night);
  const connection = await connect();
  try {
    const [text, parquet] = [join(scratch, 'rows.json'), join(scratch, 'rows.parquet')];
    await writeFile(text, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const columns = Object.entries(columnTypes)
      .map(([column, type]) => `"${column}": '${type}'`)
      .join(', ');
    await connection
      .run(
        `COPY (SELECT * FROM read_json('${quoted(text)}', format = 'newline_delimited', ` +
          `columns = {${columns}}, maximum_object_size = 268435456) ` +
          `${nightOrder}) TO '${quoted(parquet)}' (${nightFormat})`,
      )
      .catch((error: unknown) => {
        const message = messageOf(error);
        throw new Unavailable(`night ${night} cannot be written: ${message}`, remediesFor(message));
      });
    const written = await open(parquet, 'r');
    await written.sync().finally(() => written.close());
    await rename(parquet, target);
    return target;
  } finally {
    connection.closeSync();
    await rm(scratch, { recursive: true, force: true }).catch(() => undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For a literal in SQL. */
function quoted(text: string): string {
  return text.replaceAll("'", "''");
}
