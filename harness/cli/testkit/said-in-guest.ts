/** A program of this folder in a guest of its own. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../../images/cache.js';
import { trustVariable } from '../../../images/other-writers.js';
import { seedVariable } from '../../../images/uml/fixed-random.js';
import { openKernel } from '../../../images/uml/kernel.js';
import { worldVariable } from '../../base/world.js';
import { runInGuest } from '../../worlds/uml/run-in-guest.js';

export const project = fileURLToPath(new URL('../../../../', import.meta.url));

/** @param dir an empty folder. @returns what `testkit/PROGRAM.js` has said, line by line. */
export async function saidInGuest(
  dir: string,
  program: string,
  ...args: readonly string[]
): Promise<readonly string[]> {
  const folder = join(dir, 'guest');
  await mkdir(folder);
  const kernel = await openKernel();
  const said: string[] = [];
  const path = fileURLToPath(new URL(program, import.meta.url));
  await runInGuest(
    {
      command: [process.execPath, '--single-threaded', path, ...args],
      cwd: project,
      variables: {
        PATH: `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${kernel.programs}`,
        LC_ALL: 'C.UTF-8',
        [worldVariable]: 'uml',
        FLOWBED_CACHE: cacheFolder(),
        [trustVariable]: 'yes',
      },
      needed: [project, cacheFolder()],
      shared: [],
    },
    {
      kernel: { ...kernel, seedVariable },
      seed: 1,
      folder,
      onLine: (line) => void said.push(line),
      silenceLimitMs: 300_000,
    },
  );
  return said;
}
