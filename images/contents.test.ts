// Goal: what runs is what was made, and only its user and root can change it; what holds no bytes
// is not read. Method: a small folder with a pipe in it, changed in one way after the other; each
// is caught by sizes and times, or else by reading all.
import { execFileSync } from 'node:child_process';
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { changesOf, digestOf, readContents } from './contents.js';
import { otherRenamerOf, otherWriterOf, refuseOtherWriters } from './other-writers.js';

const root = await mkdtemp(join(tmpdir(), 'contents-'));
t.teardown(() => rm(root, { recursive: true }));
const parts = ['bin', 'lib', 'none'];

async function make(folder: string): Promise<void> {
  await mkdir(join(folder, 'lib/deep'), { recursive: true });
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/program'), 'program', { mode: 0o755 });
  await writeFile(join(folder, 'lib/deep/library'), 'library', { mode: 0o644 });
  await symlink('deep/library', join(folder, 'lib/link'));
  await writeFile(join(folder, 'notes'), 'what does not run');
  // As devices of a guest's /dev: whoever reads it waits for ever.
  execFileSync('mkfifo', [join(folder, 'lib/pipe')]);
}

const changes: Readonly<
  Record<
    string,
    { readonly change: (folder: string) => Promise<unknown>; readonly difference: object }
  >
> = {
  'another size': {
    change: (folder) => appendFile(join(folder, 'bin/program'), 'x'),
    difference: { path: 'bin/program', what: 'has another size' },
  },
  'another time': {
    change: (folder) => utimes(join(folder, 'bin/program'), 1, 1),
    difference: { path: 'bin/program', what: 'has another time of change' },
  },
  'another mode': {
    change: (folder) => chmod(join(folder, 'lib/deep/library'), 0o4755),
    difference: { path: 'lib/deep/library', what: 'has another mode' },
  },
  'a file that is gone': {
    change: (folder) => rm(join(folder, 'lib/deep/library')),
    difference: { path: 'lib/deep/library', what: 'is missing' },
  },
  'a file more': {
    change: (folder) => writeFile(join(folder, 'lib/deep/more'), ''),
    difference: { path: 'lib/deep/more', what: 'was not there' },
  },
  'a link elsewhere': {
    change: async (folder) => {
      await rm(join(folder, 'lib/link'));
      await symlink('/tmp/library', join(folder, 'lib/link'));
    },
    difference: { path: 'lib/link', what: 'was a link to deep/library' },
  },
  'a link in the place of a file': {
    change: async (folder) => {
      await rm(join(folder, 'bin/program'));
      await symlink('/tmp/program', join(folder, 'bin/program'));
    },
    difference: { path: 'bin/program', what: 'was a file' },
  },
};

void t.test('changes', async (t) => {
  const whole = join(root, 'whole');
  await make(whole);
  const entries = await readContents(whole, parts);
  t.same(
    entries.map(({ path }) => path),
    ['bin/program', 'lib/deep/library', 'lib/link'],
  );
  t.same(await changesOf(whole, parts, entries, 'wholly'), []);
  for (const [name, { change, difference }] of Object.entries(changes)) {
    const changed = join(root, name);
    await make(changed);
    const copied = await readContents(changed, parts);
    await change(changed);
    t.same(await changesOf(changed, parts, copied, 'quickly'), [difference], name);
  }
});

void t.test('bytes behind the same size and time are seen by reading all', async (t) => {
  const folder = join(root, 'same');
  await make(folder);
  const entries = await readContents(folder, parts);
  const file = join(folder, 'bin/program');
  const { atimeMs, mtimeMs } = await lstat(file);
  await writeFile(file, 'PROGRAM');
  await utimes(file, atimeMs / 1000, mtimeMs / 1000);
  // A time that is set has microseconds alone.
  const now = (await lstat(file)).mtimeMs;
  const touched = entries.map((entry) =>
    'mtimeMs' in entry && entry.path === 'bin/program' ? { ...entry, mtimeMs: now } : entry,
  );
  t.same(await changesOf(folder, parts, touched, 'quickly'), []);
  t.same(await changesOf(folder, parts, touched, 'wholly'), [
    { path: 'bin/program', what: 'holds other bytes' },
  ]);
});

void t.test('the digest is of what files hold, not of when or where they were made', async (t) => {
  const [first, second] = [join(root, 'first'), join(root, 'second')];
  await make(first);
  await make(second);
  await utimes(join(second, 'bin/program'), 1, 1);
  const digest = digestOf(await readContents(first, parts));
  t.equal(digestOf(await readContents(second, parts)), digest);
  t.equal(await readFile(join(second, 'notes'), 'utf8'), 'what does not run');
  await writeFile(join(second, 'notes'), 'otherwise');
  t.equal(digestOf(await readContents(second, parts)), digest);
  await writeFile(join(second, 'bin/program'), 'PROGRAM');
  t.not(digestOf(await readContents(second, parts)), digest);
});

void t.test('who else can write', async (t) => {
  t.equal(otherWriterOf({ uid: 0, mode: 0o100755 }, 1000), undefined);
  t.equal(otherWriterOf({ uid: 1000, mode: 0o100700 }, 1000), undefined);
  t.equal(otherWriterOf({ uid: 1001, mode: 0o100755 }, 1000), 'is of user 1001');
  t.equal(otherWriterOf({ uid: 1001, mode: 0o120777 }, 1000), 'is of user 1001');
  t.equal(otherWriterOf({ uid: 1000, mode: 0o100775 }, 1000), 'can be written to by others');
  t.equal(otherWriterOf({ uid: 1000, mode: 0o040757 }, 1000), 'can be written to by others');
  t.equal(
    otherWriterOf({ uid: 1000, mode: 0o120777 }, 1000),
    undefined,
    'a link has no mode of its own',
  );
  const folder = join(root, 'shared');
  await make(folder);
  const paths = ['bin', 'bin/program'];
  await refuseOtherWriters(folder, paths);
  for (const [path, mode] of [
    ['bin/program', 0o775],
    ['bin', 0o777],
    ['.', 0o777],
  ] as const) {
    await chmod(join(folder, path), mode);
    await t.rejects(
      refuseOtherWriters(folder, paths),
      {
        name: 'Unavailable',
        message: /^the image cache is not used: .* can be written to by others$/,
        remedies: [/chmod/, /FLOWBED_TRUST_CACHE=yes/],
      },
      path,
    );
    process.env['FLOWBED_TRUST_CACHE'] = 'yes';
    await refuseOtherWriters(folder, paths);
    delete process.env['FLOWBED_TRUST_CACHE'];
    await chmod(join(folder, path), 0o755);
  }
  await refuseOtherWriters(folder, paths);
});

void t.test('who else can rename what is above', async (t) => {
  const me = { uid: 1000, ownGroup: 1000 };
  const own = { uid: 1000, gid: 1000 };
  const shared = 'can be written to by others';
  t.equal(otherRenamerOf({ ...own, mode: 0o040755 }, me), undefined);
  t.equal(otherRenamerOf({ ...own, uid: 0, mode: 0o041777 }, me), undefined, 'as /tmp is');
  t.equal(otherRenamerOf({ ...own, mode: 0o040775 }, me), undefined, 'a group of nobody else');
  t.equal(otherRenamerOf({ ...own, gid: 50, mode: 0o040775 }, me), shared);
  t.equal(otherRenamerOf({ ...own, mode: 0o040775 }, { uid: 1000 }), shared);
  t.equal(otherRenamerOf({ ...own, mode: 0o040757 }, me), shared);
  t.equal(otherRenamerOf({ ...own, uid: 1001, mode: 0o041755 }, me), 'is of user 1001');
  t.equal(otherRenamerOf({ ...own, uid: 1001, mode: 0o120777 }, me), 'is of user 1001', 'a link');
  const unmapped = { ...own, uid: 65534, mode: 0o040755 };
  t.equal(otherRenamerOf(unmapped, me), 'is of user 65534');
  t.equal(otherRenamerOf(unmapped, { ...me, outside: 65534 }), undefined);

  const above = join(root, 'above');
  const [cache, link] = [join(above, 'own/cache'), join(root, 'link')];
  await make(cache);
  await symlink('above/own/../own/cache', link);
  for (const folder of [cache, link, join(cache, 'not/there/yet')]) {
    await refuseOtherWriters(folder, []);
    for (const mode of [0o777, 0o772]) {
      await chmod(above, mode);
      await t.rejects(refuseOtherWriters(folder, []), {
        name: 'Unavailable',
        message: `the image cache is not used: ${above}, above it, can be written to by others`,
        remedies: [/chmod/, /FLOWBED_TRUST_CACHE=yes/],
      });
    }
    await chmod(above, 0o1777);
    await refuseOtherWriters(folder, []);
    await chmod(above, 0o755);
  }
  await chmod(cache, 0o1777);
  for (const folder of [cache, link])
    await t.rejects(refuseOtherWriters(folder, []), {
      message: `the image cache is not used: ${cache} can be written to by others`,
    });
});
