/** A command of this program in a guest of User-mode Linux. */
import { mkdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../../images/cache.js';
import { trustVariable } from '../../../images/other-writers.js';
import { seedVariable } from '../../../images/uml/fixed-random.js';
import { openKernel } from '../../../images/uml/kernel.js';
import { makeFolder } from '../../base/files/make-folder.js';
import { worldVariable } from '../../base/world.js';
import { createWorkspace } from '../../ovs/workspace/workspace.js';
import { printedFile } from '../../worlds/uml/guest-init.js';
import { optimizingLater } from '../processes/optimize-later.js';
import { isBundle, isBundled } from '../unsupervised.js';
import { runInGuest } from '../../worlds/uml/run-in-guest.js';
import type { Context } from '../context.js';
import { followedVariable } from './play-point.js';

/** So long a guest may say nothing: the clock of one that spins stands, and it never comes back. */
const silenceLimitMs = 5 * 60_000;

/**
 * A command of this program in a guest, as root there.
 * @returns its exit code, what it has printed, and the folder of this machine that was its `runs`,
 *   in `dir`. @param before puts there what the command is to find. @throws Unavailable as
 *   `runInWorld` does.
 */
export async function commandInGuest(
  context: Context,
  words: readonly string[],
  seed: number,
  before: (runs: string) => Promise<void> = () => Promise.resolve(),
) {
  const kernel = await openKernel();
  const workspace = await createWorkspace();
  context.teardown.add(() => workspace.remove());
  const [folder, runs] = [join(workspace.dir, 'guest'), join(workspace.dir, 'runs')];
  await mkdir(folder);
  await mkdir(runs);
  await before(runs);
  await makeFolder(join(context.root, 'runs'));
  const code = await runInGuest(
    {
      command: [process.execPath, ...withoutThreads, workFor(words), ...words],
      cwd: process.cwd(),
      variables: variablesOfGuest(kernel.programs),
      needed: [context.root, cacheFolder(), process.cwd()],
      shared: [{ host: runs, guest: join(context.root, 'runs') }],
    },
    {
      kernel: { ...kernel, seedVariable },
      seed,
      folder,
      onLine: (line) => {
        if (process.stderr.isTTY || isNews(line)) context.say(line);
      },
      silenceLimitMs,
    },
  );
  const processor = cpus()[0]?.model ?? 'unknown';
  return {
    code,
    printed: await readFile(join(folder, printedFile), 'utf8').catch(() => ''),
    runs,
    dir: workspace.dir,
    world: { name: 'uml', kernel: kernel.digest, processor },
  };
}

/**
 * Where computing takes no time, a program that computes until another of its threads has done
 * something never ends: node does, with its threads of V8. Its optimizing compiler has no thread
 * of its own then.
 */
const withoutThreads = ['--single-threaded', optimizingLater];

function workFor(words: readonly string[]): string {
  const isInBundle = isBundle && isBundled(words);
  return fileURLToPath(
    new URL(isInBundle ? '../../../bundle/work.js' : '../work.js', import.meta.url),
  );
}

function variablesOfGuest(programs: string): Readonly<Record<string, string>> {
  const isolation = process.env['FLOWBED_ISOLATION'];
  return {
    PATH: `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${programs}`,
    LC_ALL: 'C.UTF-8',
    NO_COLOR: '1',
    [followedVariable]: 'yes',
    [worldVariable]: 'uml',
    FLOWBED_CACHE: cacheFolder(),
    // This user's files are another's there, where this one is root.
    [trustVariable]: 'yes',
    ...(isolation === undefined ? {} : { FLOWBED_ISOLATION: isolation }),
  };
}

/** What is followed says each vector; this process may write to a file: each tenth of them. */
function isNews(line: string): boolean {
  const [done, total] = (/: (\d+) of (\d+) vectors$/.exec(line) ?? []).slice(1).map(Number);
  if (done === undefined || total === undefined) return true;
  const tenths = (vectors: number) => Math.floor((10 * vectors) / total);
  return done === 0 || tenths(done) > tenths(done - 1);
}
