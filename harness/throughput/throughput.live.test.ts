/**
 * Goal: real hosts reach each other on every path that is measured, with the work that the model
 * has, and what is planted is found. Method: network namespaces; a second of connections and of
 * datagrams on each path, as many as the machine makes. How fast they are decides nothing here: the
 * verdict on that is tested on synthetic trials (statistics/).
 */
import assert from 'node:assert/strict';
import t from 'tap';
import { openImage } from '../../images/images.js';
import { openTool } from '../../images/measuring-tools.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import { countedSince } from '../domain/work.js';
import { createTeardown } from '../base/concurrency/teardown.js';
import { netnsUserspace } from '../testbeds/netns/netns-backend.js';
import { whatNamespacesLack } from '../testbeds/kernel/namespace.js';
import { openRealCluster } from './cluster/real-cluster.js';
import { inspect } from './inspect-path.js';
import { inspectPath } from './inspect-trial.js';
import { measuredPaths, measuredPlan, podMtuOf, type MeasuredPath } from './measured-paths.js';
import { measureThroughput } from './measure-throughput.js';
import { faultedPlan, type PlantedFault } from './planted-faults.js';
import { referencePaths, referencePlan, segmentMtu, type TrafficPath } from './reference-paths.js';
import { runTrial } from './traffic/run-trial.js';
import { workOfPath } from './work-of-path.js';

const skip = whatNamespacesLack() ?? false;
const image = await openImage('trixie', (line) => t.comment(line));

async function open(mode: MeasuredPath['mode'], fault?: PlantedFault) {
  const places = await netnsUserspace.places?.(image);
  if (places === undefined) throw new Error('it has real hosts');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const wanted = measuredPlan(mode, 3);
  const settings = {
    ...{ places, teardown, podMtu: podMtuOf(mode) },
    scheduling: 'before all else' as const,
  };
  const cluster = await openRealCluster(faultedPlan(wanted, fault), image, settings);
  return { plan: mode === 'ovn' ? cluster.plan : wanted, cluster };
}

void t.test('each path carries what the model says', { skip }, async (t) => {
  const iperf3 = await openTool('iperf3', (line) => t.comment(line));
  const settings = { iperf3: iperf3.command, seconds: 0.4 };
  for (const mode of ['encap', 'noEncap', 'ovn'] as const) {
    const { plan, cluster } = await open(mode);
    for (const path of measuredPaths.filter((one) => one.mode === mode)) {
      const work = await workOfPath(plan, path, 'connections');
      await runTrial(cluster, path, 'connections', settings);
      const before = await cluster.countedWork();
      const { result: trial, frames } = await cluster.captureBetween(() =>
        runTrial(cluster, path, 'connections', settings),
      );
      const now = await cluster.countedWork();
      t.ok(trial.units > 0 && trial.switchNs > 0, `${path.name}: ${trial.units} connections`);
      assert(before !== undefined && now !== undefined, 'ovs-vswitchd counts');
      if (path.proxy === undefined)
        t.ok((now.lookups - before.lookups) / trial.units >= work.lookups * 0.97, path.name);
      for (const { what, actual, holds } of inspect(plan, work, 'both', { trial, between: frames }))
        t.ok(holds, `${path.name}: ${what}: ${actual}`);
    }
    const bulk = measuredPaths.find((one) => one.mode === mode);
    if (bulk !== undefined)
      t.ok((await runTrial(cluster, bulk, 'bulk', { ...settings, seconds: 1 })).units > 0);
    await cluster.close();
  }
});

void t.test(
  'many masks are asked, for datagrams of one connection as well',
  { skip },
  async (t) => {
    const iperf3 = await openTool('iperf3', (line) => t.comment(line));
    const places = await netnsUserspace.places?.(image);
    const path = referencePaths.find(({ name }) => name === 'many-masks');
    assert(path !== undefined && places !== undefined, 'they are there');
    const teardown = createTeardown();
    t.teardown(() => teardown.run());
    const of = ({ node }: NodePlan) => node === 'many-masks';
    const plan = { nodes: referencePlan.nodes.filter(of) };
    const settings = { places, teardown, podMtu: segmentMtu };
    const cluster = await openRealCluster(plan, image, settings);
    const cachedBy = async (one: TrafficPath) => {
      await runTrial(cluster, one, 'paced', { iperf3: iperf3.command, seconds: 1 });
      const flows = await cluster.vswitches.get('many-masks')?.vswitchd.unixctl.call(dumpFlows);
      return flows?.split('\n').filter((flow) => flow.includes('udp(src=')).length ?? 0;
    };
    const { portsBefore: ports = [], ...alone } = path;
    t.ok((await cachedBy(alone)) <= 1, 'one connection has one of them');
    t.ok((await cachedBy(path)) >= ports.length);
  },
);
const dumpFlows = 'dpctl/dump-flows';

void t.test('ports come in the order of the plan, those of pods last', { skip }, async (t) => {
  const places = await netnsUserspace.places?.(image);
  assert(places !== undefined, 'they are there');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const plan = measuredPlan('noEncap', 0);
  const cluster = await openRealCluster(plan, image, { places, teardown, podMtu: segmentMtu });
  for (const { node, bridges } of plan.nodes) {
    const shown = await cluster.vswitches.get(node)?.vswitchd.unixctl.call('dpif/show');
    const numbers = [...(shown ?? '').matchAll(/^\s+(\S+) \d+\/(\d+):/gm)]
      .toSorted(([, , one], [, , other]) => Number(one) - Number(other))
      .map(([, name]) => name);
    const ports = bridges.flatMap((bridge) => bridge.ports);
    t.strictSame(numbers, [
      ...bridges.map(({ name }) => name),
      ...ports.filter(({ kind }) => kind !== 'endpoint').map(({ name }) => name),
      ...ports.filter(({ kind }) => kind === 'endpoint').map(({ name }) => name),
    ]);
  }
});

/** Of clients' ports these are a third: enough to meet most of the flows in their way. */
const connectionsMin = 5000;

void t.test('what is planted is found', { skip }, async (t) => {
  const iperf3 = await openTool('iperf3', (line) => t.comment(line));
  const settings = { iperf3: iperf3.command, seconds: 0.4 };
  const path = measuredPaths.find(({ name }) => name === 'encap');
  assert(path !== undefined, 'it is there');
  for (const [fault, what] of [
    ['tunnel-checksum', 'tunnelled packets with a checksum of UDP'],
    ['flows-in-the-way', 'upcalls since the first packet'],
  ] as const) {
    const { plan, cluster } = await open('encap', fault);
    const before = await cluster.countedWork();
    const { result: trial, frames } = await cluster.captureBetween(async () => {
      let trial = await runTrial(cluster, path, 'connections', settings);
      for (let units = trial.units; units < connectionsMin; units += trial.units)
        trial = await runTrial(cluster, path, 'connections', settings);
      return trial;
    });
    const now = await cluster.countedWork();
    assert(before !== undefined && now !== undefined, 'ovs-vswitchd counts');
    const { upcalls } = countedSince(before, now);
    const work = await workOfPath(plan, path, 'connections');
    const found = inspect(plan, work, 'both', { trial, upcalls, between: frames });
    t.equal(found.find((one) => one.what === what)?.holds, false, fault);
    await cluster.close();
  }
});

void t.test('packets that have to be fragmented are found', { skip }, async (t) => {
  const iperf3 = await openTool('iperf3', (line) => t.comment(line));
  const [path] = measuredPaths;
  const places = await netnsUserspace.places?.(image);
  assert(path !== undefined && places !== undefined, 'they are there');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const plan = measuredPlan('encap', 0);
  const settings = { places, teardown, podMtu: segmentMtu, faultyMtu: 600 };
  const cluster = await openRealCluster(plan, image, settings);
  const { checks: found } = await inspectPath(cluster, plan, path, 'datagrams', {
    iperf3: iperf3.command,
    seconds: 1,
  });
  t.match(found, [{ what: 'lookups a unit', holds: false }]);
});

void t.test('a proxy that waits is found', { skip }, async (t) => {
  const places = await netnsUserspace.places?.(image);
  assert(places !== undefined, 'it has real hosts');
  const report = await measureThroughput({
    ...{ backend: netnsUserspace, places, image, teardown: createTeardown() },
    iperf3: await openTool('iperf3', (line) => t.comment(line)),
    ...{ machine: 'of a test', cache: t.testdir(), calibration: 'new', roundsOfCalibration: 2 },
    paths: measuredPaths.filter(({ name }) => name === 'node-port'),
    measures: ['connections'],
    ...{ policies: [0], turns: 6, seconds: 0.5, processors: 2, scheduling: 'before all else' },
    fault: 'proxy-pause',
    say: (line) => t.comment(line),
  });
  t.equal(report.verdict, 'diverges');
  t.match(report.results[0]?.ratios, [{ need: 'time', verdict: 'slower than the model allows' }]);
});

void t.test('one turn is no verdict', { skip }, async (t) => {
  const places = await netnsUserspace.places?.(image);
  assert(places !== undefined, 'it has real hosts');
  const report = await measureThroughput({
    backend: netnsUserspace,
    places,
    image,
    teardown: createTeardown(),
    iperf3: await openTool('iperf3', (line) => t.comment(line)),

    machine: 'of a test',
    cache: t.testdir(),
    calibration: 'new',
    roundsOfCalibration: 1,
    paths: measuredPaths.slice(0, 1),

    measures: ['paced'],
    policies: [0],
    turns: 1,
    processors: 2,
    scheduling: 'as usual',
    seconds: 1,
    say: (line) => t.comment(line),
  });
  t.match(report, { backend: 'netns-userspace', results: [{ measure: 'paced', turns: 1 }] });
  t.match(report.results[0]?.ratios, [{ need: 'processor', measured: { high: null } }]);
  t.not(report.verdict, 'conforms', 'nothing is known of one turn');
});
