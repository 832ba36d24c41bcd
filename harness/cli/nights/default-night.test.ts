// Goal: the night that is played where no file says another plays every scenario of the project on
// the sim of every Debian image, and decides by what needs no machine of its own. Method: its file,
// with the scenarios that are there.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { readNightlyFile } from '../../nightly/nightly-file.js';
import { gatesNight } from '../../nightly/points-of-night.js';
import { backends } from '../../testbeds/registry.js';
import { defaultNight, pointsOf } from './nightly.js';
import { scenarioNames } from '../scenarios/scenarios.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const file = readNightlyFile(await readFile(join(root, defaultNight), 'utf8'), defaultNight);
const points = await pointsOf(root, file);

void t.test('what is played', async (t) => {
  const played = (backend: string, image: string) =>
    new Set(
      points
        .filter((point) => point.backend === backend && point.image === image)
        .map(({ scenario }) => scenario),
    );
  for (const image of ['trixie', 'bookworm', 'sid'])
    t.same([...played('sim', image)].sort(), [...(await scenarioNames(root))].sort(), image);
  for (const { name } of backends)
    t.ok(played(name, 'trixie').size > 0, `${name} has points: ${played(name, 'trixie').size}`);
});

void t.test('which points gate', (t) => {
  const gating = points.filter((point) => gatesNight(file, point));
  t.same([...new Set(gating.map(({ backend, image }) => `${backend}:${image}`))].sort(), [
    'sim:bookworm',
    'sim:trixie',
  ]);
  t.match(file.measures, [
    { name: 'antrea/encap in User-mode Linux', gates: false },
    { name: 'disturbed reruns', gates: true },
  ]);
  t.end();
});
