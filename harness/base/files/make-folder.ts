import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The folder and those above it. Not mkdir's own recursion: it never ends where the system refuses
 * with ENOENT, as below /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isThere(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder));
  await mkdir(folder).catch(async (error: unknown) => {
    if (!(await isThere(folder))) throw error;
  });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
