import { join } from 'node:path';
import { cacheFolder } from '../../images/cache.js';
import { InputError } from '../base/errors/errors.js';
import { findLeftovers, removeLeftover } from '../ovs/workspace/leftovers.js';
import { currentPlace, isAlive, type Owner } from '../ovs/process/owner.js';
import { findUnfinished, removeUnfinished } from '../ovs/workspace/unfinished.js';
import { cleanEngine } from './clean-engine.js';
import { removeOldRuns } from '../run/records/run-folder.js';
import type { Context } from './context.js';

const dayMs = 24 * 60 * 60 * 1000;

export interface CleanOptions {
  /** Days. */
  readonly olderThan?: string;
  readonly elsewhere?: boolean;
}

/**
 * Removes what this user's killed runs left: daemons, containers, their folders, half-made images
 * and run folders; with `olderThan`, runs older than that many days as well. Never touches a live
 * run. What is of another machine, of another start of this one, or of another namespace that
 * shares the folder, is named, and with `elsewhere` removed.
 * @returns the exit code, always 0.
 */
export async function clean(
  { print, root }: Context,
  { olderThan, elsewhere = false }: CleanOptions = {},
): Promise<number> {
  if (olderThan !== undefined && !/^\d+(\.\d+)?$/.test(olderThan))
    throw new InputError(`--older-than: expected a number of days, got "${olderThan}"`);
  // Before folders go: a lab is destroyed by its topology file, which lies in one of them.
  const removed: string[] = [...(await cleanEngine())];
  const foreign = await findLeftovers('elsewhere');
  for (const leftover of [...(await findLeftovers()), ...(elsewhere ? foreign : [])]) {
    await removeLeftover(leftover);
    removed.push(
      `${leftover.dir}${leftover.processes.length === 0 ? '' : `, killed its processes ${leftover.processes.join(', ')}`}`,
    );
  }
  const unfinished = [cacheFolder(), join(root, 'runs')];
  const isOver = async (owner: Owner) =>
    owner.place === currentPlace() ? !(await isAlive(owner)) : elsewhere;
  for (const folder of await removeUnfinished(cacheFolder(), isOver))
    removed.push(`the half-made image ${folder}`);
  for (const folder of await removeUnfinished(join(root, 'runs'), isOver))
    removed.push(`the half-written run ${folder}`);
  if (olderThan !== undefined)
    for (const number of await removeOldRuns(root, Number(olderThan) * dayMs, Date.now()))
      removed.push(`run ${number}`);
  for (const what of removed) print(`removed ${what}`);
  const halfMade = (await Promise.all(unfinished.map(findUnfinished))).flat();
  const foreignFolders = elsewhere
    ? []
    : [
        ...foreign.map(({ dir }) => dir),
        ...halfMade
          .filter(({ owner }) => owner.place !== currentPlace())
          .map(({ folder }) => folder),
      ];
  for (const dir of foreignFolders)
    print(
      `left ${dir}: a run on another machine, in a container, or before this machine was ` +
        'started again',
    );
  if (foreignFolders.length > 0)
    print('  - where none of them runs any more: ./flowbed clean --elsewhere');
  if (removed.length + foreignFolders.length === 0) print('nothing was left');
  return 0;
}
