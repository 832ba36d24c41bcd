/**
 * Goal: traffic on several paths runs in turn, and nothing of it outside of its turns; a client
 * that has ended is no trial. Method: two reference paths in network namespaces, with connections
 * and with a stream; states of processes by proc(5).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { openTool } from '../../../images/measuring-tools.js';
import { createTeardown } from '../../base/concurrency/teardown.js';
import { netnsUserspace } from '../../testbeds/netns/netns-backend.js';
import { whatNamespacesLack } from '../../testbeds/kernel/namespace.js';
import { openRealCluster } from '../cluster/real-cluster.js';
import type { MeasureName } from '../measures.js';
import { plannedPath } from '../planned-path.js';
import { referencePaths, referencePlan, segmentMtu } from '../reference-paths.js';
import { startSliced, takeTurns } from './sliced-traffic.js';

const skip = whatNamespacesLack() ?? false;
const names = ['plain', 'tracked-thrice'];
const plan = { nodes: referencePlan.nodes.filter(({ node }) => names.includes(node)) };

async function openTwo() {
  const image = await openImage('trixie', (line) => t.comment(line));
  const iperf3 = await openTool('iperf3', (line) => t.comment(line));
  const places = await netnsUserspace.places?.(image);
  assert(places !== undefined, 'it has real hosts');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const settings = { places, teardown, podMtu: segmentMtu };
  const cluster = await openRealCluster(plan, image, settings);
  const start = async (measure: MeasureName) => {
    const all = [];
    for (const path of referencePaths.filter(({ name }) => names.includes(name))) {
      const planned = await plannedPath(plan, path, measure);
      const one = await startSliced(cluster, planned, measure, {
        iperf3: iperf3.command,
        seconds: 1,
      });
      t.teardown(() => one.close());
      all.push(one);
    }
    return all;
  };
  return { cluster, start };
}

/** `T` of one that is stopped. */
function stateOf(pid: number): string {
  return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? '';
}

for (const measure of ['connections', 'bulk'] as const)
  void t.test(`${measure} in turn`, { skip }, async (t) => {
    const { cluster, start } = await openTwo();
    const all = await start(measure);
    const pids = all.flatMap((one) => one.pids);
    const states = () => new Set(pids.map(stateOf));
    t.strictSame(states(), new Set(['T']), 'stopped before');
    const [plain, tracked, ...others] = await takeTurns(all, 0.3);
    t.strictSame(states(), new Set(['T']), 'and after');
    t.strictSame(others, []);
    for (const trial of [plain, tracked]) {
      assert(trial !== undefined, 'each has a trial');
      t.ok(trial.seconds >= 0.3, `it ran for ${trial.seconds} s`);
      for (const need of ['units', 'switchNs', 'clientNs', 'serverNs'] as const)
        t.ok(trial[need] > 0, `${need}: ${trial[need]}`);
    }
    const before = await cluster.countedWork();
    const between = await takeTurns(all.slice(0, 1), 0.1);
    const now = await cluster.countedWork();
    t.ok((between[0]?.lookups ?? 0) > 0);
    const counted = (now?.lookups ?? 0) - (before?.lookups ?? 0);
    const outside = counted - (between[0]?.lookups ?? 0);
    t.ok(outside < counted / 20, `${outside} of ${counted} lookups outside of turns`);
  });

void t.test('a client that has ended', { skip }, async (t) => {
  const { start } = await openTwo();
  const all = await start('connections');
  process.kill(all[1]?.pids.at(-1) ?? 0, 'SIGKILL');
  await t.rejects(takeTurns(all, 0.3), { message: 'a client of path tracked-thrice has ended' });
});
