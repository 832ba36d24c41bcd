// Goal: every option that names a file ends with a sentence where that file has no end. Method: the
// compiled program, on /dev/zero and on a pipe to which nobody writes.
import { execFile, execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { mapConcurrently } from '../base/concurrency/map-concurrently.js';
import { flowbedIn, main } from './flowbed-process.js';

const folder = t.testdir({
  flows: 'priority=0 actions=NORMAL\n',
  ports: '',
  bridge: {},
  manifests: {},
  piped: {},
});
const endless = { FLOWBED_INPUT_MB: '1' };
await symlink('/dev/zero', join(folder, 'bridge/flows'));
await symlink('/dev/zero', join(folder, 'manifests/pods.yaml'));
execFileSync('mkfifo', [join(folder, 'piped/pods.yaml')]);
execFileSync('mkfifo', [join(folder, 'scenario.mjs')]);

const packet = 'in_port=1';
const commands: Readonly<Record<string, readonly string[]>> = {
  flows: ['trace', '--flows', '/dev/zero', packet],
  groups: ['trace', '--flows', 'flows', '--groups', '/dev/zero', packet],
  meters: ['trace', '--flows', 'flows', '--meters', '/dev/zero', packet],
  ports: ['trace', '--flows', 'flows', '--ports', '/dev/zero', packet],
  'tlv-map': ['trace', '--flows', 'flows', '--tlv-map', '/dev/zero', packet],
  bridge: ['trace', '--bridge', 'br0=bridge', packet],
  ovsdb: ['trace', '--flows', 'flows', '--ovsdb', '/dev/zero', packet],
  pcap: ['trace', '--flows', 'flows', '--pcap', '/dev/zero', '--in-port', '1'],
  script: ['trace', '--flows', 'flows', '--script', '/dev/zero'],
  check: ['check', '--flows', '/dev/zero', packet],
  topology: ['run', 'antrea/encap', '--topology', '/dev/zero'],
  manifests: ['run', 'antrea/encap', '--manifests', 'manifests'],
};

const flowbed = (args: readonly string[], env: NodeJS.ProcessEnv) => flowbedIn(folder, args, env);

void t.test('what has no end', async (t) => {
  const cases = Object.entries(commands);
  const ended = await mapConcurrently(2, cases, async ([, args]) => await flowbed(args, endless));
  for (const [index, [name]] of cases.entries()) {
    t.match(
      ended[index],
      { code: 2, stderr: /(more than 1 MB, which is the most|no regular file)/ },
      name,
    );
  }
});

void t.test('a pipe in a folder of manifests, or as a scenario', async (t) => {
  const run = ['run', 'antrea/encap', '--manifests', 'piped'];
  t.match(await flowbed(run, {}), {
    code: 2,
    stderr: /pods\.yaml: cannot read it: it is no regular file/,
  });
  t.match(await flowbed(['run', './scenario.mjs'], {}), {
    code: 2,
    stderr: /there is no file .*scenario\.mjs/,
  });
});

void t.test('what a shell pipes in', async (t) => {
  const line = '"$0" "$@" --flows <(sleep 0.1; echo priority=7 actions=drop) in_port=1';
  const ended = await new Promise((resolve) => {
    execFile('bash', ['-c', line, process.execPath, main, 'trace'], (error, stdout) => {
      resolve({ error, stdout });
    });
  });
  t.match(ended, { error: null, stdout: /^ 0\. priority 7$/m });
});

void t.test('reading much reports progress', async (t) => {
  const line = (index: number) =>
    `priority=${index},ip,nw_dst=10.0.${index >> 8}.${index & 255} actions=drop`;
  await writeFile(
    join(folder, 'many'),
    Array.from({ length: 45_000 }, (_, index) => line(index)).join('\n'),
  );
  const progress = [20_000, 40_000]
    .map((index) => `reading the flows of br0: ${index} of 45000\n`)
    .join('');
  const ended = await flowbed(['trace', '--flows', 'many', packet], {});
  t.match(ended, { code: 0, stderr: `reading the flows of br0: 0 of 45000\n${progress}` });
});
