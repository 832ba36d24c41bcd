// Goal: a run in a guest is the run outside: verdict and trace are the same, each time, and what
// goes wrong in a guest is reported with its last words; there the kernel switches. Method: the
// compiled program in the guest that this machine has a kernel for, and programs that end, panic
// and spin in one.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { seedVariable } from '../../../images/uml/fixed-random.js';
import { kernelFolder, openKernel } from '../../../images/uml/kernel.js';
import { runReport } from '../../run/records/run-report.js';
import { runInGuest } from '../../worlds/uml/run-in-guest.js';
import { flowbedIn } from '../flowbed-process.js';

const skip = (await kernelFolder()).built ? false : 'no kernel was made: ./flowbed image build uml';
const limitMs = 900_000;

void t.test('the same run outside and twice inside', { skip, timeout: limitMs }, async (t) => {
  const elsewhere = t.testdir({});
  const request = ['run', 'antrea/encap', '--passes', 'cold', '--json'];
  const outside = await flowbedIn(elsewhere, request);
  t.equal(outside.code, 0, outside.stderr);
  const { traceHash } = runReport.parse(JSON.parse(outside.stdout));
  for (const time of ['first', 'second']) {
    const inside = await flowbedIn(elsewhere, [...request, '--world', 'uml']);
    t.equal(inside.code, 0, inside.stderr);
    const report = runReport.parse(JSON.parse(inside.stdout));
    t.match(report, { verdict: 'conforms', traceHash, world: { name: 'uml' } }, time);
    t.match(report.again, / --world uml/);
    t.match(inside.stderr, /0 of 182 vectors\n[^]*182 of 182 vectors/, 'progress is passed on');
  }
});

void t.test('network namespaces in it, twice', { skip, timeout: limitMs }, async (t) => {
  const request = ['run', 'antrea/encap', '--passes', 'cold', '--json', '--backend', 'netns'];
  const traces = new Set<string>();
  for (const time of ['first', 'second']) {
    const inside = await flowbedIn(t.testdir({}), [...request, '--world', 'uml']);
    t.equal(inside.code, 0, inside.stderr);
    const report = runReport.parse(JSON.parse(inside.stdout));
    t.match(
      report,
      { verdict: 'conforms', backend: 'netns', versions: { linux: /^\d+\.\d+/ } },
      `${time}: packets are switched by the guest's kernel`,
    );
    traces.add(report.traceHash);
  }
  t.equal(traces.size, 1, "the kernel's clock and its random numbers are the world's");
});

void t.test('what is no world', async (t) => {
  const unknown = await flowbedIn(t.testdir({}), ['run', 'antrea/encap', '--world', 'moon']);
  t.equal(unknown.code, 2);
  t.match(unknown.stderr, /moon.*host, uml|host.*uml/);
});

void t.test('programs in a guest', { skip, timeout: limitMs }, async (t) => {
  const kernel = await openKernel();
  const inGuest = async (name: string, script: string, silenceLimitMs = 60_000) => {
    const folder = join(t.testdirName, name);
    await mkdir(folder, { recursive: true });
    const said: string[] = [];
    const code = await runInGuest(
      {
        command: ['/bin/sh', '-c', script],
        cwd: '/',
        variables: { PATH: '/usr/bin:/bin' },
        shared: [],
        needed: [],
      },
      {
        kernel: { ...kernel, seedVariable },
        seed: name === 'other' ? 2 : 1,
        folder,
        onLine: (line) => void said.push(line),
        silenceLimitMs,
      },
    );
    return { code, said };
  };
  t.testdir({});
  const draw =
    'od -An -N8 -tx8 /dev/urandom >&2; date +%s.%N >&2; sleep 5; date +%s.%N >&2; exit 5';
  const first = await inGuest('first', draw);
  t.equal(first.code, 5);
  t.same(await inGuest('second', draw), first, 'one seed, one run: random numbers and the clock');
  t.notSame((await inGuest('other', draw)).said[0], first.said[0], 'another seed, other numbers');
  const turnOff = `echo off >&2; perl -e 'syscall(169, 0xfee1dead, 672274793, 0x4321fedc, 0)'`;
  await t.rejects(inGuest('off', turnOff), {
    message: /before the program in it did/,
    evidence: [/off/],
  });
  await t.rejects(inGuest('spin', 'echo spinning >&2; while :; do :; done', 3_000), {
    message: /said nothing for 3 s/,
    evidence: [/spinning/],
  });
});
