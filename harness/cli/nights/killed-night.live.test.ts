// Goal: a night that is killed at any moment loses no finished point and repeats none. Method: the
// compiled program on a matrix of points, killed with SIGKILL at moments that a seed draws, of its
// progress and of the changes in its store, and continued; points are counted by the run folders
// that their rows name, and one that is removed by hand is run again. What killed nights leave
// goes. Six kills; FLOWBED_KILLS=20 for more.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { randomFor } from '../../base/random.js';
import { flowbedIn, main } from '../flowbed-process.js';
import { wallFiles } from '../testkit/wall.js';

const kills = Number(process.env['FLOWBED_KILLS'] ?? 6);
/** A night has more points than are played before the last kill. */
const seeds = Array.from({ length: Math.ceil(0.7 * kills) }, (_, index) => index + 1);
const folder = t.testdir({
  ...wallFiles,
  'night.yaml': `scenarios: [wall.ts]\nimages: [bookworm, trixie]\nseeds: [${seeds.join(', ')}]\n`,
});
const points = 2 * seeds.length;
// Short: sockets are below it.
const temporary = await mkdtemp('/tmp/night-');
t.teardown(() => rm(temporary, { recursive: true, force: true }));
const variables = { TMPDIR: temporary };
const args = ['nightly', 'night.yaml', '--store', 'history', '--night', 'killed'];
const store = join(folder, 'history');
const underWay = join(store, 'open', 'killed');

/** So many lines of progress, or so many changes of files in the store. */
type Moment = Readonly<Record<'lines' | 'changes', number>>;

/** Starts it, and kills it at a moment. @returns whether it was killed. */
async function killedAt(moment: Moment, more: readonly string[]): Promise<boolean> {
  await mkdir(store, { recursive: true });
  const child = spawn(process.execPath, [main, ...args, ...more], {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let [lines, changes] = [0, 0];
  const killWhenDue = () => {
    if (lines >= moment.lines || changes >= moment.changes) child.kill('SIGKILL');
  };
  child.stderr.on('data', (text: Buffer) => {
    lines += text.toString('utf8').split('\n').length - 1;
    killWhenDue();
  });
  const watcher = watch(store, { recursive: true }, () => {
    changes++;
    killWhenDue();
  });
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
    child.on('exit', (_, how) => {
      resolve(how);
    });
  });
  watcher.close();
  return signal === 'SIGKILL';
}

async function finished(): Promise<readonly string[]> {
  const names = await readdir(underWay).catch(() => []);
  return names.filter((name) => name.endsWith('.rows')).sort();
}

function drawnMoment(random: ReturnType<typeof randomFor>): Moment {
  return random.integer(0, 1) === 0
    ? { lines: random.integer(1, 6), changes: Infinity }
    : { lines: Infinity, changes: random.integer(1, 9) };
}

void t.test('killed again and again', async (t) => {
  const random = randomFor(36, 'kills');
  let killed = 0;
  for (let count = 0; count < kills; count++) {
    const before = await finished();
    const moment = drawnMoment(random);
    const isBegun = (await readdir(underWay).catch((): string[] => [])).includes('night.json');
    if (!(await killedAt(moment, isBegun ? ['--resume'] : []))) break;
    killed++;
    const after = await finished();
    t.same(
      before.filter((name) => !after.includes(name)),
      [],
      `no finished point is lost: ${after.length} of ${points}, ${JSON.stringify(moment)}`,
    );
  }
  t.ok(killed >= kills - 3, `${killed} of ${kills} were killed before their end`);
  const before = await finished();
  const [removed] = before;
  if (removed !== undefined) await rm(join(underWay, removed));
  t.ok(before.length < points, 'there is something to continue');
  const last = await flowbedIn(folder, [...args, '--resume'], variables);
  t.equal(last.code, 0, last.stderr);
  t.match(
    last.stderr,
    new RegExp(`night killed: ${Math.max(0, before.length - 1)} of ${points} points`),
  );
  const asked = await flowbedIn(folder, [
    ...['history', '--sql'],
    "SELECT count(*) AS rows, count(DISTINCT folder) AS runs FROM history WHERE level = 'point'",
  ]);
  t.equal(asked.stdout.trim(), `{"rows":"${points}","runs":"${points}"}`, 'each point once');
  t.same((await readdir(store)).sort(), ['nights', 'open'], 'nothing half-written is left');
  t.same(await readdir(join(store, 'open')), []);
  t.equal((await flowbedIn(folder, ['clean'], variables)).code, 0);
  t.same(await readdir(temporary), [], 'nothing is left to clean');
});
