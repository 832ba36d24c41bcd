// Goal: the points of a night are those that its file asks for, in an order that is always the
// same; what is wrong in the file has a place. Method: small files on two scenarios.
import t from 'tap';
import { readNightlyFile } from './nightly-file.js';
import { formatNightPoint, gatesNight, matchesName, pointsOfNight } from './points-of-night.js';

const scenarios = [
  {
    name: 'antrea/encap',
    axes: {
      nodes: { values: ['2', '3'], default: ['2'] },
      tunnel: { values: ['geneve', 'vxlan'], default: ['geneve'] },
    },
  },
  { name: 'wall.ts', axes: {}, isFile: true },
];

const points = (text: string) =>
  pointsOfNight(readNightlyFile(text, 'night.yaml'), scenarios, 'sim').map(formatNightPoint);

void t.test('scenarios x axes x images x seeds, but for what is left out', (t) => {
  t.same(points('{}'), ['antrea/encap nodes=2 tunnel=geneve, sim:trixie, seed 1']);
  t.same(
    points(`
scenarios: ['*']
images: [bookworm, trixie]
set: { nodes: ['2', '3'] }
exclude:
  - { scenario: 'wall*', image: bookworm }
  - { axes: { nodes: '3' }, image: trixie }
include:
  - { scenario: antrea/encap, axes: { nodes: '2', tunnel: vxlan }, image: sid, seed: 7 }
`),
    [
      'antrea/encap nodes=2 tunnel=geneve, sim:bookworm, seed 1',
      'antrea/encap nodes=3 tunnel=geneve, sim:bookworm, seed 1',
      'antrea/encap nodes=2 tunnel=geneve, sim:trixie, seed 1',
      'wall.ts, sim:trixie, seed 1',
      'antrea/encap nodes=2 tunnel=vxlan, sim:sid, seed 7',
    ],
  );
  t.end();
});

void t.test(
  'further matrices, and included points with the usual values of what is not set',
  (t) => {
    t.same(
      points(`
scenarios: [antrea/*]
beside:
  - { scenarios: [wall.ts], images: [sid], backends: [netns, docker] }
include:
  - { scenario: antrea/encap, axes: { nodes: '3' }, image: bookworm }
`),
      [
        'antrea/encap nodes=2 tunnel=geneve, sim:trixie, seed 1',
        'wall.ts, netns:sid, seed 1',
        'wall.ts, docker:sid, seed 1',
        'antrea/encap nodes=3 tunnel=geneve, sim:bookworm, seed 1',
      ],
    );
    t.end();
  },
);

void t.test('what is wrong is refused', (t) => {
  t.throws(() => points('images: trixie'), /night\.yaml:1:9: /);
  t.throws(() => points('scenario: [a]'), /night\.yaml:1:1: /);
  t.throws(() => points('set: { node: "2" }'), /unknown axis "node"\. Did you mean "nodes"\?/);
  t.throws(() => points('set: { nodes: "4" }'), /unknown value of axis nodes "4"/);
  t.throws(() => points("exclude: [{ scenario: '*' }]"), /leaves no point/);
  t.end();
});

void t.test('what selects nothing is refused, by the nearest name', (t) => {
  const wrong = (text: string) => () => points(`scenarios: [antrea/encap, wall.ts]\n${text}`);
  t.throws(
    wrong('gate: [{ image: trixi }]\nexclude: [{ scenario: antrea/encup }]'),
    new RegExp(
      'exclude\\[0\\] selects nothing: unknown scenario "antrea/encup"\\. Did you mean ' +
        '"antrea/encap"[^]*gate\\[0\\] selects nothing: unknown image "trixi"\\. ' +
        'Did you mean "trixie"',
    ),
    'both at once',
  );
  for (const [text, message] of [
    ['gate: [{ seed: 2 }]', /gate\[0\].* unknown seed "2"/],
    ['gate: [{ backend: sym }]', /unknown backend "sym"\. Did you mean "sim"/],
    ['gate: [{ axes: { nodes: "3" } }]', /unknown value of axis nodes "3"/],
    ['gate: [{ axes: { node: "2" } }]', /unknown value of axis node "2"/],
    ['gate: [{ scenario: wall.ts, axes: { nodes: "2" } }]', /no point of the night has all of it/],
    ['exclude: [{ scenario: "ovn/*" }]', /exclude\[0\].* unknown scenario "ovn\/\*"/],
  ] as const)
    t.throws(wrong(text), message, text);
  t.end();
});

void t.test('names and paths both select', (t) => {
  const called = [{ name: 'wall.ts', aliases: ['mine/wall', '/home/me/wall.ts'], axes: {} }];
  for (const scenario of ['wall.ts', 'mine/*', '/home/me/wall.ts']) {
    const file = readNightlyFile(`gate: [{ scenario: '${scenario}' }]\nscenarios: [wall.ts]`, 'x');
    t.equal(pointsOfNight(file, called, 'sim').filter((one) => gatesNight(file, one)).length, 1);
  }
  t.end();
});

void t.test('which points gate', (t) => {
  const file = readNightlyFile('gate: [{ image: trixie }]', 'night.yaml');
  const point = { scenario: 'wall.ts', axes: {}, image: 'trixie', backend: 'sim', seed: 1 };
  t.ok(gatesNight(file, point));
  t.notOk(gatesNight(file, { ...point, image: 'sid' }));
  t.ok(matchesName('antrea/*', 'antrea/encap'));
  t.notOk(matchesName('antrea/.*', 'antrea/encap'), 'a dot is a dot');
  t.end();
});
