/** `flowbed run --watch`: runs again the scenarios that a changed file touches. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch, type FSWatcher } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { InputError } from '../../base/errors/errors.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { exitCodes, type Context } from '../context.js';
import { digestsOf, filesOf } from '../scenarios/files-of-scenario.js';

/**
 * A scenario as it was asked for, with the files that it is made of, by path with their digests.
 */
interface Watched {
  readonly name: string;
  files: ReadonlyMap<string, string>;
}

/**
 * Runs all of them once, and then each whenever a file of it has changed, until Ctrl-C.
 * @param args what `run` gets beside names. @throws InputError where no file can be watched.
 */
export async function watchAndRun(
  context: Context,
  names: readonly string[],
  args: readonly string[],
): Promise<number> {
  if (names.length === 0)
    throw new InputError('--watch needs the scenarios to watch: ./flowbed run NAME… --watch');
  const watched: Watched[] = [];
  for (const name of names)
    watched.push({ name, files: await digestsOf(await filesOf(context.root, name)) });
  const changes = changesBeside(context);
  await runIn(context, names, args);
  for (let said = ''; ; ) {
    changes.listen(watched);
    const { touched, gone } = await touchedOf(context, watched);
    if (touched.length === 0) {
      const waiting = [
        ...gone.map(
          (name) => `${name} is gone or empty: it runs again once it is back and changed`,
        ),
        `watching ${watched.reduce((sum, { files }) => sum + files.size, 0)} files`,
      ];
      if (waiting.join() !== said)
        waiting.forEach((line) => {
          context.say(line);
        });
      said = waiting.join();
      if (!(await changes.next())) return exitCodes.conforms;
      continue;
    }
    said = '';
    for (const { file, name } of touched)
      context.print(`\nchanged: ${relative(process.cwd(), file)}, so ${name} runs again`);
    await runIn(context, [...new Set(touched.map(({ name }) => name))], args);
  }
}

/**
 * Whose files have other contents than when they were read last; they are read again. What is gone
 * is kept as it was.
 */
async function touchedOf(
  { root }: Context,
  watched: readonly Watched[],
): Promise<{
  readonly touched: readonly { readonly name: string; readonly file: string }[];
  readonly gone: readonly string[];
}> {
  const touched: { name: string; file: string }[] = [];
  const gone: string[] = [];
  for (const one of watched) {
    const files = await filesOf(root, one.name).catch(undefinedWhereGone);
    if (files === undefined) {
      gone.push(one.name);
      continue;
    }
    const now = await digestsOf(files);
    const names = new Set([...one.files.keys(), ...now.keys()]);
    const file = [...names].find((name) => one.files.get(name) !== now.get(name));
    one.files = now;
    if (file !== undefined) touched.push({ name: one.name, file });
  }
  return { touched, gone };
}

/** An editor may take a file away or truncate it for a while, as git does. */
function undefinedWhereGone(error: unknown): undefined {
  if (!(error instanceof InputError)) throw error;
}

/** Waits for changes in the folders of all files: editors replace files, folders stay. */
function changesBeside({ teardown }: Context) {
  const watchers = new Map<string, FSWatcher>();
  let [changed, ended] = [false, false];
  let wake: () => void = () => undefined;
  const wakeUp = () => {
    changed = true;
    wake();
  };
  teardown.add(() => {
    ended = true;
    for (const watcher of watchers.values()) watcher.close();
    wake();
    return Promise.resolve();
  });
  return {
    listen: (watched: readonly Watched[]) => {
      const folders = new Set(watched.flatMap(({ files }) => [...files.keys()].map(dirname)));
      for (const folder of folders)
        if (!watchers.has(folder)) watchers.set(folder, watch(folder, wakeUp));
    },
    /** @returns false once there is nothing more to wait for. */
    next: async (): Promise<boolean> => {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      changed = false;
      return !ended;
    },
  };
}

/** By the launcher, which builds again what has changed of the project. */
async function runIn(
  { root }: Context,
  names: readonly string[],
  args: readonly string[],
): Promise<void> {
  const [program, ...rest] = withParentDeathSignal(process.pid, [
    join(root, 'flowbed'),
    'run',
    ...names,
    ...args,
  ]);
  await once(spawn(program, rest, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit');
}
