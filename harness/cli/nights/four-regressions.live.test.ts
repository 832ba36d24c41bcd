// Goal: a regression in the verdict, in counters, in convergence and in throughput is found the
// night after it came, bisected to its commit, and shrunk to what is behind it; nights without one
// raise no alarm. Method: a repository of a user with a branch for each kind, whose 11th commit of
// 16 has it; what its ends do on real switches, as 60 nights of a history, with noise of 1, 3 and
// 10 % on all that is measured in real time; then the compiled program on the repository.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { randomFor, type Random } from '../../base/random.js';
import { changesBetween } from '../../history/changes.js';
import type { HistoryRow } from '../../history/history-row.js';
import { measureChanges } from '../../history/measure-changes.js';
import { rowsOfRecord } from '../../history/rows-of-record.js';
import { writeNight } from '../../history/write-night.js';
import { assembleRun } from '../../run/shards/assemble-run.js';
import { runScenario } from '../../run/run-scenario.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { flowbedIn } from '../flowbed-process.js';
import { loadScenario } from '../scenarios/scenarios.js';
import { makeRepository } from '../testkit/commits.js';
import { flowBeside, flowTooMany, patientWall, wallFiles } from '../testkit/wall.js';

/** The first SYN is learned from, and lost: the connection begins when it is sent again. */
const firstSynLost = `priority=300,tcp,nw_src=10.10.1.2,nw_dst=10.10.1.3,tcp_flags=+syn-ack \
actions=resubmit(,1),resubmit(,2),\
learn(table=1,eth_type=0x800,nw_proto=6,NXM_OF_TCP_SRC[],load:1->NXM_NX_REG0[0])
table=2,priority=1,reg0=1 actions=NORMAL
`;
/** It counts no packet here; rates.mjs takes it for one that slows switches down. */
const flowInTheWay = 'priority=150,sctp,tp_dst=9 actions=drop\n';

const kinds = {
  verdict: { flows: flowTooMany, vector: 'ping/p1/p2', keeps: /priority=200.* actions=drop/ },
  counters: { flows: flowBeside, vector: 'ping/p1/p2', keeps: /priority=200/ },
  convergence: { flows: firstSynLost, vector: 'tcp/p1/p2', keeps: /learn\(table=1/ },
  throughput: { flows: flowInTheWay, vector: 'ping/p1/p2', keeps: /priority=150/ },
} as const;
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];

/** Samples with noise of its own, of each call another part of it. */
const rates = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const shrunk = process.env.FLOWBED_CASE;
const flows = readFileSync(shrunk ? shrunk + '/flows.json' : 'wall.flows', 'utf8');
const file = process.env.RATES_CALLS;
const call = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
writeFileSync(file, String(call + 1));
const level = flows.includes('tp_dst=9') ? 600 : 1000;
const noise = (index) => ((call * 4 + index) * 0.6180339887) % 1;
for (let index = 0; index < 4; index++) console.log(level * (0.95 + 0.1 * noise(index)));
`;

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const folder = t.testdir({ user: {}, store: {} });
const user = join(folder, 'user');
const planted = 11;
const beginning = { ...wallFiles, 'wall.ts': patientWall, 'rates.mjs': rates };
const commits = makeRepository(
  user,
  beginning,
  names.map((name) => ({
    name,
    commits: Array.from({ length: 16 }, (_, index) => ({
      subject: `change ${index + 1}`,
      files: {
        'wall.flows':
          wallFiles['wall.flows'] +
          (index + 1 >= planted ? kinds[name].flows : '') +
          `# line ${index + 1}\n`,
      },
    })),
  })),
);

const context = {
  night: '',
  at: '',
  machine: 'lab',
  program: 'flowbed',
  memoryKib: 100_000,
  gates: true,
  folder: '',
};

/** What one version does on real switches, as rows of a night. */
async function rowsOf(kind: Kind, flows: string): Promise<readonly HistoryRow[]> {
  const name = `${kind}-${flows === '' ? 'good' : 'bad'}`;
  const place = t.testdirName;
  await mkdir(join(place, name));
  for (const [file, text] of Object.entries(beginning))
    await writeFile(join(place, name, file), file === 'wall.flows' ? text + flows : text);
  const image = await openImage('trixie', () => undefined);
  const scenario = await loadScenario(root, join(place, name, 'wall.ts'));
  const run = await runScenario(
    scenario,
    {},
    {
      seed: 1,
      nowMs: () => 0,
      openReal: (plan) => openSim(plan, image),
    },
  );
  const record = assembleRun([run], {
    again: '',
    seed: 1,
    backend: 'sim',
    image: 'trixie',
    imageDigest: 'an image',
  });
  return rowsOfRecord(record, context).map((row) => ({ ...row, scenario: `mine/${kind}` }));
}

function normal(random: Random): number {
  let sum = -6;
  for (let count = 0; count < 12; count++) sum += random.integer(0, 1_000_000) / 1_000_000;
  return sum;
}

const since = 41;
const good = await Promise.all(names.map((kind) => rowsOf(kind, '')));
const bad = await Promise.all(names.map((kind) => rowsOf(kind, kinds[kind].flows)));

/** A night of all kinds, with noise on durations, memory and samples. */
function nightOf(number: number, noise: number, random: Random, changes: boolean): HistoryRow[] {
  const noisy = (level: number) => level * (1 + noise * normal(random));
  const isBad = changes && number >= since;
  const night = `night-${String(number).padStart(2, '0')}`;
  const at = new Date(Date.UTC(2026, 9, number, 2)).toISOString().replace(/\.\d+Z/, 'Z');
  const rows = (isBad ? bad : good).flat().map((row) => ({
    ...row,
    duration_ms: row.duration_ms === null ? null : noisy(2000),
    memory_kib: row.memory_kib === null ? null : Math.round(noisy(100_000)),
  }));
  const level = isBad ? 600 : 1000;
  const measured = (rows[0] ?? fail()) satisfies HistoryRow;
  return [
    ...rows,
    {
      ...measured,
      level: 'measure' as const,
      scenario: 'rates',
      axes: '',
      vector: '',
      trace: '',
      counters: {},
      work: {},
      unit: 'packets/s',
      samples: Array.from({ length: 9 }, () => noisy(level)),
    },
  ].map((row) => ({ ...row, night, at }));
}

function fail(): never {
  throw new Error('a run has rows');
}

/** What is reported of a night beside those before it: `counters mine/counters`. */
function reported(nights: readonly (readonly HistoryRow[])[]): readonly string[] {
  const [before = [], now = []] = nights.slice(-2);
  const measures = nights.flat().filter(({ level }) => level === 'measure');
  return [
    ...changesBetween(before, now).map(({ kind, row }) => `${kind} ${row.scenario}`),
    ...measureChanges(measures).map(({ name }) => `throughput ${name}`),
  ].sort();
}

const expected = [
  'convergence mine/convergence',
  'counters mine/convergence',
  'counters mine/counters',
  'throughput rates, sim:trixie',
  'verdict mine/verdict',
  'work mine/convergence',
  'work mine/throughput',
];

for (const noise of [0.01, 0.03, 0.1])
  void t.test(`60 nights, noise of ${noise * 100} %`, async (t) => {
    const random = randomFor(Math.round(noise * 100), 'sixty nights');
    const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
    const quiet = numbers.map((number) => nightOf(number, noise, random, false));
    const alarms = numbers.slice(1).flatMap((number) => reported(quiet.slice(0, number)));
    t.same(alarms, [], 'no alarm in 60 nights without a change; one in 200 may be');
    const nights = numbers.map((number) => nightOf(number, noise, random, true));
    for (const number of [since - 2, since - 1])
      t.same(reported(nights.slice(0, number)), [], `nothing in night ${number}`);
    t.same(reported(nights.slice(0, since)), expected, 'all of it in the night that has it');
    t.same(
      reported(nights.slice(0, 60)).filter((one) => !one.startsWith('throughput')),
      [],
      'and it is no news in the last night',
    );
    const store = join(folder, 'store', String(noise));
    for (const number of [since - 2, since - 1, since])
      await writeNight(store, `night-${number}`, nights[number - 1] ?? []);
    const history = await flowbedIn(folder, ['history', '--store', store, '--json']);
    t.equal(history.code, 1, history.stderr);
    const { changes, measures } = JSON.parse(history.stdout) as {
      readonly changes: readonly { readonly kind: string }[];
      readonly measures: readonly unknown[];
    };
    t.same(changes.map(({ kind }) => kind).sort(), [
      ...['convergence', 'counters', 'counters', 'verdict', 'work', 'work'],
    ]);
    t.same(measures, [], 'three nights of the store say nothing of a level');
  });

const variables = { RATES_CALLS: join(folder, 'calls') };

for (const [kind, { vector, keeps, flows }] of Object.entries(kinds))
  void t.test(`${kind}: its commit, and what is behind it`, async (t) => {
    const versions = [
      ...['--scenario', 'wall.ts', '--repo', user, '--first-change', kind],
      ...['--good', `${kind}~16`, '--bad', kind, '--measure', 'node rates.mjs'],
      ...['--confidence', '0.99'],
    ];
    const bisected = await flowbedIn(folder, ['bisect', vector, ...versions], variables);
    t.equal(bisected.code, 0, bisected.stderr);
    const commit = commits[kind]?.[planted] ?? '';
    t.match(bisected.stdout, `# first bad commit: [${commit}] change ${planted}\n`);
    t.match(bisected.stdout, 'it alone, where all else is as held: bad, as expected');
    const out = join(folder, `small-${kind}`);
    const shrunk = await flowbedIn(
      folder,
      ['shrink', vector, ...versions, '--out', out],
      variables,
    );
    t.equal(shrunk.code, 0, shrunk.stderr);
    const left = JSON.parse(await readFile(join(out, 'flows.json'), 'utf8')) as { text: string }[];
    const lines = left.flatMap(({ text }) => text.split('\n').filter((line) => line !== ''));
    t.ok(
      lines.some((line) => keeps.test(line)),
      lines.join('; '),
    );
    t.ok(lines.length <= flows.trim().split('\n').length + 1, `${lines.length} flows are left`);
    const scenario = (await readFile(join(out, 'scenario.ts'), 'utf8')).split('\n').length;
    t.ok(scenario >= 15 && scenario <= 40, `${scenario} lines`);
    const replayed = await flowbedIn(folder, ['replay', join(out, 'frozen')]);
    t.match(replayed.stdout, '1 of 1 vectors are the same again');
  });
