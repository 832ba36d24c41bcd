import { mkdtemp, readdir, readFile, rm, lstat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '../base/errors.js';
import { formatOwner, isAlive, parseOwner, thisProcess } from './owner.js';

/** A folder in which one run's daemons keep sockets, databases and logs: `<tmp>/flowbed-<uid>-<6 characters>`. */
export interface Workspace {
  /** At most 60 bytes long: the path of a unix socket ends at 107 (unix(7)). */
  readonly dir: string;
  /** Removes the folder and what is in it; safe to call twice. */
  remove(): Promise<void>;
}

/** Makes a workspace that belongs to this process. @throws Unavailable when there is no folder for it. */
export async function createWorkspace(): Promise<Workspace> {
  const [root = '/tmp'] = roots();
  try {
    const dir = await mkdtemp(join(root, prefix()));
    await writeFile(join(dir, ownerFile), formatOwner(await thisProcess()));
    return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
  } catch (error) {
    throw new Unavailable(`cannot make a folder for the switches in ${root}: ${error instanceof Error ? error.message : String(error)}`, [
      'name a short folder that you can write to: TMPDIR=/path/to/folder',
    ]);
  }
}

/** A workspace that is on disk. `unknown`: its owner cannot be told, as while it is being made. */
export interface FoundWorkspace {
  readonly dir: string;
  readonly owner: 'alive' | 'dead' | 'unknown';
}

/** The workspaces of this user, sorted by path. */
export async function findWorkspaces(): Promise<readonly FoundWorkspace[]> {
  const found: FoundWorkspace[] = [];
  for (const root of roots()) {
    for (const name of await readdir(root).catch(() => [])) {
      if (name.startsWith(prefix()) && (await isOurFolder(join(root, name)))) found.push(await inspect(join(root, name)));
    }
  }
  return found.sort((a, b) => (a.dir < b.dir ? -1 : 1));
}

const ownerFile = 'owner';
const rootLengthMax = 60 - 'flowbed-4294967295-XXXXXX/'.length;

function prefix(): string {
  return `flowbed-${process.getuid?.()}-`;
}

/** The system's folder for temporary files when it is short enough, and /tmp. */
function roots(): readonly string[] {
  return [...new Set([tmpdir(), '/tmp'])].filter((root) => Buffer.byteLength(root) <= rootLengthMax);
}

async function isOurFolder(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status !== undefined && status.isDirectory() && status.uid === process.getuid?.();
}

async function inspect(dir: string): Promise<FoundWorkspace> {
  const owner = parseOwner(await readFile(join(dir, ownerFile), 'utf8').catch(() => ''));
  if (owner === undefined) return { dir, owner: 'unknown' };
  return { dir, owner: (await isAlive(owner)) ? 'alive' : 'dead' };
}
