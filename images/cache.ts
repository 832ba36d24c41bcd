import { chmod, mkdtemp, rename, rm, stat, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';
import { makeFolder } from '../harness/base/files/make-folder.js';
import { answerableOwner, isAlive } from '../harness/ovs/process/owner.js';
import { removeUnfinished, unfinishedPrefix } from '../harness/ovs/workspace/unfinished.js';

/**
 * Bytes that making an image takes, at most: Debian's lists of packages, the packages, and what is
 * in them.
 */
export const bytesForImage = 500 * 2 ** 20;

/**
 * Where images are kept: `$FLOWBED_CACHE`, else `$XDG_CACHE_HOME/flowbed`, else `~/.cache/flowbed`.
 */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment['FLOWBED_CACHE']) return environment['FLOWBED_CACHE'];
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'flowbed');
}

/**
 * The folder `cache/key`; if it is not there, `make` fills a temporary sibling that is then
 * renamed, so that a folder with this name is always whole. Of two makers at once the slower uses
 * the faster one's. What dead makers left is removed.
 * @throws Unavailable when the cache cannot be written to, and what `make` throws.
 */
export async function cached(
  cache: string,
  key: string,
  make: (folder: string) => Promise<void>,
  bytesNeeded = bytesForImage,
): Promise<string> {
  const folder = join(cache, key);
  if (await exists(folder)) return folder;
  const unfinished = await createUnfinishedFolder(cache, key, bytesNeeded);
  try {
    await make(unfinished);
    await rename(unfinished, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw unwritable(cache, error);
    });
    return folder;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function createUnfinishedFolder(
  cache: string,
  key: string,
  bytesNeeded: number,
): Promise<string> {
  const owner = await answerableOwner();
  // Nobody else may write to what is made, whatever the umask: it would not be used.
  process.umask(process.umask(0o022) | 0o022);
  try {
    await makeFolder(cache);
    await removeUnfinished(cache, async (maker) => !(await isAlive(maker)));
    await requireFreeSpace(cache, bytesNeeded);
    const folder = await mkdtemp(join(cache, `${key}${unfinishedPrefix(owner)}`));
    await chmod(folder, 0o755);
    return folder;
  } catch (error) {
    throw unwritable(cache, error);
  }
}

/** apt tries for minutes where there is none. */
async function requireFreeSpace(cache: string, bytesNeeded: number): Promise<void> {
  const { bavail, bsize } = await statfs(cache);
  if (bavail * bsize < bytesNeeded)
    throw new Error(
      `there are ${Math.floor((bavail * bsize) / 2 ** 20)} MB of room, and making one takes ` +
        `${bytesNeeded / 2 ** 20} MB`,
    );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function unwritable(cache: string, error: unknown): Unavailable {
  return new Unavailable(
    `cannot keep images in ${cache}: ${error instanceof Error ? error.message : String(error)}`,
    [
      'name a folder that you can write to, with 500 MB of room: FLOWBED_CACHE=/path/to/folder',
      'or use the Open vSwitch of this machine: --image system',
    ],
  );
}
