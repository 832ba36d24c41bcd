/**
 * Goal: a daemon in namespaces of its own is still this process's child: it dies with it, can be
 * inspected in /proc and stopped; and what does not isolate is not taken for isolation. Method:
 * each way that this machine allows, a program that waits in the daemon's place, and a parent that
 * is killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import t from 'tap';
import { yieldToEventLoop } from '../../base/concurrency/yield-to-event-loop.js';
import { withParentDeathSignal } from './parent-death-signal.js';
import { isolated, requestedIsolation, isolationBy, isolationMethods } from './isolation.js';

void t.test('FLOWBED_ISOLATION is none, or not set', async (t) => {
  t.strictSame(await requestedIsolation('none'), {
    network: 'shared with the host',
    why: 'FLOWBED_ISOLATION=none',
  });
  await t.rejects(requestedIsolation('off'), {
    name: 'InputError',
    message: /^FLOWBED_ISOLATION is "off"; it may be none, or not set/,
  });
  t.strictSame(await requestedIsolation(''), await requestedIsolation(undefined));
});

void t.test('what does not isolate is not taken', async (t) => {
  const nothing = { how: 'by nothing', command: ['env', '--'] } as const;
  const refused = {
    how: 'by what is refused',
    command: ['sh', '-c', 'echo not permitted >&2; exit 1'],
  } as const;
  const missing = { how: 'by what is missing', command: ['no-such-program'] } as const;
  // EACCES where PATH has folders that this user may not look into.
  t.match(await isolationBy([nothing, refused, missing]), {
    network: 'shared with the host',
    why: /^env made no network namespace; not permitted; spawn no-such-program (ENOENT|EACCES)$/,
  });
});

for (const way of isolationMethods) {
  const found = await isolationBy([way]);
  const skip = found.network === 'own' ? false : found.why;
  void t.test(way.how, { skip }, async (t) => {
    const parent = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `
      import { spawn } from 'node:child_process';
      import { withParentDeathSignal } from ${JSON.stringify(new URL('parent-death-signal.js', import.meta.url))};
      import { isolated } from ${JSON.stringify(new URL('isolation.js', import.meta.url))};
      const [file, ...args] = isolated(${JSON.stringify(found)}, withParentDeathSignal(process.pid, ['sh', '-c', 'echo $$; exec cat']));
      spawn(file, args, { stdio: ['pipe', 'inherit', 'inherit'], env: { ...process.env, OVS_RUNDIR: '/nowhere' }, detached: true });`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pid = Number(String((await once(parent.stdout, 'data'))[0]));
    while (readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== 'cat\0') await yieldToEventLoop();
    t.not(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync('/proc/self/ns/net'));
    t.match(readFileSync(`/proc/${pid}/environ`, 'utf8'), 'OVS_RUNDIR=/nowhere', 'clean finds it');
    t.match(status(pid), new RegExp(`^Uid:\t${process.getuid?.()}\t`, 'm'));
    process.kill(pid, 'SIGSTOP');
    while (!/^State:\tT/m.test(status(pid))) await yieldToEventLoop();
    process.kill(pid, 'SIGCONT');
    parent.kill('SIGKILL');
    while (/^State:\t[^ZX]/m.test(status(pid))) await yieldToEventLoop();
    t.pass('it died with its parent');
  });
}

void t.test('a parent that has gone starts nothing', async (t) => {
  const [file, ...args] = isolated(
    await requestedIsolation(undefined),
    withParentDeathSignal(process.pid + 1, ['echo', 'started']),
  );
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const printed: unknown[] = [];
  child.stdout.on('data', (data) => printed.push(data));
  await once(child, 'close');
  t.strictSame(printed, []);
});

/** Empty once it has gone. */
function status(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
