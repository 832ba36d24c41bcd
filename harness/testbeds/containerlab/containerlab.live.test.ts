/**
 * Goal: nodes that containerlab deploys do what the sim does, and nothing of a lab is left, also
 * where its run was killed. Method: on an engine of this test's own, where containerlab is
 * installed; a scenario by the compiled program, once to its end and once killed and cleaned.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { engineForTests } from '../../../images/engines.js';
import { until } from '../../base/concurrency/until.js';
import { onPath } from '../../base/files/on-path.js';
import { connectEngine } from '../../docker/engine.js';
import { thisPlace } from '../../docker-engine/namespaces.js';
import { startEngine } from '../../docker-engine/start-engine.js';

const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const installed = await onPath('containerlab');
const engineFiles =
  installed === undefined
    ? { missing: 'containerlab is not installed: https://containerlab.dev/install/' }
    : await engineForTests('trixie', (line) => t.comment(line));
const skip = 'missing' in engineFiles ? engineFiles.missing : false;

void t.test('labs', { skip }, async (t) => {
  if ('missing' in engineFiles) return;
  const folder = await mkdtemp('/tmp/cl-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const started = await startEngine({ image: engineFiles, folder, namespaces: thisPlace });
  t.teardown(() => started.close());
  const host = `unix://${started.socket}`;
  const temporary = await mkdtemp(join(folder, 't'));
  const env = {
    ...process.env,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    TMPDIR: temporary,
    DOCKER_HOST: host,
  };
  const engine = await connectEngine(host);
  const ssh = '/etc/ssh/ssh_config.d';
  const counted = async () => ({
    containers: (await engine.client.listContainers({ all: true })).length,
    networks: (await engine.client.listNetworks()).map(({ Name: name }) => name).sort(),
    links: execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' }),
    hosts: readFileSync('/etc/hosts', 'utf8'),
    ssh: existsSync(ssh) ? readdirSync(ssh) : [],
    namespaces: existsSync('/run/netns')
      ? readdirSync('/run/netns').filter((name) => name.startsWith('clab-'))
      : [],
    folders: readdirSync(temporary),
  });
  const before = await counted();
  const args = ['run', 'antrea/encap', '--backend', 'containerlab', '--passes', 'cold', '--json'];

  await t.test('the trace is that of the sim, and nothing is left', async (t) => {
    const traces: unknown[] = [];
    for (const backend of ['sim', 'containerlab']) {
      const words = args.map((word) => (word === 'containerlab' ? backend : word));
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...words], {
        env,
        maxBuffer: 1 << 28,
      });
      const { verdict, traceHash } = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
      traces.push([verdict, traceHash]);
    }
    t.match(traces[0], ['conforms']);
    t.strictSame(traces[1], traces[0]);
    t.strictSame(await counted(), before);
  });

  await t.test('what a killed run leaves, clean removes', async (t) => {
    const child = spawn(process.execPath, [main, ...args], { env, stdio: 'ignore' });
    await until('a lab to run', 60_000, async () =>
      (await counted()).containers > 0 ? [] : ['there is no container'],
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    await promisify(execFile)(process.execPath, [main, 'clean'], { env });
    t.strictSame(await counted(), before);
  });
});
