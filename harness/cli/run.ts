/** `flowbed run`: scenarios on real switches. */
import { join, relative } from 'node:path';
import { renderTerminal } from '../../reports/terminal.js';
import { mapConcurrently } from '../base/concurrency/map-concurrently.js';
import { InputError } from '../base/errors/errors.js';
import { printedJson } from '../base/text/visible.js';
import { lineToType } from '../base/text/shell-line.js';
import type { LogFile } from '../run/run-folder.js';
import { exitCodes, type Context } from './context.js';
import { printUnavailable } from './print-error.js';
import { storeRun, checkReportFolder } from './store-run.js';
import { runSpecOf, type RunOptions } from './run-spec.js';
import { knownDivergencesOf } from './known-divergence-file.js';
import type { RunRecord } from '../run/run-record.js';
import { playPoint, type MatrixRun } from './play-point.js';
import { openMatrixRun, recordOf } from './matrix-run.js';
import { shardOf } from './shard-option.js';

/**
 * @returns the exit code: 0 all conform, 1 something diverges, 3 inconclusive, or conforming and
 *   not to be written to disk; with `keep` it does not return while there are switches to keep.
 *   @throws InputError for a wrong request.
 */
export async function run(
  context: Context,
  names: readonly string[],
  options: RunOptions,
): Promise<number> {
  if (options.keep === true && options.json === true)
    throw new InputError('--keep waits for Ctrl-C and --json is for programs: choose one of them');
  const spec = await runSpecOf(context.root, { names, options }, (note) => {
    context.complain(`note: ${note}`);
  });
  if (options.report !== undefined) await checkReportFolder(options.report);
  const chosen = await shardOf(options, spec.points);
  const shard = chosen === undefined ? undefined : { ...chosen, points: [...chosen.points] };
  const judgeKnown = await knownDivergencesOf(context.root, options, spec.points);
  const rerunCommand = commandLine(context.root, names, options);
  const matrixRun = await openMatrixRun(context, { names, options }, spec, judgeKnown);
  if (options.json !== true) context.print(`run again: ${rerunCommand}\n`);
  const runs = await mapConcurrently(
    matrixRun.pool.concurrency,
    [...spec.points.entries()].filter(([index]) => shard?.points.includes(index) ?? true),
    ([index, point]) => playPoint(matrixRun, index, point),
  );
  const record = await recordOf(matrixRun, runs, rerunCommand, shard);
  const refused = await reportRun(context, record, matrixRun.logs, options);
  if (matrixRun.keep) await keepUp(matrixRun);
  // Whoever relies on a pass relies on what is written of it, too.
  return record.report.verdict === 'conforms' && refused > 0
    ? exitCodes.inconclusive
    : exitCodes[record.report.verdict];
}

/** Stores and prints it. @returns how much of it could not be written. */
async function reportRun(
  context: Context,
  record: RunRecord,
  logs: readonly LogFile[],
  options: RunOptions,
): Promise<number> {
  const stored = await storeRun(context.root, record, logs, options.report);
  context.print(
    options.json === true
      ? printedJson(record.report)
      : [renderTerminal(record.report), ...stored.lines].join('\n'),
  );
  for (const refused of stored.refused) printUnavailable(refused, context);
  return stored.refused.length;
}

/** Does not return while there are switches to keep. */
async function keepUp({ context, kept, switches }: MatrixRun): Promise<void> {
  if (kept === undefined) context.print('\nkept: nothing, for no switches came up');
  else
    await (await import('./keep-switches.js')).keepSwitchesUp(context, kept, switches.real.image);
}

/** As it is to be typed in the folder where this was: names of files are relative to it. */
export function commandLine(root: string, names: readonly string[], options: RunOptions): string {
  const launcher = relative(process.cwd(), join(root, 'flowbed'));
  const words = [
    launcher.includes('/') ? launcher : `./${launcher}`,
    'run',
    ...names,
    '--image',
    options.image,
    '--seed',
    options.seed,
  ];
  if (options.backend !== undefined) words.push('--backend', options.backend);
  if (options.known !== undefined) words.push('--known', options.known);
  if (options.today !== undefined) words.push('--today', options.today);
  if (options.compare !== undefined) words.push('--compare', options.compare);
  if (options.set !== undefined) words.push('--set', options.set);
  if (options.passes !== 'all') words.push('--passes', options.passes);
  if (options.topology !== undefined) words.push('--topology', options.topology);
  if (options.manifests !== undefined) words.push('--manifests', options.manifests);
  return lineToType(words);
}
