import { renderTerminal } from '../../../reports/terminal.js';
import { printedJson } from '../../base/text/visible.js';
import type { LogFile } from '../../run/records/run-folder.js';
import type { RunRecord } from '../../run/records/run-record.js';
import { exitCodes, type Context } from '../context.js';
import { printUnavailable } from '../print-error.js';
import type { RunOptions } from './run-spec.js';
import { askKernel, isForKernel } from './ask-kernel.js';
import { storeRun } from './store-run.js';

/**
 * Writes a run and prints it. @returns its exit code: inconclusive for a pass that could not be
 * written.
 */
export async function concludeRun(
  context: Context,
  record: RunRecord,
  logs: readonly LogFile[],
  options: Pick<RunOptions, 'report' | 'json' | 'confirm'>,
): Promise<number> {
  const { report } = record;
  const { report: folder, json } = options;
  const stored = await storeRun(context.root, record, logs, folder);
  if (json !== true) context.print([renderTerminal(report), ...stored.lines].join('\n'));
  const asked = isForKernel(report, options)
    ? await askKernel(context, record, { run: stored.run, reports: folder })
    : undefined;
  if (json === true) context.print(printedJson(asked?.report ?? report));
  else for (const line of asked?.lines ?? []) context.print(line);
  for (const refused of stored.refused) printUnavailable(refused, context);
  // Who relies on a pass relies on what is written of it, too.
  return report.verdict === 'conforms' && stored.refused.length > 0
    ? exitCodes.inconclusive
    : exitCodes[report.verdict];
}
