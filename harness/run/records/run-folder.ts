/**
 * `runs/NUMBER/`, what stays of a run: manifest.json (what it is and how to run it again),
 * report.json, record.json (enough to explain it, to render any report, and to play it again),
 * logs/. Each carries the version of its format.
 */
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Unavailable } from '../../base/errors/errors.js';
import { answerableOwner } from '../../ovs/process/owner.js';
import { unfinishedPrefix } from '../../ovs/workspace/unfinished.js';
import { manifestOf } from './manifest.js';
import { recordFormat, type RunRecord } from './run-record.js';

export interface LogFile {
  /** `point-1/cluster-1/n1/ovs-vswitchd.log`: of the first point of the matrix */
  readonly name: string;
  readonly text: string;
}

/**
 * Writes the folder beside its place and renames it, so that none is ever half-written; @returns
 * its path from `root`.
 */
export async function writeRunFolder(
  root: string,
  record: RunRecord,
  logs: readonly LogFile[],
): Promise<string> {
  const runs = join(root, 'runs');
  await mkdir(runs, { recursive: true });
  const unfinished = await mkdtemp(join(runs, unfinishedPrefix(await answerableOwner())));
  try {
    await chmod(unfinished, 0o755);
    for (const [name, text] of filesOf(record, logs)) {
      const file = join(unfinished, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    return relative(root, await putInPlace(unfinished, runs));
  } catch (error) {
    // why it could not be written says more
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** Tries to make a run folder. @throws Unavailable where none can be made. */
export async function checkRunsFolder(root: string): Promise<void> {
  const runs = join(root, 'runs');
  try {
    await mkdir(runs, { recursive: true });
    await rmdir(await mkdtemp(join(runs, unfinishedPrefix(await answerableOwner()))));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Unavailable(`the run could not be written down: ${why}`, [
      `have its owner let you write to ${runs}`,
      `or work on a clone of your own: git clone ${root}`,
    ]);
  }
}

/** The files of the folder, by their paths within; the manifest has digests of the others. */
export function filesOf(record: RunRecord, logs: readonly LogFile[]): ReadonlyMap<string, string> {
  const json = (content: unknown) => `${JSON.stringify(content)}\n`;
  const files = new Map([
    ['report.json', json(record.report)],
    ['record.json', json({ format: recordFormat, scenarios: record.scenarios })],
    ...logs.map(({ name, text }) => [join('logs', name), text] as const),
  ]);
  return new Map([...files, ['manifest.json', json(manifestOf(record, files))]]);
}

/**
 * The next free number; when another run takes it first, the one after: a folder that is not empty
 * is never replaced.
 */
async function putInPlace(unfinished: string, runs: string): Promise<string> {
  const last = Math.max(0, ...(await runNumbers(runs)));
  for (let number = last + 1; ; number++) {
    const folder = join(runs, String(number));
    const renamed = await rename(unfinished, folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (renamed) return folder;
  }
}

/** Removes runs whose folder is older than `ageMs` at `nowMs`; @returns their numbers. */
export async function removeOldRuns(
  root: string,
  ageMs: number,
  nowMs: number,
): Promise<readonly number[]> {
  const runs = join(root, 'runs');
  const removed: number[] = [];
  for (const number of await runNumbers(runs)) {
    const folder = join(runs, String(number));
    if (nowMs - (await stat(folder)).mtimeMs <= ageMs) continue;
    await rm(folder, { recursive: true });
    removed.push(number);
  }
  return removed;
}

/** The numbers of the folders in `runs`, in order. */
export async function runNumbers(runs: string): Promise<readonly number[]> {
  const names = await readdir(runs).catch(() => []);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}
