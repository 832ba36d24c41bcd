/**
 * Goal: chassis of OVN and nodes that restart whole go by labs as they go by the sim, and a node
 * that is not deployed is named. Method: an engine of this test's own, and containerlab, or, where
 * it is not installed, a stand-in that makes its containers; traces beside those of the sim.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { engineForTests } from '../../../images/engines.js';
import { onPath } from '../../base/files/on-path.js';
import { thisPlace } from '../../docker-engine/namespaces.js';
import { startEngine } from '../../docker-engine/start-engine.js';
import { connectEngine } from '../../docker/engine.js';

const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const standIn = fileURLToPath(new URL('testkit/stand-in-containerlab.js', import.meta.url));
const installed = await onPath('containerlab');
const engineFiles = await engineForTests('trixie', (line) => t.comment(line));
const skip = 'missing' in engineFiles ? engineFiles.missing : false;
const by = installed === undefined ? 'a stand-in for containerlab' : 'containerlab';

void t.test(`labs by ${by}`, { skip }, async (t) => {
  if ('missing' in engineFiles) return;
  const folder = await mkdtemp('/tmp/cl-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const started = await startEngine({ image: engineFiles, folder, namespaces: thisPlace });
  t.teardown(() => started.close());
  const programs = await mkdtemp(join(folder, 'programs-'));
  if (installed === undefined) {
    const program = join(programs, 'containerlab');
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${standIn}' "$@"\n`);
    await chmod(program, 0o755);
  }
  const temporary = await mkdtemp(join(folder, 't'));
  const env = {
    ...process.env,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    TMPDIR: temporary,
    DOCKER_HOST: `unix://${started.socket}`,
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
  };
  const engine = await connectEngine(env.DOCKER_HOST);
  const left = async () => [
    ...(await engine.client.listContainers({ all: true })).flatMap(({ Names: names }) => names),
    ...(await readdir(temporary)),
  ];
  const run = async (words: readonly string[], more = {}) => {
    const args = [main, 'run', ...words, '--passes', 'cold', '--json'];
    const done = await promisify(execFile)(process.execPath, args, {
      env: { ...env, ...more },
      maxBuffer: 1 << 28,
    }).catch((error: unknown) => error as { readonly stdout: string });
    return JSON.parse(done.stdout) as Readonly<Record<string, unknown>>;
  };
  for (const scenario of ['ovn/first', 'antrea/node-restarts'])
    await t.test(scenario, async (t) => {
      const [sim, lab] = [
        await run([scenario]),
        await run([scenario, '--backend', 'containerlab']),
      ];
      t.match(sim, { verdict: 'conforms' });
      t.strictSame([lab['verdict'], lab['traceHash']], [sim['verdict'], sim['traceHash']]);
      t.strictSame(await left(), []);
    });

  const skip = installed === undefined ? false : 'containerlab deploys all nodes';
  await t.test('a node that is not deployed', { skip }, async (t) => {
    const words = ['antrea/node-restarts', '--backend', 'containerlab'];
    const report = await run(words, { STAND_IN_LEAVES_OUT: 'n2' });
    t.match(report, { verdict: 'inconclusive' });
    t.match(JSON.stringify(report), /containerlab has deployed no node clab-[^"]*-n2/);
    t.strictSame(await left(), []);
  });
});
