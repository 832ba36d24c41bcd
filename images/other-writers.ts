/** Who could have changed what is in the cache: only this user and root may. */
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';

/** Of the environment: set to `yes` by who knows those that can write to the cache. */
export const trustVariable = 'FLOWBED_TRUST_CACHE';

/**
 * @param paths below `folder`, with all folders on the way to them.
 * @throws Unavailable naming what another user can write to, unless the user has said that it may
 *   be.
 */
export async function refuseOtherWriters(folder: string, paths: readonly string[]): Promise<void> {
  if (process.env[trustVariable] === 'yes') return;
  for (const path of ['.', ...paths]) {
    const status = await lstat(join(folder, path)).catch(() => undefined);
    const why = status === undefined ? undefined : otherWriterOf(status, process.getuid?.() ?? 0);
    if (why === undefined) continue;
    throw new Unavailable(`the image cache is not used: ${join(folder, path)} ${why}`, [
      "make it this user's alone: chown and chmod go-w, or name another by FLOWBED_CACHE",
      `or, where all who can write to it are trusted: ${trustVariable}=yes`,
    ]);
  }
}

/** Why another than `uid` and root can write to it; undefined where none can. */
export function otherWriterOf(
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  me: number,
): string | undefined {
  if (uid !== 0 && uid !== me) return `is of user ${uid}`;
  const isLink = (mode & 0o170000) === 0o120000;
  return !isLink && (mode & 0o022) !== 0 ? 'can be written to by others' : undefined;
}
