// Goal: shards that are merged are the run without shards, byte for byte but for durations, and
// nothing else is merged. Method: a run of four points on the model, taken apart and joined; shards
// that are missing, there twice, or of another run.
import t from 'tap';
import encap from '../../../scenarios/antrea/encap.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';
import { assembleRun } from '../shards/assemble-run.js';
import { dealPoints, longestFirst } from '../shards/deal-points.js';
import { mergeRuns } from './merge-runs.js';
import { runScenario, type ScenarioRun } from '../run-scenario.js';

const metadata = {
  again: './flowbed run antrea/encap --image trixie --seed 1',
  seed: 1,
  backend: 'sim',
  image: 'trixie',
  imageDigest: 'a',
};
const runs: ScenarioRun[] = [];
for (const tunnel of ['geneve', 'vxlan', 'gre'])
  runs.push(
    await runScenario(
      encap,
      { nodes: '2', tunnel },
      {
        seed: 1,
        nowMs: () => 0,
        depth: 'cold',
        only: ({ id }) => /^ping\/p1\//.test(id),
        openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
      },
    ),
  );
const shard = (index: number, of: number, points: readonly number[]) => ({
  name: `runs/${index}`,
  record: assembleRun(
    points.flatMap((place) => runs[place] ?? []),
    { ...metadata, shard: { index, of, points: [...points] } },
  ),
});

void t.test('two shards are the whole run', (t) => {
  const whole = assembleRun(runs, metadata);
  const merged = mergeRuns([shard(2, 2, [1]), shard(1, 2, [0, 2])]);
  t.equal(JSON.stringify(merged), JSON.stringify(whole));
  const [first] = shard(1, 2, [0, 2]).record.report.scenarios;
  t.equal(first?.axes['tunnel'], 'geneve');
  t.end();
});

void t.test('what does not belong together is refused', (t) => {
  const [one, two] = [shard(1, 2, [0, 2]), shard(2, 2, [1])];
  t.throws(() => mergeRuns([one]), /shards are missing: 2\/2/);
  t.throws(() => mergeRuns([one, { ...one, name: 'runs/9' }]), /runs\/9 and runs\/1 are both/);
  const other = { ...two.record, report: { ...two.record.report, imageDigest: 'b' } };
  t.throws(() => mergeRuns([one, { name: 'runs/3', record: other }]), /its imageDigest differs/);
  t.throws(
    () => mergeRuns([{ name: 'runs/4', record: assembleRun(runs, metadata) }]),
    /runs\/4 is no shard/,
  );
  t.end();
});

void t.test('points are dealt by how long they took, always the same', (t) => {
  const points = [9, 1, 1, 1, 4, 4].map((durationMs, place) => ({
    label: String(place),
    durationMs,
  }));
  t.same(dealPoints(points, 2), [
    [0, 2],
    [1, 3, 4, 5],
  ]);
  t.same(dealPoints(points, 2), dealPoints(points, 2));
  const unknown = points.map((point) => ({ ...point, durationMs: undefined }));
  t.same(dealPoints(unknown, 3), [
    [0, 3],
    [1, 4],
    [2, 5],
  ]);
  t.same(dealPoints(points, 6).flat().sort(), [0, 1, 2, 3, 4, 5], 'none is lost');
  t.end();
});

void t.test('the longest points begin first, and before them those that nobody knows', (t) => {
  const points = [4, 9, undefined, 9, 1, undefined].map((durationMs) => ({ durationMs }));
  t.same(longestFirst(points), [2, 5, 1, 3, 0, 4]);
  t.same(longestFirst([]), []);
  t.end();
});
