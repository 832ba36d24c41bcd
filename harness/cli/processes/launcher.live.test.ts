// Goal: `./flowbed` sets itself up on a fresh clone, whatever happens meanwhile, and says what to
// do where it cannot. Method: a copy of the command line's sources (few, so that builds are quick)
// with an empty HOME and the real npm; starts at once, starts that are killed, tools that are
// missing.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { onPath } from '../../base/files/on-path.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const scratch = t.testdir({ clone: {}, home: {}, elsewhere: {}, tools: {} });
const [clone, home, elsewhere, tools] = ['clone', 'home', 'elsewhere', 'tools'].map((name) =>
  join(scratch, name),
) as [string, string, string, string];

for (const name of [
  'flowbed',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'harness/base',
  'harness/cli',
  'harness/ovs',
  'images',
]) {
  await cp(join(root, name), join(clone, name), { recursive: true });
}

interface Started {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function start(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  launcher = join(clone, 'flowbed'),
): Promise<Started> {
  return new Promise((resolve) => {
    execFile(
      launcher,
      args,
      { cwd: elsewhere, env: { PATH: process.env['PATH'], HOME: home, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** A PATH with the tools that the launcher needs, but for one. */
async function toolsWithout(missing: string): Promise<string> {
  await rm(tools, { recursive: true });
  await mkdir(tools);
  for (const name of [
    'sh',
    'readlink',
    'cat',
    'sha256sum',
    'find',
    'sort',
    'mkdir',
    'flock',
    'id',
    'rm',
    'cp',
    'mv',
    'tail',
    'node',
    'npm',
  ]) {
    const path = await onPath(name);
    if (path !== undefined && name !== missing) await symlink(path, join(tools, name));
  }
  return tools;
}

void t.test(
  'where it cannot work it says so, with exit code 3 and nothing on stdout',
  async (t) => {
    t.match(
      await start(['list'], { PATH: await toolsWithout('node') }),
      { code: 3, stdout: '', stderr: /cannot run node.*\n {2}- install Node\.js 20\.10/ },
      'no node',
    );
    t.match(
      await start(['list'], { PATH: await toolsWithout('npm') }),
      { code: 3, stdout: '', stderr: /cannot run npm.*\n {2}- install it/ },
      'no npm',
    );
    t.match(
      await start(['list'], { PATH: await toolsWithout('flock') }),
      { code: 3, stdout: '', stderr: /cannot run flock.*\n {2}- install it/ },
      'no flock',
    );
    await toolsWithout('node');
    await writeFile(join(tools, 'node'), '#!/bin/sh\necho v18.19.0\n', { mode: 0o755 });
    t.match(
      await start(['list'], { PATH: tools }),
      { code: 3, stdout: '', stderr: /20\.10 or newer is needed, but \S+ is v18\.19\.0/ },
      'an old node',
    );
    const unreachable = {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
    };
    t.match(
      await start(['list'], unreachable),
      { code: 3, stdout: '', stderr: /ECONNREFUSED[^]*tried `npm ci --omit=dev`[^]*npm ping/ },
      'no registry',
    );
  },
);

void t.test('two starts at once on a fresh clone', async (t) => {
  const [first, second] = await Promise.all([start(['--help']), start(['--help'])]);
  t.match(
    [first, second],
    [
      { code: 0, stdout: /Usage: flowbed/ },
      { code: 0, stdout: /Usage: flowbed/ },
    ],
  );
  t.equal(
    `${first.stderr}${second.stderr}`.match(/installing npm dependencies/g)?.length,
    1,
    'one of them installs',
  );
  t.equal(`${first.stderr}${second.stderr}`.match(/building/g)?.length, 1, 'one of them builds');
  await t.rejects(
    access(join(clone, 'node_modules/tap')),
    { code: 'ENOENT' },
    'what only tests need is not installed',
  );
});

void t.test('once set up', async (t) => {
  t.match(await start(['--help']), { code: 0, stdout: /Usage/, stderr: /^$/ }, 'it says nothing');
  await symlink(join(clone, 'flowbed'), join(elsewhere, 'flowbed'));
  t.match(
    await start(['nonsense'], {}, join(elsewhere, 'flowbed')),
    { code: 2 },
    'it is found through a link, and passes on the exit code',
  );
});

void t.test('a source that is added or deleted is noticed', async (t) => {
  const [source, compiled] = [
    join(clone, 'harness/base/added.ts'),
    join(clone, 'dist/harness/base/added.js'),
  ];
  await writeFile(source, 'export const added = 1;\n');
  t.match(await start(['--help']), { code: 0, stderr: 'flowbed: building…\n' });
  await access(compiled);
  await rm(source);
  t.match(await start(['--help']), { code: 0, stderr: 'flowbed: building…\n' });
  await t.rejects(access(compiled), { code: 'ENOENT' });
});

void t.test('a start that is killed while it builds', async (t) => {
  await writeFile(join(clone, 'harness/base/added.ts'), 'export const added = 1;\n');
  const killed = spawn(join(clone, 'flowbed'), ['--help'], {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  await once(killed.stderr, 'data');
  process.kill(-(killed.pid ?? 0), 'SIGKILL');
  await once(killed, 'exit');
  t.match(await start(['--help']), {
    code: 0,
    stdout: /Usage/,
    stderr: /^flowbed: (waiting[^]*)?building…\n$/,
  });
  t.same(
    (await readdir(clone)).filter((name) => name.startsWith('dist')),
    ['dist'],
    'nothing half-built is left',
  );
});

void t.test(
  'a build that fails says where, and does not stand in the way of the next',
  async (t) => {
    await writeFile(join(clone, 'harness/base/added.ts'), 'export const = 1;\n');
    t.match(await start(['--help']), {
      code: 3,
      stdout: '',
      stderr: /harness\/base\/added\.ts\(1,14\)[^]*the build failed/,
    });
    await rm(join(clone, 'harness/base/added.ts'));
    t.match(await start(['--help']), { code: 0, stdout: /Usage/ });
  },
);
