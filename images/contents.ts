/**
 * What of an image runs, file by file: written down when it is made, and held to when it is used.
 */
import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { mapConcurrently } from '../harness/base/concurrency/map-concurrently.js';
import { canonicalJson, sha256 } from '../harness/base/files/digest.js';

const file = z.strictObject({
  path: z.string().describe('from the root folder'),
  size: z.int(),
  mtimeMs: z.number(),
  mode: z.int(),
  sha256: z.string(),
});
const link = z.strictObject({ path: z.string(), target: z.string() });

export const contents = z.array(z.union([file, link]));

/** Files and symbolic links, in the order of their paths. */
export type Contents = z.infer<typeof contents>;
type Entry = Contents[number];

/** Something on disk that is not what the image was made of, in words that complete "…: it ". */
export interface Change {
  readonly path: string;
  readonly what: string;
}

/** So many files are in memory at once. */
const readAtOnce = 16;

/** All that lies in `parts` of `root`, which are folders, or files, or not there. */
export async function readContents(root: string, parts: readonly string[]): Promise<Contents> {
  const paths = (await Promise.all(parts.map((part) => pathsIn(root, part)))).flat().sort();
  const entries = await mapConcurrently(readAtOnce, paths, async (path): Promise<Entry> => {
    const status = await lstat(join(root, path));
    if (status.isSymbolicLink()) return { path, target: await readlink(join(root, path)) };
    const digest = sha256(await readFile(join(root, path)));
    return { path, ...fileStatus(status), sha256: digest };
  });
  return [...entries];
}

/**
 * A digest of what the files hold and where links lead, the same wherever and whenever it was made.
 */
export function digestOf(entries: Contents): string {
  const what = entries.map((entry) =>
    'target' in entry ? [entry.path, 'to', entry.target] : [entry.path, entry.sha256],
  );
  return sha256(canonicalJson(what));
}

/**
 * What in `root` is not as `entries` say. `quickly` goes by paths, sizes, modes and times of
 * change; `wholly` reads every file.
 */
export async function changesOf(
  root: string,
  parts: readonly string[],
  entries: Contents,
  how: 'quickly' | 'wholly',
): Promise<readonly Change[]> {
  const known = new Set(entries.map(({ path }) => path));
  const found = (await Promise.all(parts.map((part) => pathsIn(root, part)))).flat();
  const added = found.filter((path) => !known.has(path)).sort();
  const compare = (entry: Entry) => changeOf(root, entry, how);
  const others =
    how === 'quickly'
      ? await Promise.all(entries.map(compare))
      : await mapConcurrently(readAtOnce, entries, compare);
  return [
    ...added.map((path) => ({ path, what: 'was not there' })),
    ...others.filter((change) => change !== undefined),
  ];
}

async function changeOf(
  root: string,
  entry: Entry,
  how: 'quickly' | 'wholly',
): Promise<Change | undefined> {
  const { path } = entry;
  const status = await lstat(join(root, path)).catch(() => undefined);
  if (status === undefined) return { path, what: 'is missing' };
  if ('target' in entry) {
    const leads = status.isSymbolicLink() && (await readlink(join(root, path))) === entry.target;
    return leads ? undefined : { path, what: `was a link to ${entry.target}` };
  }
  if (!status.isFile()) return { path, what: 'was a file' };
  const { sha256: digest, path: _, ...written } = entry;
  const differs = Object.entries(fileStatus(status)).find(
    ([name, value]) => written[name as keyof typeof written] !== value,
  );
  if (differs !== undefined)
    return { path, what: `has another ${words[differs[0] as keyof typeof written]}` };
  if (how === 'quickly' || sha256(await readFile(join(root, path))) === digest) return undefined;
  return { path, what: 'holds other bytes' };
}

const words = { size: 'size', mtimeMs: 'time of change', mode: 'mode' } as const;

function fileStatus({ size, mtimeMs, mode }: Stats) {
  return { size, mtimeMs, mode: mode & 0o7777 };
}

/** Files and links at and below `part`, from `root`: devices, sockets and pipes hold no bytes. */
async function pathsIn(root: string, part: string): Promise<readonly string[]> {
  const status = await lstat(join(root, part)).catch(() => undefined);
  if (status === undefined) return [];
  if (status.isFile() || status.isSymbolicLink()) return [part];
  if (!status.isDirectory()) return [];
  const names = await readdir(join(root, part));
  return (await Promise.all(names.map((name) => pathsIn(root, `${part}/${name}`)))).flat();
}
