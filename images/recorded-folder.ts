/** Folders of the cache whose files are written down when they are made, and read when used. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { within } from '../harness/base/files/path-part.js';
import { Unavailable } from '../harness/base/errors/errors.js';
import { shellLine } from '../harness/base/text/shell-line.js';
import { cached } from './cache.js';
import { changesOf, contents, readContents } from './contents.js';

const recordFile = 'contents.json';

/**
 * As `cached`, and every file is read again and compared with what was made.
 * @throws Unavailable that names the first file that is not as it was made.
 */
export async function cachedAndRecorded(
  cache: string,
  key: string,
  make: (folder: string) => Promise<void>,
  bytesNeeded?: number,
): Promise<string> {
  const makeAndRecord = async (folder: string) => {
    await make(folder);
    await recordContents(folder);
  };
  const folder = await cached(cache, key, makeAndRecord, bytesNeeded);
  await assertAsMade(folder);
  return folder;
}

/** The same folder where it was made already; undefined where it was not. @throws as it. */
export async function recordedFolder(cache: string, key: string): Promise<string | undefined> {
  const folder = within(cache, key);
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  await assertAsMade(folder);
  return folder;
}

async function recordContents(folder: string): Promise<void> {
  const made = await readContents(folder, await partsOf(folder));
  await writeFile(within(folder, recordFile), `${JSON.stringify(made, null, 1)}\n`);
}

async function assertAsMade(folder: string): Promise<void> {
  const text = await readFile(within(folder, recordFile), 'utf8').catch(() => '');
  const made = contents.safeParse(jsonIn(text));
  if (!made.success) throw changed(folder, `has no ${recordFile} that can be read`);
  const [change] = await changesOf(folder, await partsOf(folder), made.data, 'wholly');
  if (change !== undefined)
    throw changed(folder, `is not as it was made: ${change.path} ${change.what}`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function partsOf(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name !== recordFile);
}

function changed(folder: string, what: string): Unavailable {
  return new Unavailable(`${folder} ${what}`, [
    `remove it, it is made again: ${shellLine(['rm', '-r', folder])}`,
  ]);
}
