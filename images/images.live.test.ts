// Goal: an image is whole or not there, whatever happens while it is made, and its programs run on
// this machine. Method: the real mmdebstrap and the real mirror, in a cache of this test's own;
// builders are processes, as two starts of Flowbed are.
import { execFile } from 'node:child_process';
import {
  access,
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { InputError, Unavailable } from '../harness/base/errors/errors.js';
import { currentPlace } from '../harness/ovs/process/owner.js';
import { unfinishedPrefix } from '../harness/ovs/workspace/unfinished.js';
import { imageFolder, openImage, verifyImage } from './images.js';
import { programs } from './programs.js';
import { systemImage } from './system-image.js';

const run = promisify(execFile);
const buildLimitMs = 300_000;
const silent = (): void => undefined;
const cache = t.testdir({});
process.env['FLOWBED_CACHE'] = cache;

const builder = [
  `import { openImage } from ${JSON.stringify(new URL('./images.js', import.meta.url).href)};`,
  `const image = await openImage('trixie', (line) => console.error(line));`,
  'console.log(JSON.stringify({ digest: image.digest, command: image.command("ovs-vswitchd") }));',
].join('\n');

interface Built {
  readonly digest: string;
  readonly command: readonly [string, ...string[]];
}

async function build(): Promise<Built> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', builder], {
    env: { ...process.env },
  });
  return JSON.parse(stdout) as Built;
}

void t.test(
  'two builders at once and a half-built leftover of a dead one',
  { timeout: buildLimitMs },
  async (t) => {
    const folder = (await imageFolder('trixie'))?.folder ?? '';
    const leftover =
      `${folder}${unfinishedPrefix({ pid: 4194303, startTime: '1', place: currentPlace() })}` +
      'abcdef';
    await mkdir(join(leftover, 'root'), { recursive: true });
    const [first, second] = await Promise.all([build(), build()]);
    t.same(first, second, 'both have the same image');
    const [file, ...args] = first.command;
    const { stdout } = await run(file, [...args, '--version']);
    t.match(stdout, /^ovs-vswitchd \(Open vSwitch\) 3\.5\.\d/, 'ovs-vswitchd runs');
    t.same(
      await readdir(cache),
      [folder.slice(cache.length + 1)],
      'nothing but the image is left in the cache',
    );
  },
);

void t.test('an image that is there', { timeout: buildLimitMs }, async (t) => {
  const said: string[] = [];
  const image = await openImage('trixie', (line) => said.push(line));
  t.same(said, [], 'is opened silently');
  for (const program of programs) {
    const [file, ...args] = image.command(program);
    const { stdout } = await run(file, [...args, '--version']);
    t.match(stdout, program.startsWith('ovn-') ? /25\.03/ : /3\.5\.\d/, program);
  }
  for (const file of ['vswitch.ovsschema', 'ovn-nb.ovsschema', 'ovn-sb.ovsschema']) {
    t.ok((await stat(image.schema(file))).size > 1000, file);
  }
  t.throws(
    () => image.schema('nothing.ovsschema'),
    Unavailable,
    'an unknown schema is named, not made up',
  );
});

void t.test('an image that was changed, or that others can write to, is not used', async (t) => {
  const folder = (await imageFolder('trixie'))?.folder ?? '';
  const library = join(folder, 'root/usr/lib/openvswitch-switch/ovs-vswitchd');
  const { atime, mtime, mode } = await stat(library);
  await utimes(library, atime, 1);
  await t.rejects(openImage('trixie', silent), {
    name: 'Unavailable',
    message:
      /is not as it was made: usr\/lib\/openvswitch-switch\/ovs-vswitchd has another time of change$/,
    remedies: [/rm -r/, /--image system/],
  });
  await utimes(library, atime, mtime);
  await chmod(cache, 0o777);
  await t.rejects(openImage('trixie', silent), {
    name: 'Unavailable',
    message: /can be written to by others$/,
  });
  await chmod(cache, 0o755);
  const manifest = join(folder, 'manifest.json');
  const text = await readFile(manifest, 'utf8');
  for (const wrong of ['', '{}', text.slice(0, 1000), text.replace('"format": 2', '"format": 1')]) {
    await writeFile(manifest, wrong);
    await t.rejects(openImage('trixie', silent), {
      name: 'Unavailable',
      message: /has no manifest\.json that can be read$/,
    });
  }
  await writeFile(manifest, text);
  await verifyImage('trixie', folder, 'wholly');
  t.equal((await stat(library)).mode, mode);
});

void t.test('the image "system" is the programs on PATH', async (t) => {
  const image = await openImage('trixie', silent);
  const prefix = t.testdir({ bin: {}, share: {} });
  for (const program of programs.filter((name) => !name.startsWith('ovn-'))) {
    await writeFile(
      join(prefix, 'bin', program),
      `#!/bin/sh\nexec ${image.command(program).join(' ')} "$@"\n`,
      { mode: 0o755 },
    );
  }
  await symlink(dirname(image.schema('vswitch.ovsschema')), join(prefix, 'share/openvswitch'));
  const system = await systemImage(join(prefix, 'bin'));
  const [file, ...args] = system.command('ovsdb-server');
  t.match((await run(file, [...args, '--version'])).stdout, /^ovsdb-server/);
  await access(system.schema('vswitch.ovsschema'));
  t.match(system.digest, /^[0-9a-f]{64}$/);
  await t.rejects(systemImage('', []), {
    name: 'Unavailable',
    message: /no ovs-vswitchd/,
    remedies: [/apt-get install/, /--image trixie/],
  });
});

void t.test('a folder that lost a program is refused by name', async (t) => {
  const { rootImage } = await import('./programs.js');
  const root = t.testdir({
    usr: { lib: { 'x86_64-linux-gnu': { 'ld-linux-x86-64.so.2': '' } }, bin: {} },
  });
  await t.rejects(rootImage('trixie', '', root), {
    name: 'Unavailable',
    message: /has no ovs-vswitchd/,
  });
});

void t.test('what cannot be', async (t) => {
  const file = join(t.testdir({ occupied: '' }), 'occupied');
  process.env['FLOWBED_CACHE'] = join(file, 'cache');
  t.teardown(() => {
    process.env['FLOWBED_CACHE'] = cache;
  });
  await t.rejects(
    openImage('trixie', silent),
    {
      name: 'Unavailable',
      message: /cannot keep images in/,
      remedies: [/FLOWBED_CACHE/, /--image system/],
    },
    'a cache that cannot be a folder',
  );
  await t.rejects(openImage('trixi', silent), InputError, 'an unknown name');
  await t.rejects(
    openImage('trixi', silent),
    /Did you mean "trixie"\? Known: trixie, bookworm, sid, system/,
  );
});

void t.test('without a mirror', { timeout: buildLimitMs }, async (t) => {
  const before = {
    http_proxy: process.env['http_proxy'] ?? '',
    https_proxy: process.env['https_proxy'] ?? '',
    FLOWBED_CACHE: cache,
  };
  Object.assign(process.env, {
    http_proxy: 'http://127.0.0.1:9',
    https_proxy: 'http://127.0.0.1:9',
    FLOWBED_CACHE: t.testdir({}),
  });
  t.teardown(() => Object.assign(process.env, before));
  await t.rejects(openImage('trixie', silent), {
    name: 'Unavailable',
    message: /^cannot fetch lists of packages|^cannot make a root folder/,
    remedies: [/mirror/, /proxy/, /FLOWBED_CACHE/, /--image system/],
  });
  t.same(await readdir(process.env['FLOWBED_CACHE'] ?? ''), [], 'nothing half-made is left');
});

void t.test('without apt', async (t) => {
  const path = process.env['PATH'];
  process.env['PATH'] = '';
  process.env['FLOWBED_CACHE'] = t.testdir({});
  t.teardown(() => {
    process.env['PATH'] = path;
    process.env['FLOWBED_CACHE'] = cache;
  });
  await t.rejects(openImage('trixie', silent), {
    name: 'Unavailable',
    message: /needs apt-get/,
    remedies: [/Debian/, /--image system/],
  });
  t.same(await readdir(process.env['FLOWBED_CACHE']), [], 'nothing half-made is left');
});
