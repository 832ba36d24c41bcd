// Goal: what a night finished is in the store whatever happened to its process; nothing in it is
// written twice; what cannot be read is named. Method: real files and DuckDB; processes that are
// gone, files that are cut off, other versions.
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { beginNight, closeAbandonedNights, continueNight } from './open-night.js';
import { sampleRow } from './sample-rows.js';
import { connect } from './parquet.js';
import { openStore } from './store.js';
import { writeNight } from './write-night.js';
import type { HistoryRow } from './history-row.js';

const at = '2026-11-01T02:00:00Z';
const plan = 'the same';

void t.test('rows come back as they were written', async (t) => {
  const store = t.testdir({});
  const rows = [
    sampleRow({ summary: `it's "quoted"\n`, samples: [1.5, 2] }),
    sampleRow({ vector: 'arp/p1/p2', counters: {}, converged_us: null }),
  ];
  await writeNight(store, 'night-1', rows);
  const opened = await openStore(store);
  t.teardown(opened.close);
  const byVector = (all: readonly HistoryRow[]) =>
    all.toSorted((a, b) => a.vector.localeCompare(b.vector));
  t.same(byVector(await opened.rows('true')), byVector(rows));
  t.same(opened.nights, [{ night: 'night-1', at }]);
  t.same(await opened.rows('vector = $1', ["' OR true --"]), []);
});

void t.test('rows that differ between two nights, and no others', async (t) => {
  const store = t.testdir({});
  const rows = ['a', 'b', 'c'].map((vector) => sampleRow({ vector }));
  await writeNight(store, 'night-1', rows);
  await writeNight(
    store,
    'night-2',
    rows.map((row) => ({
      ...row,
      night: 'night-2',
      ...(row.vector === 'b' ? { counters: { 'n1 br-int table=0, priority=0': 7 } } : {}),
    })),
  );
  const opened = await openStore(store);
  t.teardown(opened.close);
  const [before, now] = await opened.differing({ night: 'night-1' }, { night: 'night-2' });
  t.same(
    [before, now].map((all) => all.map(({ night, vector }) => [night, vector])),
    [[['night-1', 'b']], [['night-2', 'b']]],
  );
});

void t.test('rows that differ between parts of a night', async (t) => {
  const store = t.testdir({});
  const of = (image: string, vector: string, version: string, verdict: HistoryRow['verdict']) =>
    sampleRow({ image, vector, verdict, versions: { 'ovs-vswitchd': version } });
  await writeNight(store, 'night-1', [
    of('bookworm', 'a', '3.1.0', 'conforms'),
    of('bookworm', 'b', '3.1.0', 'conforms'),
    of('trixie', 'a', '3.5.0', 'conforms'),
    of('trixie', 'b', '3.5.0', 'diverges'),
  ]);
  const opened = await openStore(store);
  t.teardown(opened.close);
  t.same(await opened.differing({ night: 'night-1', parts: [] }, { night: 'night-1', parts: [] }), [
    [],
    [],
  ]);
  const side = { night: 'night-1' };
  const images = (...names: readonly string[]) => ({
    ...side,
    parts: names.map((image) => ({ image, backend: 'sim' })),
  });
  for (const [before, now] of [
    [images('bookworm'), images('trixie')],
    [images('bookworm', 'none'), images('trixie', 'sid')],
  ] as const)
    t.same(
      (await opened.differing(before, now)).map((all) => all.map((row) => [row.image, row.vector])),
      [[['bookworm', 'b']], [['trixie', 'b']]],
    );
});

void t.test('a file that somebody else wrote is read by its rows', async (t) => {
  const store = t.testdir({});
  const file = await writeNight(store, 'night-1', [sampleRow()]);
  await writeNight(store, 'night-2', [sampleRow({ night: 'night-2', at: '2026-11-02T02:00:00Z' })]);
  const connection = await connect();
  await connection.run(`COPY (SELECT * FROM '${file}') TO '${file}' (FORMAT parquet)`);
  connection.closeSync();
  const opened = await openStore(store);
  t.teardown(opened.close);
  t.same(opened.nights, [
    { night: 'night-1', at },
    { night: 'night-2', at: '2026-11-02T02:00:00Z' },
  ]);
  t.match(opened.notes, [/night-1\.parquet: no digest says whether/]);
  t.equal(opened.notes.length, 1);
});

void t.test('a bit that is another is noticed, wherever it is', async (t) => {
  const store = t.testdir({});
  const file = await writeNight(store, 'night-1', [
    sampleRow(),
    sampleRow({ vector: 'arp/p1/p2' }),
  ]);
  const whole = await readFile(file);
  for (let place = 0; place < whole.length; place += 37) {
    const bytes = Buffer.from(whole);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << (place % 8));
    await writeFile(file, bytes);
    await t.rejects(openStore(store), { message: /night-1\.parquet/ }, `byte ${place}`);
  }
});

void t.test('a file that was copied counts once', async (t) => {
  const store = t.testdir({});
  const file = await writeNight(store, 'night-1', [sampleRow()]);
  await copyFile(file, `${file.replace(/\.parquet$/, '')}-2.parquet`);
  const opened = await openStore(store);
  t.teardown(opened.close);
  t.equal((await opened.rows('true')).length, 1);
  t.match(opened.notes, [/night-1(-2)?\.parquet is a copy of .*night-1(-2)?\.parquet/]);
});

/** As if its process were gone: its owner is one that runs no more. */
async function abandon(store: string): Promise<void> {
  for (const name of await readdir(join(store, 'open'))) {
    const file = join(store, 'open', name, 'night.json');
    const night = JSON.parse(await readFile(file, 'utf8')) as { owner: string };
    const [, , place = ''] = night.owner.split('-');
    await writeFile(file, JSON.stringify({ ...night, owner: `4194303-1-${place}` }));
  }
}

void t.test('a night that was killed is continued: no finished point is lost', async (t) => {
  const store = t.testdir({});
  const begun = await beginNight(store, { night: 'night-1', at, plan });
  await begun.finish('antrea/encap nodes=2, sim:trixie, seed 1', [sampleRow()]);
  t.equal(await continueNight(store, plan), undefined, 'it is under way: nobody else continues it');
  await abandon(store);
  await t.rejects(continueNight(store, 'another'), /another matrix/);
  const continued = await continueNight(store, plan);
  t.ok(continued?.isFinished('antrea/encap nodes=2, sim:trixie, seed 1'));
  t.notOk(continued?.isFinished('antrea/encap nodes=3, sim:trixie, seed 1'));
  await continued?.finish('antrea/encap nodes=3, sim:trixie, seed 1', [
    sampleRow({ axes: 'nodes=3' }),
  ]);
  await continued?.close();
  const opened = await openStore(store);
  t.teardown(opened.close);
  t.equal((await opened.rows("night = 'night-1' OR true")).length, 2);
  t.same(await readdir(join(store, 'open')), []);
});

void t.test("one who was killed while it took a night over is in nobody's way", async (t) => {
  const store = t.testdir({});
  const begun = await beginNight(store, { night: 'night-1', at, plan });
  await begun.finish('one', [sampleRow()]);
  await abandon(store);
  const { owner } = JSON.parse(await readFile(join(begun.folder, 'night.json'), 'utf8')) as {
    owner: string;
  };
  const next = owner.replace('4194303', '4194302');
  await writeFile(join(begun.folder, `${owner}.claimed`), next);
  await writeFile(join(begun.folder, `${next}.claimed`), next.replace('4194302', '4194301'));
  t.ok((await continueNight(store, plan))?.isFinished('one'));
});

void t.test('a night that nobody continues is stored with what it had', async (t) => {
  const store = t.testdir({});
  const begun = await beginNight(store, { night: 'night-1', at, plan });
  await begun.finish('one', [sampleRow()]);
  await abandon(store);
  t.same(await closeAbandonedNights(store), [{ night: 'night-1' }]);
  t.same(await closeAbandonedNights(store), []);
  const opened = await openStore(store);
  t.teardown(opened.close);
  t.equal((await opened.rows('true')).length, 1);
});

void t.test("a killed night that another version wrote is kept, and in nobody's way", async (t) => {
  const store = t.testdir({});
  const begun = await beginNight(store, { night: 'night-1', at, plan });
  await begun.finish('one', [sampleRow()]);
  const [name = ''] = (await readdir(begun.folder)).filter((one) => one.endsWith('.rows'));
  const rows = await readFile(join(begun.folder, name), 'utf8');
  await writeFile(join(begun.folder, name), rows.replace('flowbed/history/', 'flowbed/history/0'));
  await abandon(store);
  const keptIn = join(store, 'unread', 'night-1');
  t.same(await closeAbandonedNights(store), [{ night: 'night-1', keptIn }]);
  t.ok((await readdir(keptIn)).includes(name), 'all of it is there');
  await (await beginNight(store, { night: 'night-2', at, plan })).close();
});

void t.test('two nights at once have names of their own', async (t) => {
  const store = t.testdir({});
  const night = { night: 'night-1', at, plan };
  const begin = () =>
    beginNight(store, night).then(
      () => 'begun',
      () => 'refused',
    );
  t.same((await Promise.all([begin(), begin()])).sort(), ['begun', 'refused']);
  await writeNight(store, 'night-2', [sampleRow()]);
  await t.rejects(beginNight(store, { ...night, night: 'night-2' }), /there is a night night-2/);
});

void t.test('a file that is cut off is named, and the others stay', async (t) => {
  const store = t.testdir({});
  await writeNight(store, 'night-1', [sampleRow()]);
  const broken = await writeNight(store, 'night-2', [sampleRow({ night: 'night-2' })]);
  const whole = await readFile(broken);
  await writeFile(broken, whole.subarray(0, whole.length / 2));
  await t.rejects(openStore(store), /night-2\.parquet cannot be read as Parquet/);
  // Its end is whole, and says where columns lie; what lies there is not.
  await writeFile(broken, Buffer.from(whole).fill(0, 4, Math.floor(whole.length / 4)));
  await t.rejects(openStore(store), /night-2\.parquet is not as it was written/);
  await writeFile(broken, whole);
  const opened = await openStore(store);
  t.teardown(opened.close);
  t.equal((await opened.rows('true')).length, 2);
});

void t.test('a store of another version is refused, and an empty one', async (t) => {
  const store = t.testdir({});
  await t.rejects(openStore(store), /there is no history in/);
  await writeNight(store, 'old', [
    sampleRow({ night: 'old', format: 'flowbed/history/0' as HistoryRow['format'] }),
  ]);
  await t.rejects(openStore(store), /old\.parquet has format flowbed\/history\/0/);
});

void t.test('a night that cannot be written says so', async (t) => {
  const store = t.testdir({ nights: 'a file' });
  await t.rejects(writeNight(store, 'night-1', [sampleRow()]), {
    name: 'Unavailable',
    message: /night night-1 cannot be written: /,
  });
  t.same(await readdir(store), ['nights']);
});
