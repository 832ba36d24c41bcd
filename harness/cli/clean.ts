import { join } from 'node:path';
import { cacheFolder } from '../../images/cache.js';
import { InputError } from '../base/errors.js';
import { findLeftovers, removeLeftover } from '../ovs/leftovers.js';
import { isAlive, type Owner } from '../ovs/owner.js';
import { removeUnfinished } from '../ovs/unfinished.js';
import { removeOldRuns } from '../run/run-folder.js';
import type { Context } from './context.js';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Removes what this user's dead runs left behind: daemons, their folders, half-made images and run folders; with
 * `olderThan`, runs older than that many days as well. Never touches a live run.
 * @returns the exit code, always 0.
 */
export async function clean({ print, root }: Context, { olderThan }: { readonly olderThan?: string } = {}): Promise<number> {
  if (olderThan !== undefined && !/^\d+(\.\d+)?$/.test(olderThan)) throw new InputError(`--older-than: expected a number of days, got "${olderThan}"`);
  const removed: string[] = [];
  for (const leftover of await findLeftovers()) {
    await removeLeftover(leftover);
    removed.push(`${leftover.dir}${leftover.processes.length === 0 ? '' : `, killed its processes ${leftover.processes.join(', ')}`}`);
  }
  const isDead = async (owner: Owner) => !(await isAlive(owner));
  for (const folder of await removeUnfinished(cacheFolder(), isDead)) removed.push(`the half-made image ${folder}`);
  for (const folder of await removeUnfinished(join(root, 'runs'), isDead)) removed.push(`the half-written run ${folder}`);
  if (olderThan !== undefined) for (const number of await removeOldRuns(root, Number(olderThan) * dayMs, Date.now())) removed.push(`run ${number}`);
  for (const what of removed) print(`removed ${what}`);
  if (removed.length === 0) print('nothing was left behind');
  return 0;
}
