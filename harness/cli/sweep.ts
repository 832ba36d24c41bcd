/** What the supervisor does when the work is over. */
import { join } from 'node:path';
import { cacheFolder } from '../../images/cache.js';
import { formatOwner, type Owner } from '../ovs/process/owner.js';
import { killSupervised } from '../ovs/process/supervisor.js';
import { removeUnfinished } from '../ovs/workspace/unfinished.js';
import { removeWorkspacesOf } from '../ovs/workspace/workspace.js';

/**
 * Ends what was started under `supervisor` and still runs, and removes its folders. Work that ended
 * by itself has done so already, but for that of its processes which were killed.
 * @param root where the project lies. @throws where something stays.
 */
export async function sweep(
  root: string,
  supervisor: Owner,
  workEnded: 'by itself' | 'by force',
): Promise<void> {
  if (workEnded === 'by itself' && (await removeOwnedBy(root, [supervisor])) === 0) return;
  await removeOwnedBy(root, [supervisor, ...(await killSupervised(supervisor))]);
}

/** Workspaces, half-written runs and half-made images. @returns how many. */
async function removeOwnedBy(root: string, owners: readonly Owner[]): Promise<number> {
  const names = owners.map(formatOwner);
  const isOwned = (owner: Owner) => names.includes(formatOwner(owner));
  const removed = await Promise.all([
    ...owners.map(removeWorkspacesOf),
    ...[cacheFolder(), join(root, 'runs')].map((folder) => removeUnfinished(folder, isOwned)),
  ]);
  return removed.flat().length;
}
