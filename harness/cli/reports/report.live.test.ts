// Goal: shards that are merged give the report of the run without them; a report of conformance is
// verified by its signature and by running it again, and one that was changed is caught. Method:
// the compiled program on two scenarios of a few vectors; a byte changed behind the signature, and
// a trace hash changed in a report without one.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { onPath } from '../../base/files/on-path.js';
import { flowbedIn, type Ended } from '../flowbed-process.js';
import { wallFiles } from '../testkit/wall.js';

const folder = t.testdir({
  ...wallFiles,
  'short.ts': `import wall from './wall.ts';
export default { ...wall, name: 'mine/short', vectors: (network) => wall.vectors(network).slice(0, 2) };
`,
});
const flowbed = (...args: readonly string[]) => flowbedIn(folder, args);
const runFolder = ({ stdout }: Ended) => /folder {4}(\S+)/.exec(stdout)?.[1] ?? 'none';
const root = new URL('../../../..', import.meta.url).pathname;
const timeless = (text: string) =>
  JSON.stringify(JSON.parse(text), (key, value: unknown) => (key === 'durationMs' ? 0 : value));

void t.test('shards', async (t) => {
  const names = ['wall.ts', 'short.ts'];
  const whole = await flowbed('run', ...names, '--json');
  const shards: string[] = [];
  for (const shard of ['2/2', '1/2']) {
    const run = await flowbed('run', ...names, '--shard', shard);
    t.equal(run.code, 0, run.stderr);
    shards.push(join(root, runFolder(run)));
  }
  const merged = await flowbed('merge', ...shards, '--json');
  t.equal(timeless(merged.stdout), timeless(whole.stdout), 'byte for byte but for durations');
  t.match((await flowbed('merge', shards[0] ?? '')).stderr, /shards are missing: 1\/2/);
  t.match((await flowbed('run', 'wall.ts', '--shard', '1/2')).stderr, /would be empty/);
});

void t.test('a report that is signed, verified, and changed', async (t) => {
  const run = join(root, runFolder(await flowbed('run', 'wall.ts')));
  const key = join(folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'me@lab', '-f', key]);
  const [kind = '', value = ''] = (await readFile(`${key}.pub`, 'utf8')).split(' ');
  await writeFile(join(folder, 'signers'), `me@lab ${kind} ${value}\n`);
  const written = await flowbed('report', 'conformance', run, '--out', 'out', '--sign', key);
  t.equal(written.code, 0, written.stderr);
  const verify = (...more: readonly string[]) =>
    flowbed('report', 'verify', 'out/conformance.yaml', '--files', 'wall.ts', ...more);
  const verified = await verify('--signers', 'signers');
  t.match(verified.stdout, /signed by me@lab\n.*mine\/wall: all of it again, conforms/);
  const file = join(folder, 'out', 'conformance.yaml');
  const text = await readFile(file, 'utf8');
  const [, hash = ''] = / {8}traceHash: (\w+)/.exec(text) ?? [];
  await writeFile(file, text.replaceAll(hash, hash.split('').reverse().join('')));
  const changed = await verify('--signers', 'signers');
  t.equal(changed.code, 2);
  t.match(changed.stderr, /ssh-keygen verify/);
  t.equal((await verify()).code, 1, 'without a signature it is played again');
  for (const [was, is, line] of [
    [/passed: \d+/, 'passed: 700', /mine: vectors\.passed: reported 700, found \d+/],
    [/passed: 2\n/, 'passed: 9\n', /features\.ping\.vectors\.passed: reported 9, found 2/],
    [/title: .*/, 'title: Another', /mine\/wall: title: reported "Another"/],
    [/what: packet-ins/, 'what: nothing', /skipped\.\d+\.what: reported "nothing"/],
  ] as const) {
    t.not(text.replace(was, is), text, is);
    await writeFile(file, text.replace(was, is));
    t.match(await verify(), { code: 1, stdout: line }, is);
  }
  await writeFile(file, text);
  t.match(await verify(), { code: 0, stdout: /no signature was checked/ });
  const diff = await flowbed('report', 'diff', 'out/conformance.yaml', 'out/conformance.yaml');
  t.match(diff.stdout, /all results are the same/);
});

const minisign = await onPath('minisign');

void t.test(
  'the same with a key of minisign',
  minisign === undefined ? { skip: 'no minisign on PATH' } : {},
  async (t) => {
    const run = join(root, runFolder(await flowbed('run', 'wall.ts')));
    const [secret, open] = [join(folder, 'minisign.key'), join(folder, 'minisign.pub')];
    execFileSync('minisign', ['-G', '-W', '-s', secret, '-p', open]);
    const written = await flowbed('report', 'conformance', run, '--out', 'mini', '--sign', secret);
    t.match(written.stdout, /signed: conformance\.yaml\.minisig/, written.stderr);
    const file = join(folder, 'mini', 'conformance.yaml');
    const verify = () =>
      flowbed(...['report', 'verify', file, '--files', 'wall.ts', '--signers', open]);
    t.match((await verify()).stdout, /signed by minisign public key \w+\n/);
    await writeFile(file, (await readFile(file, 'utf8')).replace('wall', 'hall'));
    const changed = await verify();
    t.equal(changed.code, 2);
    t.match(changed.stderr, /minisign -V/);
  },
);
