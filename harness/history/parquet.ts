/** DuckDB on Parquet files. Only what reads or writes a store loads it: it costs 0.2 s. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { Unavailable } from '../base/errors/errors.js';

export async function connect(): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  // Nothing is fetched: what it needs is built in.
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  return await instance.connect();
}

/** `read_parquet(…)` of files, as a table in SQL. */
export function tableOf(files: readonly string[]): string {
  return `read_parquet(${listOf(files)}, union_by_name = true)`;
}

/** For a literal list of files in SQL. */
export function listOf(files: readonly string[]): string {
  return `[${files.map((file) => `'${quoted(file)}'`).join(', ')}]`;
}

/**
 * Finds the file that cannot be read: a query over all of them does not say it. All of each is
 * read, as a file may be whole at its end alone.
 */
export async function refuseBroken(
  connection: DuckDBConnection,
  files: readonly string[],
  error: unknown,
): Promise<never> {
  if (error instanceof Unavailable) throw error;
  for (const file of files) {
    const failed = await connection
      .run(`SELECT max(hash(one)) FROM read_parquet('${quoted(file)}') one`)
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    if (failed !== undefined)
      throw brokenFile(`${file} cannot be read as Parquet`, file, [
        messageOf(failed).split('\n')[0] ?? '',
      ]);
  }
  throw error;
}

export function brokenFile(
  what: string,
  file: string,
  evidence: readonly string[] = [],
): Unavailable {
  const remedies = [
    `move it out of the store, the other nights stay: mv ${file} ${file}.broken`,
    'or copy it again from the machine that wrote it',
  ];
  return new Unavailable(what, remedies, evidence);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For a literal in SQL. */
export function quoted(text: string): string {
  return text.replaceAll("'", "''");
}
