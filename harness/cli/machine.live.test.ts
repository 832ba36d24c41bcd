// Goal: what the machine lacks, what killed commands left, and what was changed in an image is said
// before anything is done. Method: the compiled program with a cache and temporary folders of its
// own, in which somebody dead has left something; an image with one byte changed, and nothing else.
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { imageFolder, openImage } from '../../images/images.js';
import { formatOwner, thisProcess } from '../ovs/process/owner.js';
import { unfinishedPrefix } from '../ovs/workspace/unfinished.js';
import { backendNamed } from '../testbeds/registry.js';
import { flowbedIn } from './flowbed-process.js';

const image = await openImage('trixie', (line) => t.comment(line));

void t.test('half-made images and folders of killed commands', async (t) => {
  // Paths of sockets are short.
  const folder = await mkdtemp('/tmp/m-');
  t.teardown(() => rm(folder, { recursive: true }));
  for (const name of ['cache', 'tmp']) await mkdir(join(folder, name));
  const dead = { ...(await thisProcess()), pid: 4194303 };
  const left = [
    join(folder, 'cache', `uml-0${unfinishedPrefix(dead)}abcdef`),
    join(folder, 'tmp', `flowbed-${formatOwner(dead)}-abcdef`),
  ];
  for (const one of left) await mkdir(one);
  const variables = { FLOWBED_CACHE: join(folder, 'cache'), TMPDIR: join(folder, 'tmp') };
  const doctor = await flowbedIn(folder, ['doctor'], variables);
  const clean = await flowbedIn(folder, ['clean'], variables);
  for (const one of left) {
    t.match(doctor.stdout, one, 'doctor');
    t.match(clean.stdout, one, 'clean');
  }
  t.same(await readdir(join(folder, 'cache')), []);
  t.same(await readdir(join(folder, 'tmp')), []);
});

void t.test('a byte of an image that is another, of the same size and time', async (t) => {
  const found = await imageFolder('trixie');
  t.ok(found !== undefined && image.root !== undefined);
  if (found === undefined) return;
  const folder = t.testdir({ cache: {} });
  const copy = join(folder, 'cache', basename(found.folder));
  await cp(found.folder, copy, {
    recursive: true,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    filter: (file) => !/\/root\/(dev|proc|sys)$/.test(file),
  });
  const program = join(copy, 'root/usr/bin/ovn-controller');
  const { atime, mtime } = await stat(program);
  const bytes = await readFile(program);
  bytes[1000] = (bytes[1000] ?? 0) ^ 1;
  await writeFile(program, bytes);
  await utimes(program, atime, mtime);
  const variables = { FLOWBED_CACHE: join(folder, 'cache'), FLOWBED_TRUST_CACHE: 'yes' };
  const run = await flowbedIn(folder, ['run', 'antrea/external-hosts'], variables);
  t.match(run, { code: 3, stderr: /usr\/bin\/ovn-controller (holds other bytes|has another)/ });
  await rm(copy, { recursive: true });
});

void t.test('a testbed that this machine has not', async (t) => {
  for (const name of ['docker', 'containerlab']) {
    const missing = (await backendNamed(name).doctor()).find(({ kind }) => kind === 'missing');
    if (missing === undefined) continue;
    const folder = t.testdir({});
    const run = await flowbedIn(folder, ['run', 'antrea/encap', '--backend', name]);
    t.match(run, { code: 3, stderr: `--backend ${name}: ${missing.text}` });
    t.notMatch(run.stderr, 'bringing up');
  }
});

void t.test('an image that nobody knows', async (t) => {
  const folder = t.testdir({});
  for (const name of ['trixi', 'docker:trixi', 'a/b']) {
    const build = await flowbedIn(folder, ['image', 'build', name]);
    t.match(build, { code: 2, stderr: /unknown image .* Known: .*trixie.*docker:trixie.*uml.*k6/ });
  }
});
