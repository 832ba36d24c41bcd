// Goal: whatever a user names as an input is read to its end, or refused with what to do. Method:
// files, pipes, devices and folders of the system, by the real calls.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { inputLimitMb, readInput, readRegularFile } from './read-input.js';

const folder = await mkdtemp(join(tmpdir(), 'inputs-'));
t.teardown(() => rm(folder, { recursive: true }));
const file = (name: string) => join(folder, name);

const pipe = (name: string) => {
  execFileSync('mkfifo', [file(name)]);
  return file(name);
};

void t.test('a file', async (t) => {
  await writeFile(file('small'), 'text\n');
  t.equal((await readInput(file('small'))).toString(), 'text\n');
  t.equal(readRegularFile(file('small')), 'text\n');
});

void t.test('a pipe is waited for, and read to its end', async (t) => {
  const path = pipe('late');
  const read = readInput(path);
  await writeFile(path, 'x'.repeat(200_000));
  t.equal((await read).length, 200_000);
});

void t.test('a pipe to which nobody writes', async (t) => {
  await t.rejects(readInput(pipe('silent'), 1, 50), {
    name: 'InputError',
    message: /silent: cannot read it to its end: gave up after 0\.05 s waiting for more of it/,
  });
});

void t.test('what has no end, or is too large', async (t) => {
  const limit =
    /it holds more than 2 MB, which is the most that is read; to raise the limit: FLOWBED_INPUT_MB=20$/;
  await t.rejects(readInput('/dev/zero', 2), { name: 'InputError', message: limit });
  await writeFile(file('large'), '');
  await truncate(file('large'), 2_000_001);
  await t.rejects(readInput(file('large'), 2), { name: 'InputError', message: limit });
  t.throws(() => readRegularFile(file('large'), 2), { name: 'InputError', message: limit });
  await truncate(file('large'), 2_000_000);
  t.equal((await readInput(file('large'), 2)).length, 2_000_000, 'at the limit');
  t.equal(readRegularFile(file('large'), 2).length, 2_000_000, 'at the limit');
});

void t.test('what cannot be read', async (t) => {
  await t.rejects(readInput(folder), {
    name: 'InputError',
    message: /cannot read it: it is a folder$/,
  });
  await t.rejects(readInput(file('none')), {
    name: 'InputError',
    message: /none: cannot read it: ENOENT/,
  });
  await t.rejects(readInput('/proc/self/mem'), {
    name: 'InputError',
    message: /mem: cannot read it: /,
  });
  t.throws(() => readRegularFile(file('none')), {
    name: 'InputError',
    message: /none: cannot read it: ENOENT/,
  });
  t.throws(() => readRegularFile(pipe('unread')), {
    name: 'InputError',
    message: /it is no regular file$/,
  });
});

void t.test('the limit is a number', async (t) => {
  t.equal(inputLimitMb(''), 64);
  t.equal(inputLimitMb('200'), 200);
  for (const wrong of ['0', '-1', '1.5', 'all']) {
    t.throws(() => inputLimitMb(wrong), {
      name: 'InputError',
      message: /expected a number of MB from 1 to 999999/,
    });
  }
});
