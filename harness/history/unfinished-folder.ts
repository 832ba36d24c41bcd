/**
 * Folders of a store that are on the way, or go: nobody reads them, and killed writers leave them.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { answerableOwner, isAlive } from '../ovs/process/owner.js';
import { removeUnfinished, unfinishedPrefix } from '../ovs/workspace/unfinished.js';

/** An empty one of this process. What dead processes left of theirs is removed. */
export async function unfinishedFolder(store: string): Promise<string> {
  const owner = await answerableOwner();
  await removeUnfinished(store, async (left) => !(await isAlive(left)));
  return await mkdtemp(join(store, unfinishedPrefix(owner)));
}
