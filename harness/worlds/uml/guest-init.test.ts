// Goal: what a guest hides of the machine it shows again where it is needed, and nothing else may
// be written. Method: the first program of a guest whose project lies below /tmp, and of one whose
// project does not. And the kernel's thread for packets is ahead before the program starts.
import t from 'tap';
import { guestInit } from './guest-init.js';

function linesFor(needed: readonly string[]): readonly string[] {
  return guestInit(
    {
      command: ['/bin/true'],
      cwd: '/',
      variables: {},
      shared: [{ host: '/out', guest: '/project/runs' }],
      needed,
    },
    '/guest',
  ).split('\n');
}

function mounts(needed: readonly string[]): readonly string[] {
  return linesFor(needed).filter((line) => line.startsWith('mount') && line.includes('hostfs'));
}

void t.test('folders of the machine', async (t) => {
  const always = [
    'mount -n -t hostfs -o /guest none /mnt',
    'mount -n -t hostfs -o /out none /project/runs',
  ];
  t.same(mounts(['/project', '/tmpfiles']), always);
  t.same(mounts(['/project', '/tmp/cache']), [
    always[0],
    'mount -n -r -t hostfs -o /tmp/cache none /tmp/cache',
    always[1],
  ]);
});

void t.test("the kernel's thread for packets", async (t) => {
  const lines = linesFor([]);
  const ahead = lines.findIndex((line) => /ksoftirqd.*chrt --rr/.test(line));
  t.ok(ahead > lines.indexOf('mount -n -t proc proc /proc'), 'found by /proc');
  t.ok(ahead < lines.findIndex((line) => line.includes('/bin/true')), 'before the program');
});
