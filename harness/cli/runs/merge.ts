/** `flowbed merge RUN…`: shards of a run, as the run without them would have been. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderTerminal } from '../../../reports/terminal.js';
import { printedJson } from '../../base/text/visible.js';
import { mergeRuns } from '../../run/records/merge-runs.js';
import { readRunFolder } from '../../run/records/read-run-folder.js';
import type { LogFile } from '../../run/records/run-folder.js';
import { exitCodes, type Context } from '../context.js';
import { printUnavailable } from '../print-error.js';
import { checkReportFolder, storeRun } from './store-run.js';

export interface MergeOptions {
  readonly report?: string;
  readonly json?: boolean;
}

/** @returns as `run`. */
export async function merge(
  context: Context,
  folders: readonly string[],
  { report, json }: MergeOptions,
): Promise<number> {
  if (report !== undefined) await checkReportFolder(report);
  const runs = [];
  const logs: LogFile[] = [];
  for (const name of folders) {
    runs.push({ name, record: await readRunFolder(context.root, name) });
    const folder = /^\d+$/.test(name) ? join(context.root, 'runs', name) : name;
    logs.push(...(await readLogs(join(folder, 'logs'))));
  }
  const record = mergeRuns(runs);
  const stored = await storeRun(context.root, record, logs, report);
  context.print(
    json === true
      ? printedJson(record.report)
      : [renderTerminal(record.report), ...stored.lines].join('\n'),
  );
  for (const refused of stored.refused) printUnavailable(refused, context);
  return record.report.verdict === 'conforms' && stored.refused.length > 0
    ? exitCodes.inconclusive
    : exitCodes[record.report.verdict];
}

async function readLogs(folder: string): Promise<readonly LogFile[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const logs: LogFile[] = [];
  for (const entry of names.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    logs.push({ name: path.slice(folder.length + 1), text: await readFile(path, 'utf8') });
  }
  return logs;
}
