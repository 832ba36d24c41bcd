// Goal: a signal, again and again, or a terminal that goes, ends `./flowbed` at once also while it
// sets itself up, with all that it has started; nothing half made stays, and the next start works.
// Method: the real launcher in a clone whose npm and compiler are stubs. They hear no signal, never
// come back, and have a child of that kind; without them the next start is quick. All that runs has
// descriptor 3, which closes once the last of it has ended.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const signals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
const steps = ['npm', 'tsc'] as const;
type Step = (typeof steps)[number];

/** Stands for what bundles. */
const bundler = `
import { mkdirSync, writeFileSync } from 'node:fs';
const bundle = new URL('../../../bundle/', import.meta.url);
mkdirSync(bundle, { recursive: true });
writeFileSync(new URL('main.js', bundle), 'console.log("started")');
`;

const tsc = `
const { mkdirSync, writeFileSync, writeSync } = require('node:fs');
const { spawn } = require('node:child_process');
const folder = process.argv[process.argv.indexOf('--outDir') + 1] + '/harness/cli/bundle';
mkdirSync(folder, { recursive: true });
if (process.env.ENDLESS === 'tsc') {
  for (const signal of ${JSON.stringify(signals)}) process.on(signal, () => {});
  spawn('sleep', ['1000'], { stdio: ['ignore', 'ignore', 'ignore', 3] });
  writeSync(3, 'tsc runs');
  setInterval(() => {}, 1 << 30);
} else {
  writeFileSync(folder + '/write-bundle.js', ${JSON.stringify(bundler)});
}
`;

const npm = `#!/bin/sh
set -e
mkdir -p node_modules/typescript/bin
if [ "$ENDLESS" = npm ]; then
  trap '' HUP INT QUIT TERM
  sleep 1000 &
  echo npm runs >&3
  wait
fi
cp "$TSC" node_modules/typescript/bin/tsc
`;

interface Clone {
  readonly folder: string;
  readonly launcher: string;
  readonly env: NodeJS.ProcessEnv;
}

async function cloneIn(t: Test): Promise<Clone> {
  const scratch = t.testdir({ tools: { npm, tsc }, clone: { harness: {} } });
  const [tools, folder] = [join(scratch, 'tools'), join(scratch, 'clone')];
  await chmod(join(tools, 'npm'), 0o755);
  for (const name of ['flowbed', 'package.json', 'package-lock.json', 'tsconfig.json'])
    await cp(join(root, name), join(folder, name));
  const env = { PATH: `${tools}:${process.env['PATH']}`, HOME: scratch, TSC: join(tools, 'tsc') };
  return { folder, launcher: join(folder, 'flowbed'), env };
}

interface Started {
  readonly child: ChildProcess;
  readonly held: Readable;
  readonly allHaveEnded: Promise<unknown>;
}

/** In a process group of its own. */
function start({ env }: Clone, endless: Step | '', command: readonly string[]): Started {
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    env: { ...env, ENDLESS: endless },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const held = child.stdio[3] as Readable;
  return { child, held, allHaveEnded: once(held, 'close') };
}

async function nextStartWorks(t: Test, clone: Clone): Promise<void> {
  const state = join(clone.folder, '.flowbed');
  t.notMatch(await readdir(state), ['new'], 'no half of node_modules');
  t.same(
    (await readdir(clone.folder)).filter((name) => name.startsWith('dist')),
    [],
    'nothing half-built',
  );
  t.equal(spawnSync('flock', ['-n', join(state, 'lock'), 'true']).status, 0, 'the lock is free');
  await startWorks(t, clone);
}

async function startWorks(t: Test, clone: Clone, command = [clone.launcher, 'list']) {
  const { child, held } = start(clone, '', command);
  held.resume();
  let printed = '';
  child.stdout?.on('data', (chunk) => (printed += String(chunk)));
  t.same(await once(child, 'close'), [0, null]);
  t.equal(printed, 'started\n', 'the next start works');
}

for (const step of steps) {
  for (const signal of signals) {
    // 131 leaves no core file.
    const end = signal === 'SIGQUIT' ? [131, null] : [null, signal];

    void t.test(`${signal} while ${step} runs`, async (t) => {
      const clone = await cloneIn(t);
      const started = start(clone, step, [clone.launcher, 'list']);
      t.match(String((await once(started.held, 'data'))[0]), `${step} runs`);
      started.child.kill(signal);
      t.same(await once(started.child, 'exit'), end);
      await started.allHaveEnded;
      await nextStartWorks(t, clone);
    });

    void t.test(`${signal} to the whole group, until all is over, in ${step}`, async (t) => {
      const clone = await cloneIn(t);
      const started = start(clone, step, [clone.launcher, 'list']);
      await once(started.held, 'data');
      const ended = once(started.child, 'exit');
      while (started.child.exitCode === null && started.child.signalCode === null) {
        process.kill(-(started.child.pid ?? 0), signal);
        await new Promise(setImmediate);
      }
      t.same(await ended, end);
      await started.allHaveEnded;
      await nextStartWorks(t, clone);
    });
  }

  void t.test(`a terminal that is closed while ${step} runs`, async (t) => {
    const clone = await cloneIn(t);
    const command = ['script', '-qefc', `exec '${clone.launcher}' list`, '/dev/null'];
    const started = start(clone, step, command);
    await once(started.held, 'data');
    started.child.kill('SIGKILL');
    await started.allHaveEnded;
    await nextStartWorks(t, clone);
  });
}

void t.test('while it waits for another start', async (t) => {
  const clone = await cloneIn(t);
  const first = start(clone, 'npm', [clone.launcher, 'list']);
  await once(first.held, 'data');
  const second = start(clone, '', [clone.launcher, 'list']);
  second.held.resume();
  await once(second.child.stderr as Readable, 'data');
  second.child.kill('SIGTERM');
  t.same(await once(second.child, 'exit'), [null, 'SIGTERM']);
  await second.allHaveEnded;
  await readdir(join(clone.folder, '.flowbed/new/node_modules'));
  first.child.kill('SIGTERM');
  await first.allHaveEnded;
  await nextStartWorks(t, clone);
});

void t.test('who reads what it says is gone', async (t) => {
  const clone = await cloneIn(t);
  const script = 'exec 4> >(exit 0); wait $!; exec "$1" list 2>&4';
  await startWorks(t, clone, ['bash', '-c', script, 'bash', clone.launcher]);
});

void t.test('an older build stays where a new one is interrupted', async (t) => {
  const clone = await cloneIn(t);
  await startWorks(t, clone);
  await writeFile(join(clone.folder, 'harness/added.ts'), '');
  const started = start(clone, 'tsc', [clone.launcher, 'list']);
  await once(started.held, 'data');
  started.child.kill('SIGTERM');
  await started.allHaveEnded;
  t.same(
    (await readdir(clone.folder)).filter((name) => name.startsWith('dist')),
    ['dist'],
  );
});
