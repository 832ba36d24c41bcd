// Goal: a disk that is full, a broken file in the store, two nights at once and run folders of
// another version take nothing from what is finished, and each is named. Method: the compiled
// program on small matrices; the store on a tmpfs of its own that is too small for the second
// point, in a mount namespace; files that are cut off; two processes.
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { shellLine } from '../../base/text/shell-line.js';
import { flowbedIn, main, type Ended } from '../flowbed-process.js';
import { wallFiles } from '../testkit/wall.js';

const night = 'scenarios: [wall.ts]\npasses: cold\nseeds: [1, 2, 3]\n';
const folder = t.testdir({ ...wallFiles, 'night.yaml': night, full: {} });

/** In a mount namespace: what is mounted goes with it. */
function inNamespace(script: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      'unshare',
      ['--mount', 'sh', '-c', script],
      { cwd: folder, env: { ...process.env, NO_COLOR: '1' }, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : (error.code ?? 'killed'), stdout, stderr });
      },
    );
  });
}

const isRoot = process.getuid?.() === 0;
const canMount = isRoot && (await inNamespace('mount -t tmpfs none full')).code === 0;

void t.test(
  'a disk that is full',
  canMount ? {} : { skip: isRoot ? 'no tmpfs can be mounted here' : 'not root' },
  async (t) => {
    const nightly = shellLine([process.execPath, main, 'nightly', 'night.yaml', '--store', 'full']);
    const { code, stdout, stderr } = await inNamespace(`
mount -t tmpfs -o size=16k none full
${nightly} --night first; echo "ended with $?"
ls full/open/first | grep -c rows
mount -o remount,size=64m full
${nightly} --resume; echo "then with $?"
${shellLine([process.execPath, main, 'history', '--store', 'full', '--sql'])} \
  "SELECT count(*) AS points, count(DISTINCT folder) AS runs FROM history WHERE level = 'point'"`);
    t.equal(code, 0, stderr);
    t.match(stdout, 'ended with 3');
    t.match(stderr, /full\/open\/first\/\S+ cannot be written: ENOSPC/);
    t.match(stderr, /--resume continues behind it/);
    const finished = Number(/^(\d)$/m.exec(stdout)?.[1]);
    t.ok(finished >= 1 && finished < 3, `${finished} points were finished by then`);
    t.match(stderr, `night first: ${finished} of 3 points`);
    t.match(stdout, 'then with 0');
    t.match(stdout, '{"points":"3","runs":"3"}');
  },
);

void t.test(
  'no room for the file of the night, and none for run folders',
  canMount ? {} : { skip: isRoot ? 'no tmpfs can be mounted here' : 'not root' },
  async (t) => {
    const nightly = shellLine([process.execPath, main, 'nightly', 'night.yaml', '--store']);
    const filled = nightly.replace('night.yaml', 'filled.yaml');
    const runs = join(main, '../../../../runs');
    // Room for what the measurement says, and not for what all points say.
    const fill = 'cat /dev/zero >full/filler 2>/dev/null; truncate -s -8k full/filler; echo 1';
    await writeFile(
      join(folder, 'filled.yaml'),
      `${night}measures: [{ name: room, command: [sh, -c, '${fill}'] }]\n`,
    );
    const { stdout, stderr } = await inNamespace(`
mount -t tmpfs -o size=1m none full
mkdir -p ${shellLine([runs])}
mount -t tmpfs -o size=4k none ${shellLine([runs])}
${nightly} full --night runs; echo "no room for run folders: $?"
umount ${shellLine([runs])}
${nightly} full --resume; echo "then: $?"
${filled} full --night filled; echo "no room for the night: $?"
ls full/open/filled | grep -c 'rows$'
rm full/filler; ${filled} full --resume; echo "at last: $?"
ls full full/nights full/open`);
    t.match(stdout, 'no room for run folders: 3\n', stdout + stderr);
    t.match(stderr, /the run folder of .* cannot be written: .*ENOSPC/);
    t.match(stdout, 'then: 0\n');
    t.match(stdout, 'no room for the night: 3\n4\n');
    t.match(stderr, /night filled cannot be written: .*(ENOSPC|No space left)/);
    t.match(stdout, /at last: 0\n[^]*filled\.parquet\nruns\.parquet\n/);
    t.notMatch(stdout, 'unfinished', 'nothing half-written is left');
  },
);

const nightly = (name: string) => flowbedIn(folder, ['nightly', 'night.yaml', '--night', name]);

void t.test('two nights at once', async (t) => {
  const [one, other, same] = await Promise.all([nightly('1'), nightly('2'), nightly('2')]);
  t.equal(one.code, 0, one.stderr);
  t.same([other.code, same.code].sort(), [0, 2]);
  t.match(other.stderr + same.stderr, /there is a night 2 in history already/);
  t.same(await readdir(join(folder, 'history', 'nights')), ['1.parquet', '2.parquet']);
  const changed = await flowbedIn(folder, ['history']);
  t.equal(changed.code, 0, changed.stdout + changed.stderr);
});

void t.test('a broken file in the store', async (t) => {
  const file = join(folder, 'history', 'nights', '1.parquet');
  const whole = await readFile(file);
  await writeFile(file, whole.subarray(0, whole.length / 2));
  const after = await nightly('3');
  t.equal(after.code, 0, 'the night itself has its verdict');
  t.match(after.stderr, /nights\/1\.parquet cannot be read as Parquet/);
  t.equal((await flowbedIn(folder, ['history'])).code, 3);
  await writeFile(file, whole);
  const mended = await flowbedIn(folder, [
    ...['history', '--sql', 'SELECT count(DISTINCT night) AS nights FROM history'],
  ]);
  t.equal(mended.stdout.trim(), '{"nights":"3"}');
});

void t.test('a run folder of another version', async (t) => {
  const asked = await flowbedIn(folder, [
    ...['history', '--sql', "SELECT folder FROM history WHERE folder <> '' LIMIT 1"],
  ]);
  const { folder: run } = JSON.parse(asked.stdout) as { folder: string };
  const place = join(main, '../../../..', run);
  const manifest = await readFile(join(place, 'manifest.json'), 'utf8');
  t.teardown(() => writeFile(join(place, 'manifest.json'), manifest));
  await writeFile(
    join(place, 'manifest.json'),
    manifest.replace(/run-folder\/\d+/, 'run-folder/0'),
  );
  const replayed = await flowbedIn(folder, ['replay', place]);
  t.equal(replayed.code, 2);
  t.match(replayed.stderr, /manifest\.json/);
  t.equal((await flowbedIn(folder, ['history'])).code, 0, 'the history stays');
});
