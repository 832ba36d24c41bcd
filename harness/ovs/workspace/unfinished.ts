/**
 * Folders that are filled beside their place and then renamed, so that none is ever half-written:
 * whose they are until then stands in their name.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatOwner, parseOwner, type Owner } from '../process/owner.js';

/**
 * What the name of such a folder holds, before six characters of its own and, maybe, behind the
 * name that it is to have.
 */
export function unfinishedPrefix(owner: Owner): string {
  return `.unfinished-${formatOwner(owner)}-`;
}

/** Such a folder, and who fills it or has left it so. */
export interface Unfinished {
  readonly folder: string;
  readonly owner: Owner;
}

/** Those in `folder`; none where it is missing. */
export async function findUnfinished(folder: string): Promise<readonly Unfinished[]> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => {
    const [, text = ''] = /\.unfinished-(.*)-\w{6}$/.exec(name) ?? [];
    const owner = parseOwner(text);
    return owner === undefined ? [] : [{ folder: join(folder, name), owner }];
  });
}

/** Removes those in `folder` whose owner left them so. @returns their paths. */
export async function removeUnfinished(
  folder: string,
  isLeftBy: (owner: Owner) => boolean | Promise<boolean>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const { folder: unfinished, owner } of await findUnfinished(folder)) {
    if (!(await isLeftBy(owner))) continue;
    await rm(unfinished, { recursive: true, force: true });
    removed.push(unfinished);
  }
  return removed;
}
