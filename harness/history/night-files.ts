/** The files of a store, and what each says of itself. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { InputError, type Unavailable } from '../base/errors/errors.js';
import { within } from '../base/files/path-part.js';
import { historyFormat } from './history-row.js';
import { digestOfFile } from './night-digest.js';
import { brokenFile, listOf, tableOf } from './parquet.js';

export interface NightFile {
  readonly file: string;
  /** Its digest, and whether it says so itself: of one that does not, nothing is known. */
  readonly digest: string;
  readonly isSealed: boolean;
  readonly night: string;
  readonly at: string;
}

/** The folder of a store that holds a file a night. */
export function nightsFolder(folder: string): string {
  return join(folder, 'nights');
}

export function fileOfNight(folder: string, night: string): string {
  return within(nightsFolder(folder), night, '.parquet');
}

export async function hasNight(folder: string, night: string): Promise<boolean> {
  return (await parquetFiles(folder)).includes(fileOfNight(folder, night));
}

export async function parquetFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(nightsFolder(folder)).catch(() => []);
  return names
    .filter((name) => name.endsWith('.parquet'))
    .sort()
    .map((name) => join(nightsFolder(folder), name));
}

/**
 * What is in each file, in order of time: as the file says of itself, or, of one that somebody else
 * wrote, as its rows do. @throws InputError for one of another version, Unavailable for one that is
 *   not as it was written.
 */
export async function readNightFiles(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<readonly NightFile[]> {
  const said = await keysOf(connection, files);
  const found: NightFile[] = [];
  for (const file of files) {
    const { format, night, at, sha256, ...others } = said.get(file) ?? {};
    const digest = await digestOfFile(file, sha256);
    const content = { digest, isSealed: sha256 !== undefined };
    if (format === undefined || night === undefined || at === undefined) {
      if (content.isSealed) throw notAsWritten(file);
      const nights = await nightsInRows(connection, file);
      found.push(...nights.map((one) => ({ ...one, ...content })));
      continue;
    }
    if ((content.isSealed && sha256 !== digest) || Object.keys(others).length > 0)
      throw notAsWritten(file);
    refuseOther(file, format);
    found.push({ file, night, at, ...content });
  }
  return found.toSorted((a, b) => compare(a.at, b.at) || compare(a.night, b.night));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function keysOf(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const reader = await connection.runAndReadAll(
    "SELECT file_name AS file, decode(key, 'replace') AS key, decode(value, 'replace') AS value " +
      `FROM parquet_kv_metadata(${listOf(files)})`,
  );
  const found = new Map<string, Record<string, string>>();
  for (const row of reader.getRowObjectsJson()) {
    const file = textOf(row['file']);
    found.set(file, { ...found.get(file), [textOf(row['key'])]: textOf(row['value']) });
  }
  return found;
}

async function nightsInRows(
  connection: DuckDBConnection,
  file: string,
): Promise<readonly Pick<NightFile, 'file' | 'night' | 'at'>[]> {
  const table = tableOf([file]);
  const columns = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${table}`);
  if (!columns.getRowObjectsJson().some((row) => row['column_name'] === 'format'))
    throw notHistory(file, 'no column format');
  const reader = await connection.runAndReadAll(
    `SELECT format, night, strftime(min("at"), '%Y-%m-%dT%H:%M:%SZ') AS began FROM ${table} ` +
      'GROUP BY format, night ORDER BY night, format',
  );
  return reader.getRowObjectsJson().map((row) => {
    refuseOther(file, textOf(row['format']));
    return { file, night: textOf(row['night']), at: textOf(row['began']) };
  });
}

function notAsWritten(file: string): Unavailable {
  return brokenFile(`${file} is not as it was written: its digest is another`, file);
}

/** Of a column that holds text. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : 'none';
}

function refuseOther(file: string, format: string): void {
  if (format !== historyFormat) throw notHistory(file, `format ${format}`);
}

function notHistory(file: string, found: string): InputError {
  return new InputError(
    `${file} has ${found}: this version of flowbed reads ${historyFormat}; read it with the ` +
      'version that wrote it, or move it out of the store',
  );
}
