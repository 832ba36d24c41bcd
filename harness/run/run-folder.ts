/** What stays of a run: `runs/NUMBER/` with report.json and the daemons' logs. */
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { RunReport } from './report.js';

export interface LogFile {
  /** `n1/ovs-vswitchd.log` */
  readonly name: string;
  readonly text: string;
}

/** Writes the folder beside its place and renames it, so that none is ever half-written; @returns its path from `root`. */
export async function writeRunFolder(root: string, report: RunReport, logs: readonly LogFile[]): Promise<string> {
  const runs = join(root, 'runs');
  await mkdir(runs, { recursive: true });
  const unfinished = join(runs, `.unfinished-${process.pid}`);
  await mkdir(unfinished, { recursive: true });
  await writeFile(join(unfinished, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  for (const { name, text } of logs) {
    const file = join(unfinished, 'logs', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const numbers = (await readdir(runs)).filter((name) => /^\d+$/.test(name)).map(Number);
  for (let number = Math.max(0, ...numbers) + 1; ; number++) {
    const folder = join(runs, String(number));
    // Another run may take the same number first: a folder that is not empty is never replaced.
    const renamed = await rename(unfinished, folder).then(() => true, (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
      throw error;
    });
    if (renamed) return relative(root, folder);
  }
}
