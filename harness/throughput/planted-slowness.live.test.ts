/**
 * Goal: a path that carries a quarter less than it could is found, or half, whether a shaper, a
 * host that computes or a program that sleeps is the cause, and without them it does not diverge.
 * Method: network namespaces, with a calibration of the paths that a path across nodes needs. How
 * much less it carries is measured when it is planted; noise may leave a clean run without verdict.
 */
import assert from 'node:assert/strict';
import t from 'tap';
import { openImage } from '../../images/images.js';
import { openTool } from '../../images/measuring-tools.js';
import { createTeardown } from '../base/concurrency/teardown.js';
import { randomFor } from '../base/random.js';
import { netnsUserspace } from '../testbeds/netns/netns-backend.js';
import { whatNamespacesLack } from '../testbeds/kernel/namespace.js';
import { asInOneRound, calibrate } from './calibrate.js';
import { openRealCluster } from './cluster/real-cluster.js';
import { inspectDisciplines } from './cluster/shaping-devices.js';
import { inspectPath } from './inspect-trial.js';
import { judgeTurns, turnsOf } from './measure.js';
import { measuredPaths, measuredPlan, podMtuOf } from './measured-paths.js';
import { judgePathWaiting } from './path-waiting.js';
import { plannedPath } from './planned-path.js';
import { plantSlowness, type PlantedSlowness, type Slowness } from './planted-slowness.js';
import { referencePaths, referencePlan, segmentMtu } from './reference-paths.js';
import { trialsInTurn } from './trials-in-turn.js';

const isAsked = process.env['FLOWBED_PLANTED_SLOWNESS'] !== undefined;
const skip =
  whatNamespacesLack() ?? (isAsked ? false : 'on a quiet machine: FLOWBED_PLANTED_SLOWNESS=1');
const measure = 'connections' as const;
/** As the command has them: with fewer, a quarter less is within what is predicted. */
const [rounds, turnCount, seconds, processors] = [8, 8, 1, 2];

async function openPath() {
  const image = await openImage('trixie', (line) => t.comment(line));
  const iperf3 = await openTool('iperf3', (line) => t.comment(line));
  const places = await netnsUserspace.places?.(image);
  const path = measuredPaths.find(({ name }) => name === 'encap');
  assert(places !== undefined && path !== undefined, 'they are there');
  const teardown = createTeardown();
  t.teardown(() => teardown.run());
  const common = { places, teardown, scheduling: 'before all else' as const };
  const references = { ...common, podMtu: segmentMtu };
  const beside = await openRealCluster(referencePlan, image, references);
  const plan = measuredPlan(path.mode, 0);
  const cluster = await openRealCluster(plan, image, { ...common, podMtu: podMtuOf(path.mode) });
  const settings = { iperf3: iperf3.command, seconds };
  const planned = [];
  for (const one of referencePaths) planned.push(await plannedPath(referencePlan, one, measure));
  const [baseline] = planned;
  assert(baseline !== undefined, 'there is a baseline');
  const trials = await calibrate(beside, planned, measure, rounds, settings);
  const calibration = asInOneRound(trials, 'time');
  const own = await plannedPath(plan, path, measure);
  const { probesALookup } = await inspectPath(cluster, plan, path, measure, settings);
  const ground = {
    ...{ cluster, planned: own, measure, settings, processors },
    beside: { cluster: beside, planned: baseline },
  } as const;
  const judge = async (faults: PlantedSlowness['settings']) => {
    const pair = [ground.beside, { cluster, planned: own, faults }];
    const turns = turnsOf(await trialsInTurn(pair, measure, settings, turnCount));
    const compared = { baseline, path: own, probesALookup, processors };
    const random = randomFor(1, 'slowness');
    const drawn = () => random.integer(0, 2 ** 24 - 1) / 2 ** 24;
    const ratios = judgeTurns(measure, turns, calibration, compared, drawn);
    const waiting = judgePathWaiting(measure, turns, calibration, compared);
    return [
      ...ratios.map(({ need, verdict }) => `${need}: ${verdict.kind}`),
      `waiting: ${waiting.verdict.kind}`,
    ];
  };
  const plant = (slowness: Slowness) => plantSlowness(slowness, ground);
  return { cluster, judge, plant };
}

const found = /slower than the model allows|the path waits/;

void t.test('what makes a path slower is found', { skip }, async (t) => {
  const { cluster, judge, plant } = await openPath();
  const clean = await judge({});
  t.strictSame(
    clean.filter((line) => found.test(line)),
    [],
    `without a fault: ${clean.join(', ')}`,
  );
  t.match(await inspectDisciplines(cluster), { actual: 'none', holds: true });
  for (const kind of ['shaper', 'sleeping-program', 'slow-host'] as const)
    for (const percent of [25, 50]) {
      const planted = await plant({ kind, percent });
      const said = await judge(planted.settings);
      const carried = `${kind} ${percent}: ${planted.percent.toFixed(0)} % less`;
      t.ok(
        said.some((line) => found.test(line)),
        `${carried}: ${said.join(', ')}`,
      );
      const held = await inspectDisciplines(cluster);
      t.equal(held.holds, kind !== 'shaper', held.actual);
      await planted.remove();
    }
  t.match(await inspectDisciplines(cluster), { holds: true }, 'nothing of it is left');
});
