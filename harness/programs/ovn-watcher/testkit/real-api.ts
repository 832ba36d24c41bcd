/** kube-apiserver on etcd, on the loopback, without controllers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { within } from '../../../base/files/path-part.js';
import { Unavailable } from '../../../base/errors/errors.js';
import { withDeadline } from '../../../base/concurrency/deadline.js';
import { withParentDeathSignal } from '../../../ovs/process/parent-death-signal.js';
import { reconnecting } from '../reconnect.js';
import type { StartedApi } from './started-api.js';

const token = 'flowbed';
const limitMs = 120_000;

export async function startRealApi(
  dir: string,
  program: string,
  etcd: string,
): Promise<StartedApi> {
  await mkdir(dir, { recursive: true });
  const [clients, peers, port] = [await freePort(), await freePort(), await freePort()];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = join(dir, 'sa.key');
  await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(join(dir, 'tokens.csv'), `${token},admin,1,"system:masters"\n`);
  const store = `http://127.0.0.1:${clients}`;
  const children: ChildProcess[] = [];
  const start = (name: string, command: readonly string[]) => {
    const log = openSync(within(dir, `${name}.log`), 'w');
    const [file, ...args] = withParentDeathSignal(process.pid, command);
    children.push(spawn(file, args, { stdio: ['ignore', log, log] }));
  };
  const url = `https://127.0.0.1:${port}`;
  const close = async () => {
    for (const child of children.splice(0).toReversed()) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await ended;
    }
  };
  try {
    start('etcd', [etcd, ...etcdOptions(dir, store, `http://127.0.0.1:${peers}`)]);
    start('kube-apiserver', [program, ...serverOptions(dir, store, key, port)]);
    await withDeadline(ready(url, children), limitMs, 'kube-apiserver to be ready');
  } catch (error) {
    await close();
    const log = readFileSync(join(dir, 'kube-apiserver.log'), 'utf8').split('\n').slice(-10);
    throw new Unavailable(String(error), [], log);
  }
  return { url, token, close };
}

function etcdOptions(dir: string, clients: string, peers: string): readonly string[] {
  return [
    ...['--data-dir', join(dir, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
    ...['--initial-cluster', `default=${peers}`],
  ];
}

function serverOptions(dir: string, store: string, key: string, port: number): readonly string[] {
  return [
    ...[`--etcd-servers=${store}`, '--bind-address=127.0.0.1', `--secure-port=${port}`],
    ...[`--cert-dir=${join(dir, 'certs')}`, '--advertise-address=127.0.0.1'],
    ...['--service-account-issuer=https://flowbed', `--service-account-signing-key-file=${key}`],
    ...[`--service-account-key-file=${key}`, '--api-audiences=api'],
    ...['--authorization-mode=AlwaysAllow', `--token-auth-file=${join(dir, 'tokens.csv')}`],
    ...['--service-cluster-ip-range=10.96.0.0/16', '--endpoint-reconciler-type=none'],
    '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition',
    ...['--allow-privileged=true', '--profiling=false', '--enable-priority-and-fairness=false'],
  ];
}

async function ready(url: string, children: readonly ChildProcess[]): Promise<void> {
  const reconnect = reconnecting();
  while (!(await isReady(url))) {
    const ended = children.find(({ exitCode }) => exitCode !== null);
    if (ended !== undefined) throw new Unavailable(`${ended.spawnfile} has ended`);
    await reconnect.pause();
  }
}

async function isReady(url: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    request(new URL('/readyz', url), { rejectUnauthorized: false, headers }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .on('error', () => resolve(false))
      .end();
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
