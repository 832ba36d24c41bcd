/** Writes a night into a store: a Parquet file that nobody writes again. */
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../base/errors/errors.js';
import { remediesFor } from '../base/errors/machine-refusal.js';
import { makeFolder } from '../base/files/make-folder.js';
import { columnTypes, historyFormat, type HistoryRow } from './history-row.js';
import { fileOfNight, nightsFolder } from './night-files.js';
import { noDigest, sealFile } from './night-digest.js';
import { connect, messageOf, quoted } from './parquet.js';
import { unfinishedFolder } from './unfinished-folder.js';

/**
 * Rows of one vector lie together, so that most groups of rows are not read when it is asked for.
 */
export const nightOrder = 'ORDER BY level, vector, scenario, axes, image';
const nightFormat = 'FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 8192';

/**
 * The file says of itself what it holds, so that nobody reads its rows for that. Its digest comes
 * last (`sealFile`).
 */
export function formatOfNight({
  format,
  night,
  at,
}: Pick<HistoryRow, 'night' | 'at'> & { readonly format: string }): string {
  const pairs = Object.entries({ format, night, at, sha256: noDigest }).map(
    ([key, value]) => `'${key}': '${quoted(value)}'`,
  );
  return `${nightFormat}, KV_METADATA {${pairs.join(', ')}}`;
}

/**
 * Writes the rows of a night into its file, beside its place first. @throws Unavailable where it
 * cannot be written; then there is no such file.
 */
export async function writeNight(
  folder: string,
  night: string,
  rows: readonly HistoryRow[],
): Promise<string> {
  try {
    await makeFolder(nightsFolder(folder));
    const scratch = await unfinishedFolder(folder);
    const parquet = join(scratch, 'rows.parquet');
    try {
      await writeParquet(scratch, parquet, night, rows);
      await sealFile(parquet);
      const written = await open(parquet, 'r');
      await written.sync().finally(() => written.close());
      const target = fileOfNight(folder, night);
      await rename(parquet, target);
      return target;
    } finally {
      await rm(scratch, { recursive: true, force: true }).catch(() => undefined);
    }
  } catch (error) {
    const message = messageOf(error);
    throw new Unavailable(`night ${night} cannot be written: ${message}`, [
      ...remediesFor(message),
      'its points stay: ./flowbed nightly … --resume writes them',
    ]);
  }
}

async function writeParquet(
  scratch: string,
  parquet: string,
  night: string,
  rows: readonly HistoryRow[],
): Promise<void> {
  const text = join(scratch, 'rows.json');
  await writeFile(text, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const columns = Object.entries(columnTypes)
    .map(([column, type]) => `"${column}": '${type}'`)
    .join(', ');
  const [{ format = historyFormat, at = '' } = {}] = rows;
  const connection = await connect();
  try {
    await connection.run(
      `COPY (SELECT * FROM read_json('${quoted(text)}', format = 'newline_delimited', ` +
        `columns = {${columns}}, maximum_object_size = 268435456) ` +
        `${nightOrder}) TO '${quoted(parquet)}' (${formatOfNight({ format, night, at })})`,
    );
  } finally {
    connection.closeSync();
  }
}
