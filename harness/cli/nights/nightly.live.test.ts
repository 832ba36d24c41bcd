// Goal: what changes from one night to the next is found, with the vectors, the place and the input
// behind it; a night that is killed loses and repeats no finished point. Method: the compiled
// program on the scenario of docs/scenarios.md with two images, with a flow planted before the
// second night, and one before the third that only counters show.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { flowbedIn } from '../flowbed-process.js';
import { flowBeside, flowTooMany, wallFiles } from '../testkit/wall.js';

const folder = t.testdir({
  ...wallFiles,
  'night.yaml': 'scenarios: [wall.ts]\nimages: [bookworm, trixie]\n',
});
const nightly = (night: string, ...more: readonly string[]) =>
  flowbedIn(folder, [
    ...['nightly', 'night.yaml', '--night', night, '--at', `2026-11-0${night}T02:00:00Z`],
    ...more,
  ]);
const history = (...args: readonly string[]) => flowbedIn(folder, ['history', ...args]);

void t.test('two nights that are the same', async (t) => {
  const first = await nightly('1');
  t.equal(first.code, 0, first.stderr);
  t.match(first.stdout, /sim:bookworm {2}1 of 1 conform/);
  const second = await nightly('2');
  t.match(second.stdout, /since 1, in 2: nothing changed/);
  t.same(await readdir(join(folder, 'history', 'nights')), ['1.parquet', '2.parquet']);
  t.equal((await history()).code, 0);
});

void t.test('a flow that is planted is found the next night', async (t) => {
  await writeFile(join(folder, 'wall.flows'), wallFiles['wall.flows'] + flowTooMany);
  const planted = await nightly('3');
  t.equal(planted.code, 1, planted.stderr);
  t.match(planted.stdout, /✖ verdict {2}mine\/wall, sim:trixie, seed 1 {2}\S+\/p1\/p2/);
  t.match(planted.stdout, /conforms → diverges\n.*table 0/);
  t.match(planted.stdout, /changed as well: plan\n/);
  const found = await history('--json');
  t.equal(found.code, 1);
  const { changes } = JSON.parse(found.stdout) as { changes: readonly { kind: string }[] };
  t.ok(changes.some(({ kind }) => kind === 'verdict'));
});

void t.test('one that only counters show is found as well', async (t) => {
  await writeFile(join(folder, 'wall.flows'), wallFiles['wall.flows']);
  await nightly('4');
  await writeFile(join(folder, 'wall.flows'), wallFiles['wall.flows'] + flowBeside);
  const planted = await nightly('5');
  t.equal(planted.code, 0, 'the verdict is the same');
  t.match(planted.stdout, /~ counters {2}mine\/wall, sim:trixie/);
  t.match((await history('--since', '2026-11-02')).stdout, /since 2, in 5: /);
  const vector = await history('ping/p1/p2');
  t.match(vector.stdout, /✖ 2026-11-03T02:00:00Z/);
  t.match((await history('ping/p1/p4')).stderr, /unknown vector "ping\/p1\/p4"/);
});

void t.test('a night is asked in SQL', async (t) => {
  const asked = await history('--sql', 'SELECT count(DISTINCT night) AS nights FROM history');
  t.equal(asked.stdout.trim(), '{"nights":"5"}');
  const wrong = await history('--sql', 'SELECT * FROM nowhere');
  t.equal(wrong.code, 2);
  t.match(wrong.stderr, /--sql: Catalog Error: Table with name nowhere does not exist/);
});

void t.test(
  'a testbed that is missing is named, and decides nothing where it does not gate',
  async (t) => {
    await writeFile(
      join(folder, 'beside.yaml'),
      'scenarios: [wall.ts]\npasses: cold\nbeside: [{ scenarios: [wall.ts], backends: ' +
        '[abacus] }]\n' +
        'gate: [{ backend: sim }]\n',
    );
    const beside = await flowbedIn(folder, ['nightly', 'beside.yaml', '--store', 'other']);
    t.equal(beside.code, 0, beside.stderr);
    t.match(beside.stdout, /wall\.ts, abacus:trixie, seed 1: inconclusive \(does not gate\)/);
    t.match(beside.stdout, /no backend abacus here: this version has sim, /);
    await writeFile(
      join(folder, 'beside.yaml'),
      'scenarios: [wall.ts]\npasses: cold\nbackends: [abacus]\n',
    );
    const gating = await flowbedIn(folder, ['nightly', 'beside.yaml', '--store', 'other']);
    t.equal(gating.code, 3, 'where it gates there is no verdict');
  },
);
