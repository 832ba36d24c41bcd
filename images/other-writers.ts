/**
 * Who could have changed what is in the cache, or put another in its place: only this user and root
 * may.
 */
import type { Stats } from 'node:fs';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { Unavailable } from '../harness/base/errors/errors.js';

/** Of the environment: set to `yes` by who knows those that can write to the cache. */
export const trustVariable = 'FLOWBED_TRUST_CACHE';

/**
 * @param paths below `folder`, with all folders on the way to them.
 * @throws Unavailable naming what another user can write to, or the folder above in which another
 *   can rename, unless the user has said that it may be.
 */
export async function refuseOtherWriters(folder: string, paths: readonly string[]): Promise<void> {
  if (process.env[trustVariable] === 'yes') return;
  const me = await whoAmI();
  for await (const { path, status, isAbove } of wayTo(folder)) {
    const why = isAbove ? otherRenamerOf(status, me) : otherWriterOf(status, me.uid);
    if (why !== undefined) throw refused(path, isAbove ? `, above it, ${why}` : ` ${why}`);
  }
  for (const path of paths) {
    const status = await lstat(join(folder, path)).catch(() => undefined);
    const why = status === undefined ? undefined : otherWriterOf(status, me.uid);
    if (why !== undefined) throw refused(join(folder, path), ` ${why}`);
  }
}

function refused(path: string, why: string): Unavailable {
  return new Unavailable(`the image cache is not used: ${path}${why}`, [
    "make it this user's alone: chown and chmod go-w, or name another by FLOWBED_CACHE",
    `or, where all who can write to it are trusted: ${trustVariable}=yes`,
  ]);
}

/** Why another than `uid` and root can write to it; undefined where none can. */
export function otherWriterOf(
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  me: number,
): string | undefined {
  if (uid !== 0 && uid !== me) return `is of user ${uid}`;
  const isLink = (mode & 0o170000) === 0o120000;
  return !isLink && (mode & 0o022) !== 0 ? 'can be written to by others' : undefined;
}

export interface Me {
  readonly uid: number;
  /** A group of which nobody else is. */
  readonly ownGroup?: number;
  /** The uid that stands for all who are outside of this user namespace; its root among them. */
  readonly outside?: number;
}

const sticky = 0o1000;

/**
 * Why another than this user and root can rename what lies in a folder, or a link on the way;
 * undefined where none can. In a sticky folder everybody renames his own alone (unlink(2),
 * "EPERM").
 */
export function otherRenamerOf(
  { uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>,
  { uid: me, ownGroup, outside }: Me,
): string | undefined {
  if (uid === outside && me !== outside) return undefined;
  const shared = gid === ownGroup ? mode & ~0o020 : mode;
  return otherWriterOf({ uid, mode: (mode & sticky) === 0 ? shared : mode & ~0o022 }, me);
}

interface Waypoint {
  readonly path: string;
  readonly status: Stats;
  readonly isAbove: boolean;
}

/** As the kernel does (path_resolution(7)). */
const mostLinks = 40;

/** Every folder and link on the way to `folder`, and itself, as far as there are any. */
async function* wayTo(folder: string): AsyncGenerator<Waypoint> {
  let at = '/';
  let left = resolve(folder).split('/');
  let links = 0;
  yield { path: at, status: await lstat(at), isAbove: true };
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = dirname(at);
      continue;
    }
    const path = join(at, part);
    const status = await lstat(path).catch(() => undefined);
    if (status === undefined) return;
    const isLink = status.isSymbolicLink();
    yield { path, status, isAbove: isLink || left.length > 0 };
    if (!isLink) {
      at = path;
      continue;
    }
    if (++links > mostLinks) return;
    const target = await readlink(path);
    if (isAbsolute(target)) at = '/';
    left = [...target.split('/'), ...left];
  }
}

async function whoAmI(): Promise<Me> {
  const uid = process.getuid?.() ?? 0;
  const [ownGroup, outside] = [await groupOfNobodyElse(), await uidOfOthers()];
  return {
    uid,
    ...(ownGroup === undefined ? {} : { ownGroup }),
    ...(outside === undefined ? {} : { outside }),
  };
}

/** Many systems give every user a group of the same name, and let it write (group(5)). */
async function groupOfNobodyElse(): Promise<number | undefined> {
  try {
    const { username, gid } = userInfo();
    const [groups, users] = [await rowsOf('/etc/group'), await rowsOf('/etc/passwd')];
    const mine = groups.find(([, , id]) => id === String(gid));
    const members = mine?.[3]?.split(',').filter((name) => name !== '' && name !== username);
    const others = users.filter(([name, , , id]) => id === String(gid) && name !== username);
    return mine?.[0] === username && members?.length === 0 && others.length === 0 ? gid : undefined;
  } catch {
    return undefined;
  }
}

async function rowsOf(file: string): Promise<readonly (readonly string[])[]> {
  return (await readFile(file, 'utf8')).split('\n').map((line) => line.split(':'));
}

/** Nobody can say there who they are (user_namespaces(7), "Unmapped user and group IDs"). */
async function uidOfOthers(): Promise<number | undefined> {
  try {
    const map = (await readFile('/proc/self/uid_map', 'utf8')).trim();
    if (/^0 +0 +4294967295$/.test(map)) return undefined;
    return Number(await readFile('/proc/sys/kernel/overflowuid', 'utf8'));
  } catch {
    return undefined;
  }
}
