import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, removeUnfinished } from '../../images/cache.js';
import { InputError } from '../base/errors.js';
import { findLeftovers, removeLeftover } from '../ovs/leftovers.js';
import { isRunning } from '../ovs/owner.js';
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
  for (const folder of await removeUnfinished(cacheFolder())) removed.push(`the half-made image ${folder}`);
  for (const folder of await removeUnfinishedRuns(join(root, 'runs'))) removed.push(`the half-written run ${folder}`);
  if (olderThan !== undefined) for (const number of await removeOldRuns(root, Number(olderThan) * dayMs, Date.now())) removed.push(`run ${number}`);
  for (const what of removed) print(`removed ${what}`);
  if (removed.length === 0) print('nothing was left behind');
  return 0;
}

/** Run folders that a process of that number was writing, which is no more. */
async function removeUnfinishedRuns(runs: string): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const name of await readdir(runs).catch(() => [])) {
    const [, pid] = /^\.unfinished-(\d+)$/.exec(name) ?? [];
    if (pid === undefined || (await isRunning(Number(pid)))) continue;
    await rm(join(runs, name), { recursive: true, force: true });
    removed.push(join(runs, name));
  }
  return removed;
}
