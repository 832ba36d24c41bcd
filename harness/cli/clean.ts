import { cacheFolder, removeUnfinished } from '../../images/cache.js';
import { findLeftovers, removeLeftover } from '../ovs/leftovers.js';

/**
 * Removes what this user's dead runs left behind: daemons, their folders, half-made images. Never touches a live run.
 * @returns the exit code, always 0.
 */
export async function clean(print: (line: string) => void): Promise<number> {
  const leftovers = await findLeftovers();
  for (const leftover of leftovers) {
    await removeLeftover(leftover);
    print(`removed ${leftover.dir}${leftover.processes.length === 0 ? '' : `, killed its processes ${leftover.processes.join(', ')}`}`);
  }
  const unfinished = await removeUnfinished(cacheFolder());
  for (const folder of unfinished) print(`removed the half-made image ${folder}`);
  if (leftovers.length + unfinished.length === 0) print('nothing was left behind');
  return 0;
}
