/**
 * Goal: requests of k6 are carried with the work that the model has for them, and a fault beside
 * them is found. Method: network namespaces, where k6 is on PATH or has been built; a second on
 * paths within a node, to a Service and by a proxy. How fast they are decides nothing here.
 */
import assert from 'node:assert/strict';
import t from 'tap';
import { openImage } from '../../images/images.js';
import { openTool } from '../../images/measuring-tools.js';
import { k6Program } from '../../images/k6.js';
import { createTeardown } from '../base/concurrency/teardown.js';
import { netnsUserspace } from '../testbeds/netns/netns-backend.js';
import { whatNamespacesLack } from '../testbeds/kernel/namespace.js';
import { openRealCluster } from './cluster/real-cluster.js';
import { inspectPath } from './inspect-trial.js';
import { measuredPaths, measuredPlan } from './measured-paths.js';
import { faultedPlan, type PlantedFault } from './planted-faults.js';
import { segmentMtu } from './reference-paths.js';
import { plannedPath } from './planned-path.js';
import { runTrial } from './traffic/run-trial.js';
import { startSliced, takeTurns } from './traffic/sliced-traffic.js';

const k6 = await k6Program();
const noK6 = k6 === undefined ? 'there is no k6: ./flowbed image build k6' : undefined;
const skip = whatNamespacesLack() ?? noK6 ?? false;

async function open(t: Tap, fault?: PlantedFault) {
  const image = await openImage('trixie', (line) => t.comment(line));
  const iperf3 = await openTool('iperf3', (line) => t.comment(line));
  const places = await netnsUserspace.places?.(image);
  assert(places !== undefined, 'it has real hosts');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const plan = measuredPlan('encap', 0);
  const settings = { places, teardown, podMtu: segmentMtu, scheduling: 'before all else' as const };
  const cluster = await openRealCluster(faultedPlan(plan, fault), image, settings);
  return { plan, cluster, settings: { iperf3: iperf3.command, k6, seconds: 1 } };
}

type Tap = Pick<typeof t, 'comment' | 'teardown'>;

function pathNamed(name: string) {
  const path = measuredPaths.find((one) => one.name === name);
  assert(path !== undefined, `there is a path ${name}`);
  return path;
}

void t.test('requests need what the model has for them', { skip }, async (t) => {
  const { plan, cluster, settings } = await open(t);
  for (const name of ['same-node', 'encap', 'cluster-ip']) {
    const { checks } = await inspectPath(cluster, plan, pathNamed(name), 'requests', settings);
    t.ok(
      checks.some(({ what }) => what === 'lookups a segment'),
      'its datapath counts',
    );
    for (const { what, expected, actual, holds } of checks)
      t.ok(holds, `${name}: ${what}: ${actual}, in the model ${expected}`);
  }
  const relayed = await runTrial(cluster, pathNamed('node-port'), 'requests', settings);
  t.ok(relayed.units > 0 && relayed.proxyNs > 0 && relayed.clientNs > 0, 'by the proxy');
});

void t.test('requests that fail are no trial', { skip }, async (t) => {
  const { plan, cluster, settings } = await open(t);
  const path = pathNamed('same-node');
  const deaf = plan.nodes.flatMap(({ hosts }) => hosts).find(({ name }) => name === 'far');
  const asking = { ...path, ip: deaf?.interfaces[0]?.ip ?? path.ip };
  const planned = await plannedPath(plan, path, 'requests');
  const turns = async () => {
    const traffic = await startSliced(cluster, { ...planned, path: asking }, 'requests', settings);
    t.teardown(() => traffic.close());
    await takeTurns([traffic], 5);
  };
  await t.rejects(turns(), { message: 'a client of path same-node has ended' });
});

void t.test('a checksum that the plan has not is found', { skip }, async (t) => {
  const { plan, cluster, settings } = await open(t, 'tunnel-checksum');
  const { checks } = await inspectPath(
    ...([cluster, plan, pathNamed('encap'), 'requests', settings] as const),
  );
  t.match(
    checks.filter(({ holds }) => !holds),
    [{ what: 'tunnelled packets with a checksum of UDP' }],
  );
});
