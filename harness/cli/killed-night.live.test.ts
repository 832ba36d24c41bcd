// Goal: a night that is killed at any moment loses no finished point and repeats none. Method: the
// compiled program on a matrix of eight points, killed with SIGKILL at moments of its progress that
// a seed draws, and continued; points are counted by the run folders that their rows name, and one
// that is removed by hand is run again. What killed nights leave, `flowbed clean` removes.
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { randomFor } from '../base/random.js';
import { flowbedIn, main } from './flowbed-process.js';
import { wallFiles } from './testkit/wall.js';

const kills = 6;
const folder = t.testdir({
  ...wallFiles,
  'night.yaml': 'scenarios: [wall.ts]\nimages: [bookworm, trixie]\nseeds: [1, 2, 3, 4]\n',
});
// Short: sockets are below it.
const temporary = await mkdtemp('/tmp/night-');
t.teardown(() => rm(temporary, { recursive: true, force: true }));
const variables = { TMPDIR: temporary };
const args = ['nightly', 'night.yaml', '--store', 'history', '--night', 'killed'];

/** Starts it, and kills it behind so many lines of progress. @returns whether it was killed. */
function killedBehind(lines: number, more: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [main, ...args, ...more], {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let seen = 0;
  child.stderr.on('data', (text: Buffer) => {
    seen += text.toString('utf8').split('\n').length - 1;
    if (seen >= lines) child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    child.on('exit', (_, signal) => {
      resolve(signal === 'SIGKILL');
    });
  });
}

async function finished(): Promise<readonly string[]> {
  const names = await readdir(join(folder, 'history', 'open', 'killed')).catch(() => []);
  return names.filter((name) => name.endsWith('.rows')).sort();
}

void t.test('killed again and again', async (t) => {
  const random = randomFor(36, 'kills');
  let killed = 0;
  for (let count = 0; count < kills; count++) {
    const before = await finished();
    if (!(await killedBehind(random.integer(3, 8), count === 0 ? [] : ['--resume']))) break;
    killed++;
    const after = await finished();
    t.same(
      before.filter((name) => !after.includes(name)),
      [],
      'no finished point is lost',
    );
  }
  t.ok(killed >= 3, `${killed} of ${kills} were killed before their end`);
  const before = await finished();
  const [removed] = before;
  if (removed !== undefined) await rm(join(folder, 'history', 'open', 'killed', removed));
  const last = await flowbedIn(folder, [...args, '--resume'], variables);
  t.equal(last.code, 0, last.stderr);
  t.match(last.stderr, new RegExp(`night killed: ${Math.max(0, before.length - 1)} of 8 points`));
  const asked = await flowbedIn(folder, [
    ...['history', '--sql'],
    "SELECT count(*) AS rows, count(DISTINCT folder) AS runs FROM history WHERE level = 'point'",
  ]);
  t.equal(asked.stdout.trim(), '{"rows":"8","runs":"8"}', 'each point once');
  t.equal((await flowbedIn(folder, ['clean'], variables)).code, 0);
  t.same(await readdir(temporary), [], 'nothing is left to clean');
});
