// Goal: a run begins the longest of its points first, by what the project has written down of how
// long they took; and what is written down is of points that there are. Method: turns of points of
// the project's own scenarios, and each entry of scenarios/durations.json held to its scenario.
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { loadScenario } from '../scenarios/scenarios.js';
import { readPointDurations, turnsOf, usualDurations } from './durations.js';
import { runSpecOf } from './run-spec.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

void t.test('the longest begins first, one that is not written down before it', async (t) => {
  const options = { image: 'trixie', seed: '1', passes: 'all' };
  const { points } = await runSpecOf(root, { names: ['ovn-cni'], options });
  const names = (await turnsOf(root, points)).map((place) => points[place]?.scenario.name);
  const known = await readPointDurations(usualDurations(root));
  const tookMs = (name = '') => known.find((point) => point.name === name)?.durationMs ?? NaN;
  const single = names.filter((name) => names.indexOf(name) === names.lastIndexOf(name));
  t.ok(single.length > 3);
  for (const [turn, name] of single.slice(1).entries())
    t.ok(tookMs(name) <= tookMs(single[turn]), `${name} begins behind ${single[turn]}`);
  const [first] = points;
  if (first === undefined) throw new Error('there is a point');
  const unknown = { ...first, axes: { ...first.axes, mine: 'own' } };
  t.equal((await turnsOf(root, [...points, unknown]))[0], points.length);
  t.same(
    (await turnsOf(root, points)).toSorted((a, b) => a - b),
    [...points.keys()],
  );
});

void t.test('a project that has written nothing down', async (t) => {
  const options = { image: 'trixie', seed: '1', passes: 'all' };
  const { points } = await runSpecOf(root, { names: ['ovn-cni'], options });
  t.same(await turnsOf(t.testdir({}), points), [...points.keys()]);
});

void t.test('what is written down is of points that there are', async (t) => {
  for (const { name, axes } of await readPointDurations(usualDurations(root))) {
    const scenario = await loadScenario(root, name);
    t.same(Object.keys(axes).sort(), Object.keys(scenario.axes).sort(), `axes of ${name}`);
    for (const [axis, value] of Object.entries(axes))
      t.ok(scenario.axes[axis]?.values.includes(value), `${name} ${axis}=${value}`);
  }
});
