/**
 * Goal: the set-up scripts do what people start them for. Method: a Docker engine is started by
 * its script, asked over its socket and ended; the tools are installed, and each says its version.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { engineForTests } from '../engines.js';
import { k6Program } from '../k6.js';

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const engineFiles = await engineForTests('trixie', (line) => t.comment(line));
const skip = 'missing' in engineFiles ? engineFiles.missing : false;

async function ping(socketPath: string): Promise<string> {
  const request = get({ socketPath, path: '/_ping' });
  const [answer] = (await once(request, 'response')) as [NodeJS.ReadableStream];
  return await text(answer);
}

void t.test('a Docker engine, until it is interrupted', { skip }, async (t) => {
  const folder = await mkdtemp('/tmp/sd-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [script('start-docker.js'), folder]);
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    said += String(part);
    if (/^export DOCKER_HOST=.*\n/m.test(said)) break;
  }
  t.match(said, /Docker 26\.1\S* is up/);
  const socket = /DOCKER_HOST=unix:\/\/(\S+)/.exec(said)?.[1] ?? '';
  t.equal(await ping(socket), 'OK');
  const temporary = /TMPDIR=(\S+)/.exec(said)?.[1] ?? '';
  t.ok(temporary.startsWith(folder) && existsSync(temporary), 'where both sides see files');
  child.kill('SIGINT');
  t.strictSame(await once(child, 'exit'), [0, null]);
  t.notOk(existsSync(socket));
});

void t.test('a script says what it lacks', (t) => {
  const { status, stderr } = spawnSync(process.execPath, [script('start-docker.js')], {
    encoding: 'utf8',
  });
  t.equal(status, 1);
  t.match(stderr, /name the folder for its data/);
  t.end();
});

void t.test('tools', { skip: (await k6Program()) === undefined && 'no k6 is built' }, (t) => {
  const said = execFileSync(process.execPath, [script('install-tools.js')], { encoding: 'utf8' });
  t.match(said, /^iperf3 3\.\d+\S*: /m);
  t.match(said, /^tcpdump 4\.\d+\S*: /m);
  t.match(said, /^k6 v?1\.\S+.*: \//m);
  t.end();
});
