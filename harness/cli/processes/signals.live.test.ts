// Goal: whatever ends a run from outside, and however often, it dies by that signal and leaves no
// process and no folder. Method: the compiled program as a process of its own, ended by a signal
// while switches come up, while a scenario's code never comes back, while it cleans up, and by a
// terminal that goes; what it had started is noted before, and looked for after.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { yieldToEventLoop } from '../../base/concurrency/yield-to-event-loop.js';
import { thisProcess, isAlive, processOwner, type Owner } from '../../ovs/process/owner.js';
import { descendantsOf } from './descendants.js';

const main = fileURLToPath(new URL('../main.js', import.meta.url));
const run = [main, 'run', 'antrea/encap'];
const hasSwitches = /: [1-9]\d* of \d+ vector/;

interface Started {
  readonly child: ChildProcess;
  readonly temporary: string;
}

async function start(t: Test, file: string, args: readonly string[]): Promise<Started> {
  const temporary = await mkdtemp('/tmp/signals-');
  t.teardown(() => rm(temporary, { recursive: true }));
  const env = { ...process.env, TMPDIR: temporary };
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  return { child, temporary };
}

/** Resolves once what the program says, on either stream, fits. */
async function whenPrinted({ child }: Started, what: RegExp): Promise<void> {
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        printed += String(chunk);
        if (what.test(printed)) resolve();
      });
    }
    child.once('exit', () => {
      reject(new Error(`ended before it said ${String(what)}: ${printed}`));
    });
  });
}

/** All that `pid` has started by now, and itself. */
async function familyOf(pid: number): Promise<readonly Owner[]> {
  const pids = [pid, ...descendantsOf(pid).map((descendant) => descendant.pid)];
  const owners = await Promise.all(pids.map(processOwner));
  return owners.filter((owner) => owner !== undefined);
}

async function nothingIsLeft(t: Test, { temporary }: Started, family: readonly Owner[]) {
  t.ok(family.length > 1, `${family.length} processes ran`);
  const alive = await Promise.all(family.map(isAlive));
  t.same(
    family.filter((_, index) => alive[index]),
    [],
    'none of them runs',
  );
  t.same(await readdir(temporary), [], 'no folder is left');
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) {
  void t.test(`${signal}, once and ten times`, async (t) => {
    for (const times of signal === 'SIGINT' ? [1, 10] : [10]) {
      const started = await start(t, process.execPath, run);
      await whenPrinted(started, hasSwitches);
      const family = await familyOf(started.child.pid ?? 0);
      for (let time = 0; time < times; time++) started.child.kill(signal);
      // A core file, which SIGQUIT leaves, is of no use to anybody.
      const end = signal === 'SIGQUIT' ? [131, null] : [null, signal];
      t.same(await once(started.child, 'exit'), end);
      await nothingIsLeft(t, started, family);
    }
  });
}

void t.test('SIGTERM again at every step of cleaning up', async (t) => {
  const started = await start(t, process.execPath, run);
  await whenPrinted(started, hasSwitches);
  const family = await familyOf(started.child.pid ?? 0);
  while (started.child.kill('SIGTERM')) await new Promise(setImmediate);
  t.equal(started.child.signalCode, 'SIGTERM');
  await nothingIsLeft(t, started, family);
});

void t.test('Ctrl-C of a terminal comes to the whole group', async (t) => {
  const started = await start(t, 'setsid', [process.execPath, ...run]);
  await whenPrinted(started, hasSwitches);
  const family = await familyOf(started.child.pid ?? 0);
  process.kill(-(started.child.pid ?? 0), 'SIGINT');
  process.kill(-(started.child.pid ?? 0), 'SIGINT');
  t.same(await once(started.child, 'exit'), [null, 'SIGINT']);
  await nothingIsLeft(t, started, family);
});

void t.test('code of a scenario that never comes back', async (t) => {
  const folder = t.testdir({});
  const file = join(folder, 'endless.mjs');
  await writeFile(file, 'process.stderr.write("in it\\n");\nfor (;;) continue;\n');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const started = await start(t, process.execPath, [main, 'run', file]);
    await whenPrinted(started, /in it/);
    const family = await familyOf(started.child.pid ?? 0);
    started.child.kill(signal);
    t.same(await once(started.child, 'exit'), [null, signal]);
    await nothingIsLeft(t, started, family);
  }
});

void t.test('a terminal that is closed', async (t) => {
  // script(1) holds the other end of the terminal: with it the terminal goes. Descriptor 3 is
  // open in what it has started as long as that runs.
  const command = [process.execPath, ...run].map((word) => `'${word}'`).join(' ');
  const started = await start(t, 'script', ['-qefc', `exec ${command}`, '/dev/null']);
  await whenPrinted(started, hasSwitches);
  const [shell] = descendantsOf(started.child.pid ?? 0);
  const family = await familyOf(shell?.pid ?? 0);
  const gone = once(started.child.stdio[3] as Readable, 'close');
  (started.child.stdio[3] as Readable).resume();
  started.child.kill('SIGKILL');
  await gone;
  // Its files are closed a moment before it is over.
  const [supervisor] = family;
  while (supervisor !== undefined && (await isAlive(supervisor))) await yieldToEventLoop();
  await nothingIsLeft(t, started, family);
  t.ok(await isAlive(await thisProcess()), 'and this process is not of that terminal');
});
