// Goal: where the machine refuses room on a disk, files, memory or threads, a run ends with 3 and a
// sentence that says what is missing, and never with a stack; a verdict that was reached is
// reported all the same, and a divergence stays one. Method: the program with one place after the
// other on a small file system of its own (tmpfs in a mount namespace), and under one limit of the
// shell after the other (ulimit); a scenario whose own code takes away what is to be written to.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { runReport } from '../../run/records/run-report.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const main = fileURLToPath(new URL('../main.js', import.meta.url));
const elsewhere = t.testdir({});
const temporary = await mkdtemp('/tmp/limits-');
t.teardown(() => rm(temporary, { recursive: true }));
await mkdir(join(root, 'runs'), { recursive: true });

const scenario = (intent: string, vectors = ''): string => `
import { rmSync, writeFileSync } from 'node:fs';
import { antrea, defineScenario, intentOf, vectors } from 'flowbed';
import { antreaCluster } from 'flowbed/topologies/antrea/antrea-cluster';
export default defineScenario({
  name: 'small', title: 'two pods', axes: {},
  topology: () => antreaCluster({ nodes: 1, podsPerNode: 2, tunnel: 'geneve' }),
  controlPlane: antrea('0.8'),
  vectors(topology) { ${vectors}; return vectors.podToPod(topology).slice(0, 2); },
  intent: ${intent},
});
`;
await writeFile(join(elsewhere, 'conforms.mjs'), scenario('intentOf'));
await writeFile(
  join(elsewhere, 'diverges.mjs'),
  scenario("() => ({ kind: 'denied', why: 'so says this test' })"),
);

interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of bash with `words` behind it. */
function bash(
  script: string,
  words: readonly string[],
  within: readonly string[] = [],
  variables: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const [file = '', ...args] = [
    ...within,
    'bash',
    '-c',
    `ulimit -c 0; ${script}`,
    'bash',
    ...words,
  ];
  const env = {
    ...process.env,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    TMPDIR: temporary,
    ...variables,
  };
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      { cwd: elsewhere, env, maxBuffer: 1 << 26, timeout: 120_000, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        resolve({
          code: error === null ? 0 : (error.code ?? String(error.signal)),
          stdout,
          stderr,
        });
      },
    );
  });
}

/** How to get a mount namespace here: as root, or as root of a user namespace. */
const ways = [
  ['unshare', '--mount'],
  ['unshare', '--user', '--map-root-user', '--mount'],
];
const namespace = ways.find(
  ([file = '', ...args]) =>
    spawnSync(file, [...args, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0,
);
const skip =
  namespace === undefined
    ? 'this machine lets nobody make a file system of his own (unshare --mount)'
    : false;

/** `flowbed` with `args`, a file system of `size` at `place`. */
function onSmallDisk(
  place: string,
  size: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  return bash(
    'mount -t tmpfs -o size="$1",mode=755 tmpfs "$2" && shift 2 && exec "$@"',
    [size, place, process.execPath, main, ...args],
    namespace,
    variables,
  );
}

const run = (name: string, ...options: readonly string[]) => [
  'run',
  `./${name}.mjs`,
  '--passes',
  'cold',
  ...options,
];
const stack = /\n +at .*:\d+/;

void t.test(
  'a disk without room, at each place that is written to',
  { skip, timeout: 300_000 },
  async (t) => {
    const place = join(elsewhere, 'small');
    await mkdir(place);
    const places: Readonly<
      Record<
        string,
        {
          readonly at: string;
          readonly sizes: readonly string[];
          readonly args: readonly string[];
          readonly variables?: NodeJS.ProcessEnv;
          readonly message: RegExp;
        }
      >
    > = {
      'the folders of switches': {
        at: '/mnt',
        sizes: ['4k', '16k', '32k', '40k'],
        args: run('conforms'),
        variables: { TMPDIR: '/mnt' },
        message: /- make room (on that disk|where the folders of switches are).*df -h/,
      },
      'the folder of the run': {
        at: join(root, 'runs'),
        sizes: ['4k', '12k', '24k'],
        args: run('conforms'),
        message: /the machine refused: ENOSPC.*\n +- make room on that disk: df -h/,
      },
      reports: {
        at: place,
        sizes: ['8k', '32k'],
        args: run('conforms', '--report', place),
        message: /the machine refused: ENOSPC.*\n +- make room on that disk: df -h/,
      },
      images: {
        at: place,
        sizes: ['4k', '1m', '100m'],
        args: run('conforms'),
        variables: { FLOWBED_CACHE: place },
        message:
          /cannot keep images in .*: there are \d+ MB of room, and making one takes 500 MB\n +- name a folder/,
      },
    };
    for (const [name, { at, sizes, args, variables, message }] of Object.entries(places)) {
      for (const size of sizes) {
        const { code, stdout, stderr } = await onSmallDisk(at, size, args, variables);
        t.equal(code, 3, `${name}, ${size}`);
        t.match(`${stdout}${stderr}`, message, `${name}, ${size}`);
        t.notMatch(stderr, stack, 'no stack');
      }
    }
  },
);

void t.test(
  'a verdict that was reached is reported though its folder cannot be written',
  { skip, timeout: 60_000 },
  async (t) => {
    const runs = join(root, 'runs');
    const lastLines =
      /^ {2}verdict {3}(conforms|diverges)\n {2}folder {4}none: it could not be written$/m;
    t.match(await onSmallDisk(runs, '4k', run('conforms')), {
      code: 3,
      stdout: lastLines,
      stderr: /ENOSPC/,
    });
    t.match(await onSmallDisk(runs, '4k', run('diverges')), {
      code: 1,
      stdout: lastLines,
      stderr: /ENOSPC/,
    });
    const { code, stdout } = await onSmallDisk(runs, '4k', run('diverges', '--json'));
    t.match([code, runReport.parse(JSON.parse(stdout)).verdict], [1, 'diverges']);
    t.match(
      await onSmallDisk(runs, '4m', run('conforms')),
      { code: 0, stdout: /^ {2}folder {4}runs\/1$/m },
      'with room',
    );
  },
);

void t.test(
  'reports that cannot be written are reported before anything is brought up',
  async (t) => {
    await writeFile(join(elsewhere, 'file'), '');
    await mkdir(join(elsewhere, 'reports', 'report.html'), { recursive: true });
    for (const [folder, message] of [
      ['file', /EEXIST|ENOTDIR|no folder/],
      ['file/below', /ENOTDIR/],
      ['/proc/reports', /ENOENT/],
      ['reports', /report\.html is no file/],
    ] as const) {
      const { stdout, stderr, code } = await bash('exec "$@"', [
        process.execPath,
        main,
        ...run('conforms', '--report', folder),
      ]);
      t.match({ code, stdout }, { code: 2, stdout: '' }, folder);
      t.match(
        stderr,
        new RegExp(`^flowbed: --report ${folder}: cannot be written to: .*(${message.source})`),
      );
    }
    const full =
      'mount -t tmpfs -o size=4k tmpfs /mnt && (head -c 9000 /dev/zero >/mnt/full || true) && ' +
      'exec "$@"';
    if (!skip)
      t.match(
        await bash(
          full,
          [process.execPath, main, ...run('conforms', '--report', '/mnt')],
          namespace,
        ),
        { code: 2, stdout: '', stderr: /--report \/mnt: cannot be written to: ENOSPC/ },
      );
  },
);

void t.test('a folder that is taken away during the run', async (t) => {
  const gone = join(elsewhere, 'gone');
  const takeAway =
    `rmSync(${JSON.stringify(gone)}, { recursive: true }); ` +
    `writeFileSync(${JSON.stringify(gone)}, '')`;
  for (const [name, intent, code] of [
    ['gone-conforms', 'intentOf', 3],
    ['gone-diverges', "() => ({ kind: 'denied', why: 'so says this test' })", 1],
  ] as const) {
    await writeFile(
      join(elsewhere, `${name}.mjs`),
      scenario(
        intent,
        'let first = globalThis.first ?? true; globalThis.first = false; if (first && ' +
          `process.send === undefined) { ${takeAway} }`,
      ),
    );
    await rm(gone, { force: true });
    t.match(await bash('exec "$@"', [process.execPath, main, ...run(name, '--report', gone)]), {
      code,
      stdout:
        /^ {2}verdict {3}(conforms|diverges)\n {2}folder {4}runs\/\d+\n {2}reports {3}not all of them: they could not be written$/m,
      stderr: /the machine refused: ENOTDIR/,
    });
  }
});

void t.test('limits of the shell', { timeout: 300_000 }, async (t) => {
  const limits: readonly (readonly [limit: string, message: RegExp])[] = [
    ['-n 13', /too few files may be open: 13, and 512 are needed\n +- raise the limit/],
    ['-n 64', /too few files may be open: 64/],
    ['-n 511', /too few files may be open: 511/],
    [
      '-v 100000',
      /too little memory may be reserved: 102400000 bytes.*\n +- raise the limit: ulimit -v unlimited/,
    ],
    ['-v 3000000', /too little memory may be reserved/],
    ['-f 0', /raise the limit on the size of files: ulimit -f unlimited/],
    ['-f 8', /raise the limit on the size of files: ulimit -f unlimited/],
    [
      '-u 20',
      /node cannot start its threads: this user may have 20 of them.*\n +- raise the limit: ulimit -u/,
    ],
  ];
  for (const [limit, message] of limits) {
    const { code, stdout, stderr } = await bash(`ulimit ${limit} && exec "$@"`, [
      join(root, 'flowbed'),
      ...run('conforms'),
    ]);
    t.equal(code, 3, limit);
    t.match(`${stdout}${stderr}`, message, limit);
    t.notMatch(stderr, stack, 'no stack');
  }
  for (const limit of ['-n 512', '-f 4000', '-v 8000000', '-u 4096']) {
    t.match(
      await bash(`ulimit ${limit} && exec "$@"`, [join(root, 'flowbed'), ...run('conforms')]),
      { code: 0 },
      `${limit} is enough`,
    );
  }
});
