/**
 * A night under way: `open/NIGHT/` in the store has night.json and a file a finished point. What is
 * there is finished whatever ends the process, and a night that is continued plays the others.
 */
import { readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { InputError } from '../base/errors/errors.js';
import { makeFolder } from '../base/files/make-folder.js';
import { within } from '../base/files/path-part.js';
import { isAlive, parseOwner } from '../ovs/process/owner.js';
import { historyRow, type HistoryRow } from './history-row.js';
import { hasNight } from './night-files.js';
import { claim, nightFile, writeOwner } from './night-owner.js';
import { unfinishedFolder } from './unfinished-folder.js';
import { writeNight } from './write-night.js';
import { writeWhole } from './write-whole.js';

export interface OpenNight {
  readonly night: string;
  readonly at: string;
  /** There until the night is in the store. */
  readonly folder: string;
  readonly isFinished: (point: string) => boolean;
  /** Keeps the rows of a point: from then on it is finished. */
  readonly finish: (point: string, rows: readonly HistoryRow[]) => Promise<void>;
  /** Every row so far. */
  readonly rows: () => Promise<readonly HistoryRow[]>;
  /** Writes the night into the store. @returns its file; `none` where nothing is finished. */
  readonly close: () => Promise<string>;
}

function openFolder(store: string): string {
  return join(store, 'open');
}

/** A night that begins. @throws InputError where there is one of that name. */
export async function beginNight(
  store: string,
  { night, at, plan }: { readonly night: string; readonly at: string; readonly plan: string },
): Promise<OpenNight> {
  const folder = within(openFolder(store), night);
  await makeFolder(openFolder(store));
  // It is there as a whole, with whose it is, or not at all.
  const beside = await unfinishedFolder(store);
  await writeOwner(beside, { night, at, plan });
  const isThere = (await hasNight(store, night)) || !(await renamedTo(beside, folder));
  if (isThere) {
    await rm(beside, { recursive: true });
    throw new InputError(`there is a night ${night} in ${store} already: name it differently`);
  }
  return nightIn(store, folder, { night, at }, new Set());
}

/** @returns false where there is something already. */
async function renamedTo(from: string, to: string): Promise<boolean> {
  return await rename(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST' || error.code === 'ENOTEMPTY') return false;
      throw error;
    },
  );
}

/**
 * The last night with the same plan that a process which is gone has not closed; undefined where
 * there is none. @throws InputError where one with another plan is the only one.
 */
export async function continueNight(store: string, plan: string): Promise<OpenNight | undefined> {
  const abandoned = await abandonedNights(store);
  const found = abandoned.findLast((one) => one.plan === plan);
  if (found === undefined && abandoned.length > 0)
    throw new InputError(
      `night ${abandoned.at(-1)?.night ?? ''} was begun with another matrix, images or program: ` +
        'finish it with those, or begin another night without --resume',
    );
  if (found === undefined) return undefined;
  const folder = within(openFolder(store), found.night);
  await claim(folder, found.owner);
  await writeOwner(folder, found);
  return nightIn(store, folder, found, new Set(await readdir(folder)));
}

export interface ClosedNight {
  readonly night: string;
  /** The folder of one that another version wrote: nothing of it is in the store. */
  readonly keptIn?: string;
}

/**
 * Stores the finished points of nights whose processes are gone: nobody continues them any more.
 */
export async function closeAbandonedNights(store: string): Promise<readonly ClosedNight[]> {
  const closed: ClosedNight[] = [];
  for (const found of await abandonedNights(store)) {
    const folder = within(openFolder(store), found.night);
    await claim(folder, found.owner);
    await writeOwner(folder, found);
    const opened = nightIn(store, folder, found, new Set(await readdir(folder)));
    const { night } = found;
    const isRead = await opened.rows().then(
      () => true,
      (error: unknown) => {
        if (error instanceof InputError) return false;
        throw error;
      },
    );
    if (isRead) {
      await opened.close();
      closed.push({ night });
      continue;
    }
    const keptIn = within(join(store, 'unread'), night);
    await makeFolder(join(store, 'unread'));
    await rename(folder, keptIn);
    closed.push({ night, keptIn });
  }
  return closed;
}

/** Nights of processes that are gone, in order. */
export async function abandonedNights(
  store: string,
): Promise<readonly z.output<typeof nightFile>[]> {
  const names = await readdir(openFolder(store)).catch(() => []);
  const found: z.output<typeof nightFile>[] = [];
  for (const name of names.sort()) {
    const file = join(within(openFolder(store), name), 'night.json');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const read = nightFile.safeParse(parsedJson(text));
    if (!read.success)
      throw new InputError('it is no night under way: remove its folder', { file });
    const owner = parseOwner(read.data.owner);
    if (owner === undefined || !(await isAlive(owner))) found.push(read.data);
  }
  return found;
}

function nightIn(
  store: string,
  folder: string,
  { night, at }: { readonly night: string; readonly at: string },
  files: Set<string>,
): OpenNight {
  const rows = async (): Promise<readonly HistoryRow[]> => {
    const all: HistoryRow[] = [];
    for (const name of (await readdir(folder)).filter((one) => one.endsWith('.rows')).sort()) {
      const file = join(folder, name);
      const read = z.array(historyRow).safeParse(parsedJson(await readFile(file, 'utf8')));
      if (!read.success)
        throw new InputError('it holds no rows of this version of flowbed', { file });
      all.push(...read.data);
    }
    return all;
  };
  return {
    night,
    at,
    folder,
    isFinished: (point) => files.has(basename(fileOf(folder, point))),
    rows,
    finish: async (point, pointRows) => {
      const file = fileOf(folder, point);
      await writeWhole(file, JSON.stringify(pointRows));
      files.add(basename(file));
    },
    close: async () => {
      const all = await rows();
      const file = all.length === 0 ? 'none' : await writeNight(store, night, all);
      // In one rename: half of its points would be taken for a night that was killed then.
      const going = await unfinishedFolder(store);
      await rename(folder, join(going, 'open'));
      await rm(going, { recursive: true });
      return file;
    },
  };
}

function fileOf(folder: string, point: string): string {
  return within(folder, point, '.rows');
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
