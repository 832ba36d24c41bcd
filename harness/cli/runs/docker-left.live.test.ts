/**
 * Goal: whatever ends a run on containers, and whenever, no container, network, namespace, link,
 * mount, process or folder of it is left. Method: the compiled program on an engine of this test's
 * own, ended by SIGKILL or SIGINT at seeded moments (FLOWBED_MOMENTS of them); what there is before
 * and after `clean` is counted, two runs at once do not meet, and an engine that is killed under a
 * run makes it inconclusive.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { engineForTests } from '../../../images/engines.js';
import { until } from '../../base/concurrency/until.js';
import { randomFor } from '../../base/random.js';
import { connectEngine } from '../../docker/engine.js';
import type { Namespaces } from '../../docker-engine/namespaces.js';
import { startEngine } from '../../docker-engine/start-engine.js';
import { descendantsOf } from '../processes/descendants.js';

const seed = 1;
const moments = Number(process.env['FLOWBED_MOMENTS'] ?? 12);
/** On a busy machine a run takes longer than all of them may wait for. */
const latestMs = 10_000;

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const main = join(root, 'dist/harness/cli/main.js');
const engineFiles = await engineForTests('trixie', (line) => t.comment(line));
const skip = 'missing' in engineFiles ? engineFiles.missing : false;

/**
 * A network namespace of this test's own, in which links and rules are its runs' and its engine's
 * alone; it ends with this process.
 */
async function ownNetwork(): Promise<Namespaces> {
  const holder = spawn('unshare', ['--net', '--', 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const { pid = 0 } = holder;
  const ours = readlinkSync('/proc/self/ns/net');
  await until('a network namespace', 20_000, () =>
    Promise.resolve(readlinkSync(`/proc/${pid}/ns/net`) === ours ? ['it is ours still'] : []),
  );
  return {
    pid,
    inside: ['nsenter', `--net=/proc/${pid}/ns/net`, '--'],
    close: () => void holder.kill('SIGKILL'),
  };
}

void t.test('runs on containers that are ended', { skip }, async (t) => {
  if ('missing' in engineFiles) return;
  const folder = await mkdtemp('/tmp/de-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const namespaces = await ownNetwork();
  t.teardown(() => namespaces.close());
  const [enter = '', ...within] = namespaces.inside;
  const machine = () =>
    [
      ['ip', '-o', 'link'],
      ['nft', 'list', 'tables'],
    ].map((words) => execFileSync(enter, [...within, ...words], { encoding: 'utf8' }));
  const started = await startEngine({ image: engineFiles, folder, namespaces });
  t.teardown(() => started.close());
  const host = `unix://${started.socket}`;
  // An engine of a test's own sees its own folder: sockets of switches lie there.
  const temporary = await mkdtemp(join(folder, 't'));
  const network = join(folder, 'network.yaml');
  await writeFile(
    network,
    'name: small\nnodes: [{ name: n1, pods: [p1] }, { name: n2, pods: [p2] }]\n',
  );
  const args = [
    ...[main, 'run', 'antrea/encap', '--topology', network, '--backend', 'docker'],
    ...['--passes', 'cold', '--json'],
  ];
  const engine = await connectEngine(host);
  const env = {
    ...process.env,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    TMPDIR: temporary,
    DOCKER_HOST: host,
  };
  const flowbed = (...words: readonly string[]) =>
    execFileSync(enter, [...within, process.execPath, main, ...words], { env, encoding: 'utf8' });
  t.match(
    flowbed('image', 'build', 'docker:trixie'),
    /^flowbed:trixie-\w{12} in the Docker engine/,
  );

  const counted = async () => ({
    containers: (await engine.client.listContainers({ all: true })).map(({ Id: id }) => id),
    networks: (await engine.client.listNetworks()).map(({ Name: name }) => name).sort(),
    images: (await engine.client.listImages()).map(({ RepoTags: tags }) => tags),
    mounts: readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.includes(folder)),
    folders: readdirSync(temporary),
    machine: machine(),
  });
  const before = await counted();

  await t.test('two runs at once, one with OVN', async (t) => {
    const startedMs = performance.now();
    const ovn = [main, 'run', 'ovn/first', '--backend', 'docker', '--passes', 'cold', '--json'];
    const codes = [args, ovn].map(async (words) => {
      const run = spawn(enter, [...within, process.execPath, ...words], { env, stdio: 'ignore' });
      const ended = (await once(run, 'exit')) as readonly unknown[];
      if (words === args) longestMs = Math.round(performance.now() - startedMs);
      return ended[0];
    });
    t.strictSame(await Promise.all(codes), [0, 0]);
    t.strictSame(await counted(), before);
  });

  await t.test('an engine that is killed under a run', async (t) => {
    const run = spawn(enter, [...within, process.execPath, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [printed, complained] = ['', ''];
    run.stdout.setEncoding('utf8').on('data', (text: string) => void (printed += text));
    run.stderr.setEncoding('utf8').on('data', (text: string) => void (complained += text));
    const ended = once(run, 'close');
    await until('a container to run', 60_000, async () =>
      (await engine.client.listContainers()).length > 0 ? [] : ['there is none'],
    );
    await started.restart('KILL');
    t.strictSame((await ended)[0], 3, complained);
    t.match(JSON.parse(printed), { verdict: 'inconclusive' });
    t.match(printed, /ended with its container|the Docker engine at/);
    flowbed('clean');
    await until('containers to be gone', 60_000, async () =>
      (await counted()).containers.map((id) => `container ${id} is there`),
    );
    t.strictSame(await counted(), before);
  });

  /** A run that is ended after so long. @returns the processes that it had then. */
  const endedRun = async (afterMs: number, signal: NodeJS.Signals): Promise<readonly number[]> => {
    const child = spawn(enter, [...within, process.execPath, ...args], { env, stdio: 'ignore' });
    let processes: readonly number[] = [];
    const timer = setTimeout(() => {
      processes = descendantsOf(child.pid ?? 0).map(({ pid }) => pid);
      child.kill(signal);
    }, afterMs);
    await once(child, 'exit');
    clearTimeout(timer);
    return processes;
  };

  const random = randomFor(seed, 'moments');
  await t.test(`${moments} moments, two runs at a time`, async (t) => {
    let met = 0;
    for (let round = 0; round < moments / 2; round++) {
      const ends = [0, 1].map((which) => ({
        afterMs: random.integer(0, Math.min(longestMs, latestMs)),
        signal: (round + which) % 5 < 3 ? ('SIGKILL' as const) : ('SIGINT' as const),
      }));
      const what = ends.map(({ afterMs, signal }) => `${signal} after ${afterMs} ms`).join(', ');
      const processes = (
        await Promise.all(ends.map(({ afterMs, signal }) => endedRun(afterMs, signal)))
      ).flat();
      met = Math.max(met, processes.length);
      await until(`runs to be gone: ${what}`, 60_000, () =>
        Promise.resolve(processes.filter(runs).map((pid) => `process ${pid} runs`)),
      );
      // Containers that had started end by themselves; `clean` is for the others.
      flowbed('clean');
      await until(`containers to be gone: ${what}`, 60_000, async () =>
        (await counted()).containers.map((id) => `container ${id} is there`),
      );
      t.strictSame(await counted(), before, what);
    }
    t.ok(met >= 2, `runs that were ended had ${met} processes`);
  });
});

let longestMs = 0;

const runs = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1') !== '';
  } catch {
    return false;
  }
};
