/**
 * Goal: k6's requests are answered by pods of containers, with the work that the model has for
 * them, and a wrong server is found. Method: an engine of this test's own, where k6 is on PATH or
 * has been built: a second on paths of Antrea's and one of OVN's.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { engineForTests } from '../../images/engines.js';
import { openImage } from '../../images/images.js';
import { k6Program } from '../../images/k6.js';
import { createTeardown } from '../base/concurrency/teardown.js';
import { thisPlace } from '../docker-engine/namespaces.js';
import { startEngine } from '../docker-engine/start-engine.js';
import { docker } from '../testbeds/docker/docker-backend.js';
import { openRealCluster } from '../throughput/cluster/real-cluster.js';
import { inspectPath } from '../throughput/inspect-trial.js';
import { measuredPaths, measuredPlan, podMtuOf } from '../throughput/measured-paths.js';
import { runHttp } from './run-http.js';

const k6 = await k6Program();
const engineFiles =
  k6 === undefined
    ? { missing: 'there is no k6: ./flowbed image build k6' }
    : await engineForTests('trixie', (line) => t.comment(line));
const skip = 'missing' in engineFiles ? engineFiles.missing : false;

void t.test('requests between containers', { skip }, async (t) => {
  if ('missing' in engineFiles || k6 === undefined) return;
  const folder = await mkdtemp('/tmp/de-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const started = await startEngine({ image: engineFiles, folder, namespaces: thisPlace });
  t.teardown(() => started.close());
  // An engine of a test's own sees its own folder: sockets of switches lie there.
  Object.assign(process.env, {
    DOCKER_HOST: `unix://${started.socket}`,
    TMPDIR: await mkdtemp(join(folder, 't')),
  });
  const image = await openImage('trixie', (line) => t.comment(line));
  const places = await docker.places?.(image);
  assert(places !== undefined, 'it has real hosts');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const pathNamed = (name: string) => {
    const path = measuredPaths.find((one) => one.name === name);
    assert(path !== undefined, `there is a path ${name}`);
    return path;
  };
  for (const [mode, names] of [
    ['encap', ['encap', 'cluster-ip', 'node-port']],
    ['ovn', ['ovn-encap']],
  ] as const)
    await t.test(mode, async (t) => {
      const plan = measuredPlan(mode, 0);
      const cluster = await openRealCluster(plan, image, {
        ...{ places, teardown, podMtu: podMtuOf(mode) },
      });
      const load = { k6, clients: 2, seconds: 1 };
      for (const path of names.map(pathNamed)) {
        const { requests, differences } = await runHttp(cluster, path, 'kept', load);
        t.ok(requests > 0, `${path.name}: ${requests} requests`);
        t.strictSame(differences, [], path.name);
      }
      const [name] = names;
      const wrong = await runHttp(cluster, pathNamed(name), 'kept', {
        ...{ ...load, fault: 'other-server' as const },
      });
      t.match(wrong.differences, [/"pod far answers"/]);
      const programmed = plan.northbound === undefined ? plan : cluster.plan;
      const settings = { iperf3: ['true'] as const, k6, seconds: 1 };
      const { checks } = await inspectPath(
        ...([cluster, programmed, pathNamed(name), 'requests', settings] as const),
      );
      for (const { what, expected, actual, holds } of checks)
        t.ok(holds, `${name}: ${what}: ${actual}, in the model ${expected}`);
      await cluster.close();
    });
});
