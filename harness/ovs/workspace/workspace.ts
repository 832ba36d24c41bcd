import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '../../base/errors/errors.js';
import {
  answerableOwner,
  formatOwner,
  currentPlace,
  isAlive,
  parseOwner,
  type Owner,
} from '../process/owner.js';

/**
 * A folder in which one run's daemons keep sockets, databases and logs: `<tmp>/flowbed-<owner>-<6
 * characters>`. Its name says whose it is from the instant that it is there, so that no moment to
 * be killed at leaves one that nobody may remove.
 */
export interface Workspace {
  /** At most 60 bytes long: the path of a unix socket ends at 107 (unix(7)). */
  readonly dir: string;
  /** Removes the folder and what is in it; safe to call twice. */
  remove(): Promise<void>;
}

/**
 * Makes a workspace that belongs to this process, or to who answers for it. @throws Unavailable
 * when there is no folder for it.
 */
export async function createWorkspace(): Promise<Workspace> {
  const root = workspaceRoot();
  try {
    const dir = await mkdtemp(join(root, `${prefix}${formatOwner(await answerableOwner())}-`));
    return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
  } catch (error) {
    throw new Unavailable(
      `cannot make a folder for the switches in ${root}: ` +
        (error instanceof Error ? error.message : String(error)),
      ['name a short folder that you can write to: TMPDIR=/path/to/folder'],
    );
  }
}

/**
 * A folder for what a command needs until it ends. Where it is killed, its supervisor removes the
 * folder, or `flowbed clean` does.
 */
export async function scratchFolder(): Promise<string> {
  return (await createWorkspace()).dir;
}

/**
 * Where workspaces are made and looked for: the system's folder for temporary files when it is
 * short enough, else /tmp.
 */
export function workspaceRoot(): string {
  return Buffer.byteLength(tmpdir()) <= rootLengthMax ? tmpdir() : '/tmp';
}

/** A workspace that is on disk. */
export interface FoundWorkspace {
  readonly dir: string;
  /** `elsewhere`: on another machine, in another start of this one, or in another namespace. */
  readonly owner: 'alive' | 'dead' | 'elsewhere';
}

/** The workspaces of this user, sorted by path. What is only named alike is none. */
export async function findWorkspaces(): Promise<readonly FoundWorkspace[]> {
  const root = workspaceRoot();
  const found: FoundWorkspace[] = [];
  for (const name of (await readdir(root).catch(() => [])).sort()) {
    const [, text = ''] = new RegExp(`^${prefix}(.*)-\\w{6}$`).exec(name) ?? [];
    const owner = parseOwner(text);
    if (owner === undefined || !(await isOurFolder(join(root, name)))) continue;
    const dir = join(root, name);
    if (owner.place !== currentPlace()) found.push({ dir, owner: 'elsewhere' });
    else found.push({ dir, owner: (await isAlive(owner)) ? 'alive' : 'dead' });
  }
  return found;
}

/** Removes what `owner` has of them: nothing of it may run any more. @returns their paths. */
export async function removeWorkspacesOf(owner: Owner): Promise<readonly string[]> {
  const root = workspaceRoot();
  const names = (await readdir(root).catch(() => [])).filter((name) =>
    name.startsWith(`${prefix}${formatOwner(owner)}-`),
  );
  for (const name of names) await rm(join(root, name), { recursive: true, force: true });
  return names.map((name) => join(root, name));
}

const prefix = 'flowbed-';
const rootLengthMax = 60 - `/${prefix}4194304-4ldqpdr-place-XXXXXX`.length;

async function isOurFolder(path: string): Promise<boolean> {
  const status = await lstat(path).catch(() => undefined);
  return status !== undefined && status.isDirectory() && status.uid === process.getuid?.();
}
