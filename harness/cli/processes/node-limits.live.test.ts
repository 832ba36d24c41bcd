// Goal: started by node, without ./flowbed in front, the program ends 3 with a sentence under
// whatever limits let node run at all: it neither waits for ever nor ends by a stack. Method: the
// compiled program under limits on files and memory; and as users of its own, whose threads are
// not enough for the process that does the work, for one that plays shards, or for daemons.
import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { imageFolder } from '../../../images/images.js';
import { main, type Ended } from '../flowbed-process.js';

const folder = await mkdtemp('/tmp/node-limits-');
t.teardown(() => rm(folder, { recursive: true }));
await chmod(folder, 0o777);
const stack = /\n +at .*:\d+/;

/** The program under a limit, as the shell's `ulimit` sets it; within `command`. */
function under(limit: string, args: readonly string[], command: readonly string[] = []) {
  const script = 'ulimit -c 0; ulimit $0 && exec "$@"';
  const [file = '', ...words] = [
    ...command,
    'bash',
    '-c',
    script,
    limit,
    process.execPath,
    main,
    ...args,
  ];
  const env = {
    ...process.env,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    TMPDIR: folder,
    FLOWBED_CACHE: join(folder, 'cache'),
    FLOWBED_TRUST_CACHE: 'yes',
  };
  return new Promise<Ended>((resolve) => {
    execFile(file, words, { env, timeout: 200_000, killSignal: 'SIGKILL' }, (error, ...output) => {
      const [stdout, stderr] = output;
      resolve({
        code: error === null ? 0 : (error.code ?? String(error.signal)),
        stdout,
        stderr,
      });
    });
  });
}

void t.test('files and memory', async (t) => {
  for (const [limit, sentence] of [
    ['-n 19', /the machine refused: EMFILE|too few files may be open/],
    ['-n 20', /too few files may be open: 20, and 512 are needed\n {2}- raise the limit: ulimit/],
    ['-n 64', /too few files may be open: 64/],
    ['-n 511', /too few files may be open: 511/],
    ['-v 900000', /too little memory may be reserved: 921600000 bytes.*\n {2}- raise the limit/],
    ['-v 3900000', /too little memory may be reserved/],
  ] as const) {
    const { code, stdout, stderr } = await under(limit, ['list']);
    t.match({ code, stdout, stderr }, { code: 3, stdout: '', stderr: sentence }, limit);
    t.notMatch(stderr, stack, 'no stack');
  }
  t.match(await under('-n 512', ['list']), { code: 0 });
});

/** As a user who runs nothing else. */
const asUser = (user: number) => [
  'setpriv',
  `--reuid=${user}`,
  `--regid=${user}`,
  '--clear-groups',
];
const [firstUser, ...reads] = [2_000_000, 'test', '-r', main] as const;
const [setpriv = '', ...words] = [...asUser(firstUser), ...reads];
const skip =
  spawnSync(setpriv, words).status === 0
    ? false
    : 'only root can be other users, each of whom has threads of his own, where they may read this';

void t.test('threads', { skip, timeout: 250_000 }, async (t) => {
  const image = (await imageFolder('trixie'))?.folder ?? '';
  await mkdir(join(folder, 'cache'));
  t.equal(spawnSync('cp', ['-a', image, join(folder, 'cache')]).status, 0);
  const run = ['run', 'antrea/encap', '--passes', 'cold'];
  /** Of one by name: it may load somebody's code, so that a process does it. */
  const list = ['list', 'antrea/encap'];
  const reasons =
    /gave up after 20 s waiting for node|the machine refused|was ended by SIG|could not be started|there is no verdict|could not be written down/;
  const tried = [
    ...[12, 13, 14, 15, 16, 17, 18].map((threads) => [threads, list] as const),
    ...[28, 30, 32, 34, 40, 60].map((threads) => [threads, run] as const),
  ];
  await Promise.all(
    tried.map(async ([threads, args], index) => {
      const ended = await under(`-u ${threads}`, args, asUser(firstUser + index));
      const what = `${args[0]} with ${threads} threads`;
      t.equal(ended.code, 3, `${what}: ${ended.stderr}`);
      t.match(`${ended.stdout}${ended.stderr}`, reasons, what);
      t.notMatch(ended.stderr, stack, what);
    }),
  );
  const enough = await under('-u 400', list, asUser(firstUser + tried.length));
  t.equal(enough.code, 0, enough.stderr);
});
