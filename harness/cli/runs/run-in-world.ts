/** `flowbed run --world uml`: the same command line in a guest, and what comes back from it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runNumbers, type LogFile } from '../../run/records/run-folder.js';
import { readRunFolder } from '../../run/records/read-run-folder.js';
import { commandInGuest } from './command-in-guest.js';
import { concludeRun } from './conclude-run.js';
import type { Context } from '../context.js';
import type { RunOptions } from './run-spec.js';
import { runSwitchesOf } from './run-switches.js';

/**
 * Runs in a guest as root; what it wrote comes back, and is stored and printed as of any run.
 * @returns the exit code, that of the guest's run where it left no folder.
 * @throws Unavailable without a kernel, or when the guest hangs or panics.
 */
export async function runInWorld(
  context: Context,
  names: readonly string[],
  options: RunOptions,
  { seed, again }: { readonly seed: number; readonly again: string },
): Promise<number> {
  // Made and verified here: in the guest everything of the machine is to be read only.
  await runSwitchesOf(options, context.say);
  if (options.json !== true) context.print(`run again: ${again}\n`);
  const { code, dir, runs, world } = await commandInGuest(
    context,
    ['run', ...names, ...optionWords(options)],
    seed,
  );
  const [number] = await runNumbers(runs);
  if (number === undefined) return code;
  const { report, scenarios } = await readRunFolder(dir, String(number));
  const logs = await readLogs(join(runs, String(number)));
  return await concludeRun(
    context,
    { report: { ...report, again, world }, scenarios },
    logs,
    options,
  );
}

/** All but those of the outside: the world, and where and how results are written. */
function optionWords(options: RunOptions): readonly string[] {
  const { image, backend, compare, known, today, set, seed, topology, manifests, passes } = options;
  const { shard, durations } = options;
  const network = { topology, manifests };
  const given = { image, backend, compare, known, today, set, seed, passes, shard, durations };
  return [
    '--json',
    ...Object.entries({ ...given, ...network }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    ),
  ];
}

/** The texts of `logs/`, by their paths within. */
async function readLogs(run: string): Promise<readonly LogFile[]> {
  const { files } = JSON.parse(await readFile(join(run, 'manifest.json'), 'utf8')) as {
    readonly files: Readonly<Record<string, string>>;
  };
  const paths = Object.keys(files).filter((path) => path.startsWith('logs/'));
  return await Promise.all(
    paths.map(async (path) => ({
      name: path.slice('logs/'.length),
      text: await readFile(join(run, path), 'utf8'),
    })),
  );
}
