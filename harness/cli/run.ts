/** `flowbed run`: scenarios on real switches. */
import { join, relative } from 'node:path';
import { renderTerminal } from '../../reports/terminal.js';
import { mapConcurrently } from '../base/concurrency/map-concurrently.js';
import { InputError } from '../base/errors/errors.js';
import { printedJson } from '../base/text/visible.js';
import { lineToType } from '../base/text/shell-line.js';
import { describeIsolation, isolation } from '../ovs/process/isolation.js';
import { versionOf } from '../ovs/process/version.js';
import { assembleRun } from '../run/assemble-run.js';
import type { LogFile } from '../run/run-folder.js';
import { exitCodes, type Context } from './context.js';
import { printUnavailable } from './print-error.js';
import { inProcessPool, openWorkerPool } from './worker-pool.js';
import { storeRun, checkReportFolder } from './store-run.js';
import { runSpecOf, type RunOptions } from './run-spec.js';
import type { RunReport } from '../run/run-report.js';
import {
  runSwitchesOf,
  oldestVersion,
  type RunSwitches,
  type SwitchSource,
} from './run-switches.js';
import { knownDivergencesOf } from './known-divergence-file.js';
import type { RunRecord } from '../run/run-record.js';
import { playPoint, type MatrixRun } from './play-point.js';

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
  const judgeKnown = await knownDivergencesOf(context.root, options, spec.points);
  const switches = await runSwitchesOf(options, context.say);
  const version = await oldestVersion(switches);
  const rerunCommand = commandLine(context.root, names, options);
  if (options.json !== true) context.print(`run again: ${rerunCommand}\n`);

  const keep = options.keep === true;
  const pool = keep
    ? inProcessPool
    : await openWorkerPool({ root: context.root, names, options, version }, context.teardown);
  const matrixRun: MatrixRun = {
    context,
    spec,
    switches,
    version,
    pool,
    judgeKnown,
    keep,
    logs: [],
    kept: undefined,
  };
  const runs = await mapConcurrently(
    pool.concurrency,
    [...spec.points.entries()],
    ([index, point]) => playPoint(matrixRun, index, point),
  );
  const record = assembleRun(runs, {
    again: rerunCommand,
    seed: spec.seed,
    ...(await sidesOf(switches)),
    isolation: describeIsolation(await isolation()),
  });
  const refused = await reportRun(context, record, matrixRun.logs, options);
  if (keep) await keepUp(matrixRun);
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

/** The switches that were run, and those that they were compared with. */
async function sidesOf({
  real,
  reference,
}: RunSwitches): Promise<Pick<RunReport, 'backend' | 'image' | 'imageDigest' | 'reference'>> {
  const named = ({ backend, image }: SwitchSource) => ({
    backend: backend.name,
    image: image.name,
    imageDigest: image.digest,
  });
  if (reference === undefined) return named(real);
  return {
    ...named(real),
    reference: { ...named(reference), version: await versionOf(reference.image) },
  };
}

/** As it is to be typed in the folder where this was: names of files are relative to it. */
function commandLine(root: string, names: readonly string[], options: RunOptions): string {
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
