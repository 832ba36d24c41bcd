/** `flowbed run`: scenarios on real switches. */
import { join, relative } from 'node:path';
import { mapConcurrently } from '../../base/concurrency/map-concurrently.js';
import { InputError, unknownName } from '../../base/errors/errors.js';
import { lineToType } from '../../base/text/shell-line.js';
import { exitCodes, type Context } from '../context.js';
import { endedScenarioProcess } from '../scenario-process/started.js';
import { checkRunsFolder } from '../../run/records/run-folder.js';
import { checkReportFolder } from './store-run.js';
import { concludeRun } from './conclude-run.js';
import { runSpecOf, type RunOptions } from './run-spec.js';
import { knownDivergencesOf } from './known-divergence-file.js';
import { playPoint, type MatrixRun } from './play-point.js';
import { openMatrixRun, recordOf } from './matrix-run.js';
import { shardOf } from './shard-option.js';
import { turnsOf } from './durations.js';

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
  if (options.watch === true) {
    if (options.keep === true) throw new InputError('--keep and --watch both wait: choose one');
    const { watchAndRun } = await import('./watch.js');
    return await watchAndRun(context, names, [
      ...optionWords(options),
      ...(options.report === undefined ? [] : ['--report', options.report]),
      ...(options.json === true ? ['--json'] : []),
      ...(options.throughput === true ? ['--throughput'] : []),
      '--no-confirm', // who waits for it has not the time
    ]);
  }
  const spec = await runSpecOf(context.root, { names, options }, (note) => {
    context.complain(`note: ${note}`);
  });
  if (options.report !== undefined) await checkReportFolder(options.report);
  const chosen = await shardOf(options, spec.points);
  const shard = chosen === undefined ? undefined : { ...chosen, points: [...chosen.points] };
  if (isInGuest(options))
    return await (await import('./run-in-world.js')).runInWorld(context, names, options, {
      seed: spec.seed,
      again: commandLine(context.root, names, options),
    });
  const judgeKnown = await knownDivergencesOf(context.root, options, spec.points);
  await checkRunsFolder(context.root);
  const rerunCommand = commandLine(context.root, names, options);
  const matrixRun = await openMatrixRun(context, { names, options }, spec, judgeKnown);
  if (options.json !== true) context.print(`run again: ${rerunCommand}\n`);
  const chosenPoints = [...spec.points.entries()].filter(
    ([index]) => shard?.points.includes(index) ?? true,
  );
  const runs = await mapConcurrently(
    matrixRun.pool.concurrency,
    chosenPoints,
    ([index, point]) => playPoint(matrixRun, index, point),
    // The switches of the last one are kept.
    matrixRun.keep
      ? undefined
      : await turnsOf(
          context.root,
          chosenPoints.map(([, point]) => point),
        ),
  );
  const ended = endedScenarioProcess();
  const record = await recordOf(matrixRun, runs, rerunCommand, shard);
  const played = await concludeRun(context, record, matrixRun.logs, options);
  const code = ended === undefined ? played : withoutPass(context, played, ended);
  if (matrixRun.keep) await keepUp(matrixRun);
  return code;
}

/** A pass counts only with a scenario whose process has run to the end. */
function withoutPass({ complain }: Context, code: number, how: string): number {
  complain(`flowbed: the process that ran the scenario's code ${how} before the run was over`);
  return code === exitCodes.conforms ? exitCodes.inconclusive : code;
}

/** @throws InputError for an unknown world. */
function isInGuest({ world, keep }: RunOptions): boolean {
  if (world === undefined || world === 'host') return false;
  if (world !== 'uml') throw unknownName('world', world, ['host', 'uml']);
  if (keep === true)
    throw new InputError('--keep keeps switches on this machine: it goes with --world host alone');
  return true;
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
    ...optionWords(options),
  ];
  return lineToType(words);
}

/** The options as they are typed. */
function optionWords(options: RunOptions): readonly string[] {
  const words = ['--image', options.image, '--seed', options.seed];
  if (options.backend !== undefined) words.push('--backend', options.backend);
  if (options.world !== undefined) words.push('--world', options.world);
  if (options.known !== undefined) words.push('--known', options.known);
  if (options.today !== undefined) words.push('--today', options.today);
  if (options.compare !== undefined) words.push('--compare', options.compare);
  if (options.set !== undefined) words.push('--set', options.set);
  if (options.passes !== 'all') words.push('--passes', options.passes);
  if (options.topology !== undefined) words.push('--topology', options.topology);
  if (options.manifests !== undefined) words.push('--manifests', options.manifests);
  return words;
}
