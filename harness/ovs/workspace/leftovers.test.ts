// Goal: what a killed run leaves is found and removed, to the last process, and a live run is not
// touched. Method: a process that makes a workspace and starts a long-lived program in it is
// killed; this process is the live run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { withParentDeathSignal } from '../process/parent-death-signal.js';
import { findLeftovers, removeLeftover } from './leftovers.js';
import { formatOwner, currentPlace, isAlive, parseOwner, thisProcess } from '../process/owner.js';
import { createWorkspace, findWorkspaces } from './workspace.js';

const unshare = [
  'unshare',
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--mount-proc',
] as const;
const tried = spawnSync(unshare[0], [...unshare.slice(1), 'true'], { encoding: 'utf8' });
const mayNot = tried.status === 0 ? false : `this user may make no namespace: ${tried.stderr}`;

/**
 * A folder of the test's own: a `flowbed clean` that somebody calls meanwhile must not take what is
 * looked for here.
 */
async function ownTemporary(t: Test): Promise<string> {
  const temporary = await mkdtemp('/tmp/left-');
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  t.teardown(async () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    await rm(temporary, { recursive: true });
  });
  return temporary;
}

void t.test('who cannot be looked up is not taken for dead', (t) => {
  const asked = spawnSync(
    'sh',
    [
      '-c',
      'ulimit -n 64; exec "$0" --input-type=module --eval "$1"',
      process.execPath,
      `
    import { openSync } from 'node:fs';
    import { isAlive, thisProcess } from ${JSON.stringify(new URL('../process/owner.js', import.meta.url).href)};
    const me = await thisProcess();
    try { for (;;) openSync('/dev/null'); } catch {}
    const answer = await isAlive(me).catch((error) => error.code);
    process.stdout.write(String(answer));
  `,
    ],
    { encoding: 'utf8' },
  );
  t.equal(asked.stdout, 'EMFILE', asked.stderr);
  t.end();
});

void t.test('a killed run and a live one', async (t) => {
  await ownTemporary(t);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const daemon = `require('net').connect(${(server.address() as AddressInfo).port}, '127.0.0.1')`;
  const run = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `
    import { spawn, spawnSync } from 'node:child_process';
    import { createWorkspace } from ${JSON.stringify(new URL('./workspace.js', import.meta.url).href)};
    const { dir } = await createWorkspace();
    spawn(process.execPath, ['-e', ${JSON.stringify(daemon)}, '--', '--unixctl=' + dir + '/node-1/daemon.ctl'], { env: { ...process.env, OVS_RUNDIR: dir + '/node-1' }, detached: true, stdio: 'ignore' });
    console.log(dir);
  `,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [output] = (await once(run.stdout.setEncoding('utf8'), 'data')) as [string];
  const dir = output.trim();
  const [socket] = await connected;
  socket.on('error', () => undefined).resume();
  const shell = spawn('cat', {
    env: { ...process.env, OVS_RUNDIR: dir },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const shellEnded = once(shell, 'exit');
  const live = await createWorkspace();
  t.teardown(live.remove);

  const owners = new Map(
    (await findWorkspaces()).map((workspace) => [workspace.dir, workspace.owner]),
  );
  t.equal(owners.get(dir), 'alive');
  t.equal(owners.get(live.dir), 'alive');
  t.notOk(
    (await findLeftovers()).some((leftover) => leftover.dir === dir),
    'a run that lives is no leftover',
  );

  run.kill('SIGKILL');
  await once(run, 'exit');
  const leftover = (await findLeftovers()).find((each) => each.dir === dir);
  t.equal(leftover?.processes.length, 1, 'its daemon is found');
  t.notOk(
    (await findLeftovers()).some((each) => each.dir === live.dir),
    'the live run is not',
  );
  if (leftover === undefined) return;
  await removeLeftover(leftover);
  if (!socket.closed) await once(socket, 'close');
  await t.rejects(access(dir), { code: 'ENOENT' }, 'its folder is gone');
  await access(live.dir);
  await removeLeftover(leftover);
  shell.stdin?.end();
  t.same(
    await shellEnded,
    [0, null],
    'somebody who inspects a switch with OVS_RUNDIR set was not killed',
  );
});

void t.test('a daemon whose parent has died already is not started', (t) => {
  const output = (parent: number) => {
    const [file, ...args] = withParentDeathSignal(parent, ['echo', 'started', 'as it is']);
    return spawnSync(file, args, { encoding: 'utf8' }).stdout;
  };
  t.strictSame([output(process.pid), output(process.pid + 1)], ['started as it is\n', '']);
  t.end();
});

void t.test('what is only named alike is no workspace', async (t) => {
  const temporary = await ownTemporary(t);
  const gone = `flowbed-4194304-3-${currentPlace()}-AbCdEf`;
  for (const name of [
    'flowbed-notes',
    'flowbed-0-AbCdEf',
    'flowbed-4194304-1',
    'flowbed-4194304-1-AbCdEf',
    `${gone}.bak`,
    `my-${gone}`,
  ])
    await mkdir(join(temporary, name));
  await writeFile(join(temporary, `flowbed-4194304-2-${currentPlace()}-AbCdEf`), '');
  t.same(
    (await findWorkspaces()).map(({ dir }) => dir),
    [],
  );
  await mkdir(join(temporary, gone));
  t.same(
    await findWorkspaces(),
    [{ dir: join(temporary, gone), owner: 'dead' }],
    'as a run leaves it that is killed before anything else',
  );
});

void t.test('a workspace', async (t) => {
  const temporary = await ownTemporary(t);
  const workspace = await createWorkspace();
  t.match(
    workspace.dir,
    new RegExp(`^${temporary}/flowbed-${process.pid}-\\w+-${currentPlace()}-\\w{6}$`),
  );
  t.ok(Buffer.byteLength(workspace.dir) <= 60, 'has a short path');
  await mkdir(join(workspace.dir, 'node-1'));
  await writeFile(join(workspace.dir, 'node-1/log'), '');
  await workspace.remove();
  await workspace.remove();
  await t.rejects(access(workspace.dir), { code: 'ENOENT' });
});

void t.test('owners', async (t) => {
  const owner = await thisProcess();
  t.same(parseOwner(formatOwner(owner)), owner);
  t.equal(await isAlive(owner), true);
  t.equal(
    await isAlive({ ...owner, startTime: '1' }),
    false,
    'a later process with the same id is another',
  );
  t.equal(
    await isAlive({ ...owner, startTime: '1', place: 'other' }),
    true,
    'it cannot be known here',
  );
  for (const text of ['', 'x', '12', '12-x', '12-34', '12-34-56', '0-1-abcde', '12-34-ABCDE'])
    t.equal(parseOwner(text), undefined, text);
});

void t.test(
  'a run of another namespace that shares the folder is not touched',
  { skip: mayNot },
  async (t) => {
    const temporary = await ownTemporary(t);
    const script = `
    import { createWorkspace } from ${JSON.stringify(new URL('./workspace.js', import.meta.url).href)};
    console.log(process.pid, (await createWorkspace()).dir);
    process.stdin.resume();`;
    const node = [process.execPath, '--input-type=module', '--eval', script];
    const run = spawn(unshare[0], [...unshare.slice(1), ...node], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [output] = (await once(run.stdout.setEncoding('utf8'), 'data')) as [string];
    const [pid = '', dir = ''] = output.trim().split(' ');
    t.ok(Number(pid) < 10, `it is process ${pid} there`);
    t.same(await findWorkspaces(), [{ dir, owner: 'elsewhere' }]);
    t.same(await findLeftovers(), []);
    t.same(await findLeftovers('elsewhere'), [{ dir, processes: [] }]);
    run.stdin.end();
    await once(run, 'exit');
    t.same(
      await findWorkspaces(),
      [{ dir, owner: 'elsewhere' }],
      'of its end nothing is known here',
    );
    t.equal(temporary, dirname(dir));
  },
);

void t.test('where /proc is that of another namespace', { skip: mayNot }, (t) => {
  const words = unshare.filter((word) => word !== '--mount-proc');
  const script = `
    import { thisProcess } from ${JSON.stringify(new URL('../process/owner.js', import.meta.url).href)};
    await thisProcess().catch((error) => console.log(error.message));`;
  const [file, ...args] = [...words, process.execPath, '--input-type=module', '--eval', script];
  const { stdout } = spawnSync(file ?? '', args, { encoding: 'utf8' });
  t.equal(stdout, '/proc shows the processes of another namespace\n');
  t.end();
});
