import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Unavailable } from '../harness/base/errors.js';
import { answerableOwner, isAlive } from '../harness/ovs/owner.js';
import { removeUnfinished, unfinishedPrefix } from '../harness/ovs/unfinished.js';

/** Where images are kept: `$FLOWBED_CACHE`, else `$XDG_CACHE_HOME/flowbed`, else `~/.cache/flowbed`. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment['FLOWBED_CACHE']) return environment['FLOWBED_CACHE'];
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'flowbed');
}

/**
 * The folder `cache/key`; if it is not there, `make` fills a temporary sibling that is then renamed, so that a folder with this
 * name is always whole. Of two makers at once the slower uses the faster one's. What dead makers left is removed.
 * @throws Unavailable when the cache cannot be written to, and what `make` throws.
 */
export async function cached(cache: string, key: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cache, key);
  if (await exists(folder)) return folder;
  const unfinished = await makeUnfinished(cache, key);
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

async function makeUnfinished(cache: string, key: string): Promise<string> {
  const owner = await answerableOwner();
  try {
    await makeFolder(cache);
    await removeUnfinished(cache, async (maker) => !(await isAlive(maker)));
    const folder = await mkdtemp(join(cache, `${key}${unfinishedPrefix(owner)}`));
    await chmod(folder, 0o755);
    return folder;
  } catch (error) {
    throw unwritable(cache, error);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}

function unwritable(cache: string, error: unknown): Unavailable {
  return new Unavailable(`cannot keep images in ${cache}: ${error instanceof Error ? error.message : String(error)}`, [
    'name a folder that you can write to, with 500 MB of room: FLOWBED_CACHE=/path/to/folder',
    'or use the Open vSwitch of this machine: --image system',
  ]);
}

/** The folder and those above it. Not mkdir's own recursion: it never ends where the system refuses with ENOENT, as below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await exists(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await mkdir(folder).catch(async (error: unknown) => {
    if (!(await exists(folder))) throw error;
  });
}
