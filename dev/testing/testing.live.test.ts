// Goal: no way for a test to fail is counted as a pass, and the totals are true. Method: planted
// test files, each failing in its own way, run as `flowbed test` runs them; golden text for what is
// printed.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import picocolors from 'picocolors';
import t from 'tap';
import {
  openTestWorkers,
  workerFileCheck,
  programCheck,
  progressLine,
  summary,
  testFileCheck,
  type Tally,
} from './index.js';

const limitMs = 20_000;
const noColors = picocolors.createColors(false);

const folder = t.testdir({});
// One exit listener a running test file.
process.setMaxListeners(20);

async function runPlanted(name: string, source: string, limit = limitMs): Promise<Tally> {
  const file = join(folder, `${name.replaceAll(' ', '-')}.js`);
  await writeFile(file, source);
  return testFileCheck('planted.test.ts', file, process.cwd(), limit).run();
}

void t.test('a test file of each kind', async (t) => {
  const planted: readonly {
    readonly what: string;
    readonly source: string;
    readonly passed: number;
    readonly failures: readonly RegExp[];
  }[] = [
    {
      what: 'all passes',
      source:
        `import t from 'tap'; t.test('a', async (t) => { t.ok(1); t.ok(2); t.test('b', async ` +
        '(t) => { t.ok(3) }) })',
      passed: 3,
      failures: [],
    },
    {
      what: 'one of three fails',
      source:
        `import t from 'tap'; t.test('a', async (t) => { t.ok(1); t.test('b', async (t) => { ` +
        `t.equal(1, 2, 'same') }); t.ok(2) })`,
      passed: 2,
      failures: [/^a › b › same$/],
    },
    {
      what: 'a throw',
      source: `import t from 'tap'; t.test('a', async (t) => { t.ok(1); throw new Error('oh') })`,
      passed: 1,
      failures: [/^a › oh$/],
    },
    {
      what: 'a plan that does not hold',
      source: `import t from 'tap'; t.test('a', async (t) => { t.plan(2); t.ok(1) })`,
      passed: 1,
      failures: [/a/],
    },
    {
      what: 'crashes before its first test',
      source: `throw new Error('oh')`,
      passed: 0,
      failures: [/^exited with 1$/],
    },
    {
      what: 'is killed',
      source: `import t from 'tap'; t.ok(1); process.kill(process.pid, 'SIGKILL')`,
      passed: 1,
      failures: [/^was killed by SIGKILL$/],
    },
    { what: 'tests nothing', source: `import 'tap'`, passed: 0, failures: [/^it tests nothing$/] },
    {
      what: 'is no test',
      source: `console.log('hello')`,
      passed: 0,
      failures: [/^it tests nothing$/],
    },
    {
      what: 'is cut off',
      source: `console.log('TAP version 14\\nok 1 - first\\n'); process.exit(0)`,
      passed: 1,
      failures: [/results are incomplete/],
    },
    {
      what: 'exits with 1 though all passed',
      source: `import t from 'tap'; t.ok(1); process.on('exit', () => { process.exitCode = 1 })`,
      passed: 1,
      failures: [/^exited with 1$/],
    },
    {
      what: 'bails out',
      source: `import t from 'tap'; t.ok(1); t.bailout('enough')`,
      passed: 1,
      failures: [/bail out/],
    },
  ];
  const tallies = await Promise.all(planted.map(({ what, source }) => runPlanted(what, source)));
  planted.forEach(({ what, passed, failures }, index) => {
    const tally = tallies[index];
    t.equal(tally?.passed, passed, `${what}: passed`);
    t.match(
      tally?.failures.map(({ path }) => path.join(' › ')),
      failures,
      `${what}: failed`,
    );
    t.equal(tally?.failures.length, failures.length, `${what}: no other failure`);
  });
});

void t.test(
  'test files that share a program: each is reported by itself, whatever the one before it did',
  async (t) => {
    const workers = openTestWorkers(process.cwd());
    t.teardown(() => workers.close());
    const play = async (name: string, source: string, limit = limitMs): Promise<string> => {
      const file = join(folder, `${name.replaceAll(' ', '-')}.js`);
      await writeFile(file, source);
      const { passed, failures, skips } = await workerFileCheck(
        'planted.test.ts',
        file,
        workers,
        limit,
      ).run();
      return [
        `${passed} passed`,
        ...failures.map(({ path }) => path.join(' › ')),
        ...skips.map(({ reason }) => `skipped: ${reason}`),
      ].join(', ');
    };
    const sound =
      `import t from 'tap'; t.test('a', async (t) => { t.ok(1); t.ok(2); t.test('b', async ` +
      '(t) => { t.ok(3) }) })';
    const planted: readonly (readonly [
      what: string,
      source: string,
      expected: RegExp,
      limitMs?: number,
    ])[] = [
      [
        'one of three fails',
        `import t from 'tap'; t.test('a', async (t) => { t.ok(1); t.test('b', async (t) => { ` +
          `t.equal(1, 2, 'same') }); t.ok(2) })`,
        /^2 passed, a › b › same$/,
      ],
      [
        'a throw',
        `import t from 'tap'; t.test('a', async (t) => { t.ok(1); throw new Error('oh') })`,
        /^1 passed, a › oh$/,
      ],
      [
        'a plan that does not hold',
        `import t from 'tap'; t.test('a', async (t) => { t.plan(2); t.ok(1) })`,
        /^1 passed, a/,
      ],
      [
        'skips',
        `import t from 'tap'; t.ok(1); t.test('a', { skip: 'not root' }, async () => {})`,
        /^1 passed, skipped: not root$/,
      ],
      ['a throw before the first test', `throw new Error('oh')`, /^0 passed, oh$/],
      ['tests nothing', `import 'tap'`, /^0 passed, it tests nothing$/],
      ['no program', `import from`, /^0 passed, /],
      [
        'is killed',
        `import t from 'tap'; process.kill(process.pid, 'SIGKILL')`,
        /^0 passed, was killed by SIGKILL before it had ended$/,
      ],
      [
        'ends the program',
        `import t from 'tap'; t.test('a', async () => { process.exit(0) })`,
        /^0 passed, exited with 0 before it had ended$/,
      ],
      ['hangs', 'while (true);', /^0 passed, gave up after 3 s/, 3_000],
    ];
    for (const [what, source, expected, limit] of planted) {
      t.match(await play(what, source, limit), expected, what);
      t.equal(await play(`behind ${what}`, sound), '3 passed', `the one behind it: ${what}`);
    }
  },
);

void t.test('a test file that hangs is given up, and what it started is killed', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const { port } = server.address() as AddressInfo;
  const grandchild = `require('net').connect(${port}, '127.0.0.1')`;
  const source =
    `import { spawn } from 'node:child_process'; spawn(process.execPath, ['-e', ` +
    `${JSON.stringify(grandchild)}]); console.error('here'); while (true);`;
  const tally = await runPlanted('hangs', source, 3_000);
  t.match(tally.failures, [{ path: [/^gave up after 3 s/], diagnosis: ['here'] }]);
  const [socket] = await connected;
  socket.on('error', () => undefined).resume();
  if (!socket.closed) await once(socket, 'close');
  t.ok(socket.closed, 'the connection that its child held is closed');
});

void t.test('skips have a reason', async (t) => {
  const tally = await runPlanted(
    'skips',
    `import t from 'tap'; t.ok(1); t.test('a', { skip: 'not root' }, async () => {}); ` +
      `t.test('b', { todo: true }, async () => {}); t.test('property', async () => {})`,
  );
  t.match(tally, {
    passed: 2,
    failures: [],
    skips: [
      { path: ['a'], reason: 'not root' },
      { path: ['b'], reason: /to do/ },
    ],
  });
  const whole = await runPlanted(
    'skipped as a whole',
    `console.log('TAP version 14\\n1..0 # SKIP no docker')`,
  );
  t.match(whole, { passed: 0, failures: [], skips: [{ reason: 'no docker' }] });
});

void t.test('a program is judged by its exit code', async (t) => {
  t.match(await programCheck('lint', ['--eval', ''], process.cwd(), limitMs).run(), {
    passed: 1,
    failures: [],
  });
  t.match(
    await programCheck(
      'lint',
      ['--eval', 'console.log("a.ts:1 no"); process.exit(2)'],
      process.cwd(),
      limitMs,
    ).run(),
    { passed: 0, failures: [{ path: ['exited with 2'], diagnosis: ['a.ts:1 no'] }] },
  );
});

void t.test('what is printed', async (t) => {
  const checked = [
    {
      name: 'a.test.ts',
      durationMs: 1234,
      tally: {
        passed: 3,
        failures: [{ path: ['b', 'same'], diagnosis: ['at a.test.ts:7', '-1', '+2'] }],
        skips: [],
      },
    },
    {
      name: 'c.test.ts',
      durationMs: 100,
      tally: { passed: 1, failures: [], skips: [{ path: ['d'], reason: 'not root' }] },
    },
  ];
  t.equal(
    checked.map((each) => progressLine(each, noColors)).join('\n'),
    '✖ a.test.ts  3 passed, 1 failed  1.2 s\n✔ c.test.ts  1 passed, 1 skipped  0.1 s',
  );
  t.equal(
    summary(checked, noColors).join('\n'),
    [
      '',
      '✖ a.test.ts › b › same',
      '    at a.test.ts:7',
      '    -1',
      '    +2',
      '',
      'Skipped:',
      '- c.test.ts › d: not root',
      '',
      '4 passed, 1 failed, 1 skipped',
    ].join('\n'),
  );
});
