// Goal: a program that was built into the cache and then changed is not run, whatever its size and
// its time of change say. Method: small folders, changed in one way after the other.
import { appendFile, lstat, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { kubeApiserver } from './kube-apiserver.js';
import { cachedAndRecorded, recordedFolder } from './recorded-folder.js';

const changes: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'bin/program holds other bytes': async (folder) => {
    const path = join(folder, 'bin/program');
    const { atime, mtime } = await lstat(path);
    await writeFile(path, 'progrbm');
    await utimes(path, atime, mtime);
  },
  'bin/program has another size': (folder) => appendFile(join(folder, 'bin/program'), '!'),
  'bin/program is missing': (folder) => rm(join(folder, 'bin/program')),
  'bin/other was not there': (folder) => writeFile(join(folder, 'bin/other'), ''),
  'has no contents.json that can be read': (folder) =>
    writeFile(join(folder, 'contents.json'), '['),
};

async function make(folder: string): Promise<void> {
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/program'), 'program');
  const whole = new Date(1_700_000_000_000);
  await utimes(join(folder, 'bin/program'), whole, whole);
}

for (const [what, change] of Object.entries(changes))
  void t.test(what, async (t) => {
    const cache = t.testdir({});
    t.equal(await recordedFolder(cache, 'tool'), undefined, 'it was not made yet');
    const folder = await cachedAndRecorded(cache, 'tool', make);
    t.equal(await recordedFolder(cache, 'tool'), folder);
    await change(folder);
    const wrong = { name: 'Unavailable', message: new RegExp(what), remedies: [/rm -r .*tool/] };
    await t.rejects(recordedFolder(cache, 'tool'), wrong);
    await t.rejects(cachedAndRecorded(cache, 'tool', make), wrong);
  });

void t.test('a folder of a program that nobody wrote down is not run', async (t) => {
  const cache = t.testdir({ 'kube-apiserver-1.35.4-2': { 'kube-apiserver': 'a program' } });
  await t.rejects(kubeApiserver(cache), { name: 'Unavailable' });
});
