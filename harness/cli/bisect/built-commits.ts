/**
 * Builds of Open vSwitch and OVN, kept by a commit's files and the command that builds. One tree of
 * sources is moved from commit to commit, so that make compiles what has changed alone.
 */
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cacheFolder, cached } from '../../../images/cache.js';
import { sha256 } from '../../base/files/digest.js';
import { makeFolder } from '../../base/files/make-folder.js';
import { within } from '../../base/files/path-part.js';
import { answerableOwner, formatOwner, isAlive, parseOwner } from '../../ovs/process/owner.js';
import type { Context } from '../context.js';
import { contentOf, moveTree, writeCommit } from './git-tree.js';
import { scratchFolder } from '../../ovs/workspace/workspace.js';

export interface Build {
  readonly what: 'ovs' | 'ovn';
  /** A git repository of its sources. */
  readonly tree: string;
  /** What builds a commit, in its folder, into `$OUT/sbin` and `$OUT/bin`. */
  readonly build: string;
  /** Runs a command. @throws Unavailable with its last line where it fails. */
  readonly shell: (
    command: string,
    cwd: string,
    env: Readonly<Record<string, string>>,
  ) => Promise<string>;
}

const names = { ovs: 'Open vSwitch', ovn: 'OVN' } as const;

/** @returns the folder that has `sbin` and `bin`. @throws Unavailable where it does not build. */
export async function builtCommit(
  { say }: Context,
  { what, tree: repository, build, shell }: Build,
  commit: string,
): Promise<string> {
  // Kept by what the commit holds and by how it is built: commits with the same files share it.
  const content = await contentOf(repository, commit);
  const key = `${what}-${content.slice(0, 12)}-${sha256(build).slice(0, 8)}`;
  return await cached(cacheFolder(), key, async (unfinished) => {
    say(`building ${names[what]} at ${commit.slice(0, 12)}`);
    const source = sha256(JSON.stringify([resolve(repository), build])).slice(0, 12);
    const tree = within(cacheFolder(), `${what}-tree-${source}`);
    await inTree(tree, async (folder) => {
      await bringTo(folder, repository, commit);
      await shell(build, join(folder, 'files'), { OUT: unfinished });
    });
  });
}

/** In the tree that is kept, or, where another process is in it, in one that goes afterwards. */
async function inTree(tree: string, work: (folder: string) => Promise<void>): Promise<void> {
  await makeFolder(tree);
  const lock = join(tree, 'owner');
  if (!(await take(lock))) {
    const own = await scratchFolder();
    return await work(own).finally(() => rm(own, { recursive: true, force: true }));
  }
  await work(tree).finally(() => rm(lock, { force: true }));
}

/** Whether it is free, or was left by a process that is gone. */
async function take(lock: string): Promise<boolean> {
  const owner = parseOwner(await readFile(lock, 'utf8').catch(() => ''));
  if (owner !== undefined && !(await isAlive(owner))) await rm(lock, { force: true });
  const handle = await open(lock, 'wx').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  });
  if (handle === undefined) return false;
  await handle.writeFile(formatOwner(await answerableOwner())).finally(() => handle.close());
  return true;
}

/** `commit` beside the files names what they are; while they are on the way, nothing does. */
async function bringTo(folder: string, repository: string, commit: string): Promise<void> {
  const [files, mark] = [join(folder, 'files'), join(folder, 'commit')];
  const before = await readFile(mark, 'utf8').catch(() => '');
  if (before === commit) return;
  await rm(mark, { force: true });
  if (before === '') {
    await rm(files, { recursive: true, force: true });
    await writeCommit(repository, commit, files);
  } else await moveTree(repository, before, commit, files);
  await writeFile(mark, commit);
}
