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
import { runScenario, type ScenarioRun } from '../run/run-scenario.js';
import { exitCodes, type Context } from './context.js';
import { printUnavailable } from './print-error.js';
import { inProcessPool, openWorkerPool } from './worker-pool.js';
import type { KeptSwitches } from './keep-switches.js';
import { storeRun, checkReportFolder } from './store-run.js';
import { switchOpenersFor } from './switch-opener.js';
import { runSpecOf, type RunOptions } from './run-spec.js';
import type { RunReport } from '../run/run-report.js';
import { runSwitchesOf, oldestVersion, type RunSwitches } from './run-switches.js';
import { knownDivergencesOf } from './known-divergence-file.js';

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
  const { seed, depth, points } = await runSpecOf(context.root, { names, options });
  if (options.report !== undefined) await checkReportFolder(options.report);
  const judgeKnown = await knownDivergencesOf(context.root, options, points);
  const switches = await runSwitchesOf(options, context.say);
  const { backend, image } = switches.real;
  const version = await oldestVersion(switches);
  const rerunCommand = commandLine(context.root, names, options);
  if (options.json !== true) context.print(`run again: ${rerunCommand}\n`);

  const logs: LogFile[] = [];
  let kept: KeptSwitches | undefined;
  const pool =
    options.keep === true
      ? inProcessPool
      : await openWorkerPool({ root: context.root, names, options, version }, context.teardown);
  const runs = await mapConcurrently(
    pool.concurrency,
    [...points.entries()],
    async ([index, { scenario, axes }]) => {
      const label = [
        scenario.name,
        ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`),
      ].join(' ');
      context.say(`${label}: bringing up switches`);
      const openers = switchOpenersFor(index, switches, context.teardown, logs);
      const played = await runScenario(scenario, axes, {
        seed,
        depth,
        version,
        maxShards: pool.maxShards(points.length),
        nowMs: () => performance.now(),
        onProgress: (done, total) => progress(context, label, done, total),
        ...openers,
        openReal:
          options.keep !== true
            ? openers.openReal
            : async (plan, shard) => {
                await kept?.sim.close();
                kept = undefined;
                return await openers.openReal(
                  plan,
                  shard,
                  async (sim) =>
                    void (kept = {
                      label: points.length === 1 ? label : `${label}, the last of ${points.length}`,
                      plan,
                      sim,
                    }),
                );
              },
        runShard: async (shard, here, listener) => {
          const played = await pool.runShard(
            index,
            shard,
            async () => ({ outcome: await here(), logs: [] }),
            listener,
          );
          logs.push(...played.logs);
          return played.outcome;
        },
      });
      if (kept !== undefined) kept = withoutRemovedNodes(kept, played);
      return { ...played, report: judgeKnown(played.report) };
    },
  );
  const record = assembleRun(runs, {
    again: rerunCommand,
    seed,
    backend: backend.name,
    image: image.name,
    imageDigest: image.digest,
    ...(await referenceIn(switches)),
    isolation: describeIsolation(await isolation()),
  });
  const { report } = record;
  const stored = await storeRun(context.root, record, logs, options.report);
  context.print(
    options.json === true
      ? printedJson(report)
      : [renderTerminal(report), ...stored.lines].join('\n'),
  );
  for (const refused of stored.refused) printUnavailable(refused, context);
  if (kept !== undefined)
    await (await import('./keep-switches.js')).keepSwitchesUp(context, kept, image);
  else if (options.keep === true) context.print('\nkept: nothing, for no switches came up');
  // Who relies on a pass relies on what is written of it, too.
  return report.verdict === 'conforms' && stored.refused.length > 0
    ? exitCodes.inconclusive
    : exitCodes[report.verdict];
}

async function referenceIn({ reference }: RunSwitches): Promise<Pick<RunReport, 'reference'>> {
  if (reference === undefined) return {};
  const { backend, image } = reference;
  return {
    reference: {
      backend: backend.name,
      image: image.name,
      imageDigest: image.digest,
      version: await versionOf(image),
    },
  };
}

/** Nodes that have left during a timeline have no switches to inspect. */
function withoutRemovedNodes(
  kept: KeptSwitches,
  { record: { timeline = [] } }: ScenarioRun,
): KeptSwitches {
  return { ...kept, plan: timeline.at(-1)?.plan ?? kept.plan };
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

/**
 * Every vector on a terminal; elsewhere only the first and the last, so that a log stays readable.
 */
function progress(context: Context, label: string, done: number, total: number): void {
  if (process.stderr.isTTY || done === 0 || done === total)
    context.say(`${label}: ${done} of ${total} vectors`);
}
