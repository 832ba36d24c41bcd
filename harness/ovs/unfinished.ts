/** Folders that are filled beside their place and then renamed, so that none is ever half-written: whose they are until then stands in their name. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatOwner, parseOwner, type Owner } from './owner.js';

/** What the name of such a folder holds, before six characters of its own and, maybe, behind the name that it is to have. */
export function unfinishedPrefix(owner: Owner): string {
  return `.unfinished-${formatOwner(owner)}-`;
}

/** Removes those in `folder` whose owner left them so. @returns their paths. */
export async function removeUnfinished(folder: string, isLeftBy: (owner: Owner) => boolean | Promise<boolean>): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [, text = ''] = /\.unfinished-(.*)-\w{6}$/.exec(name) ?? [];
    const owner = parseOwner(text);
    if (owner === undefined || !(await isLeftBy(owner))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    removed.push(join(folder, name));
  }
  return removed;
}
