/**
 * Goal: a report shows at a glance what conforms, what diverges and where, and what stays open and
 * why. Method: golden texts, without colour, of one run of each kind.
 */
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import {
  addCounts,
  noCounts,
  worstVerdict,
  type Counts,
  type Difference,
} from '../harness/domain/verdict.js';
import type { RunReport, ScenarioReport } from '../harness/run/records/run-report.js';
import type { VectorReport, Inconclusive } from '../harness/run/judging/vector-report.js';
import { renderTerminal } from './terminal.js';

function vector(id: string, intent: string, part: Partial<VectorReport> = {}): VectorReport {
  const made = part.inconclusive === undefined ? 2 : 0;
  const counts: Counts = {
    ...noCounts,
    intent: { expected: 2, made, skipped: 0 },
    frames: { expected: 12, made: made * 6, skipped: 0 },
    silence: { expected: 3, made: made === 0 ? 0 : 2, skipped: made === 0 ? 0 : 1 },
    counters: { expected: 108, made: made * 54, skipped: 0 },
  };
  return {
    id,
    stimulus: { kind: 'ping', from: 'p1' },
    intent: { kind: intent },
    verdict: part.inconclusive === undefined ? 'conforms' : 'inconclusive',
    counts,
    differences: [],
    ...part,
  };
}

function scenario(
  vectors: readonly VectorReport[],
  part: Partial<ScenarioReport> = {},
): ScenarioReport {
  return {
    name: 'antrea/encap',
    title: 'Pod traffic',
    axes: { nodes: '2', tunnel: 'geneve' },
    verdict: worstVerdict(vectors.map(({ verdict }) => verdict)),
    traceHash: 'a'.repeat(64),
    durationMs: 4321,
    counts: addCounts([
      { ...noCounts, program: { expected: 108, made: 108, skipped: 0 } },
      ...vectors.map(({ counts }) => counts),
    ]),
    program: [],
    notCompared: [
      { what: 'counters of meters', why: 'so' },
      { what: 'the weather', why: 'so' },
    ],
    vectors: [...vectors],
    ...part,
  };
}

function text(
  scenarios: readonly ScenarioReport[],
  versions: RunReport['versions'] = { 'ovs-vswitchd': '3.5.0', 'ovsdb-server': '3.5.0' },
): readonly string[] {
  const report: RunReport = {
    schema: 'flowbed/run/2',
    again: './flowbed run',
    seed: 1,
    backend: 'sim',
    image: 'trixie',
    imageDigest: '',
    versions,
    traceHash: 'b'.repeat(64),
    verdict: worstVerdict(scenarios.map(({ verdict }) => verdict)),
    counts: addCounts(scenarios.map(({ counts }) => counts)),
    scenarios: [...scenarios],
  };
  return stripVTControlCharacters(renderTerminal(report)).split('\n');
}

const pings = Array.from({ length: 11 }, (_, index) =>
  vector(`ping/p1/p${index + 2}`, 'round-trip'),
);

void t.test('all conform', async (t) => {
  const others = [
    vector('arp/p1/n1', 'resolves'),
    vector('spoof-arp-mac/p1', 'blocked'),
    vector('unknown/p1/mac', 'blocked'),
    vector('unknown/p1/p2', 'round-trip'),
  ];
  t.strictSame(text([scenario([...pings, ...others])]), [
    'antrea/encap nodes=2 tunnel=geneve  Pod traffic',
    '  ✔ ping           11 of 11 conform  must pass',
    '  ✔ arp             1 of  1 conform  must pass',
    '  ✔ spoof-arp-mac   1 of  1 conform  must not pass',
    '  ✔ unknown         2 of  2 conform  1 must pass, 1 must not pass',
    '',
    '  compared  108 flows, groups and meters · 30 promises · 180 frames · 30 of 45 silent ' +
      'ports (15 skipped) · 1620 counters · 0 cached passes · 0 connections · 0 learned MACs',
    '  left out  counters of meters · the weather',
    '  time      4.3 s',
    '',
    '  image     trixie (ovs-vswitchd 3.5.0, ovsdb-server 3.5.0)',
    `  trace     ${'b'.repeat(64)}`,
    '  verdict   conforms',
  ]);
});

const flow = {
  node: 'n1',
  bridge: 'br-int',
  table: 70,
  priority: 200,
  match: 'ip,nw_dst=10.10.2.0/24',
};
const missing: Difference = {
  aspect: 'frames',
  between: 'model and switch',
  summary: 'a frame is missing out of uplink on n1 at 50 µs',
  expected: 'IPv4 10.10.1.2 > 10.10.2.2',
  actual: 'nothing',
  at: { flow, field: 'tun_dst', because: 'the switch does not hold this flow' },
  afterDivergence: false,
};
const consequence: Difference = { ...missing, aspect: 'counters', afterDivergence: true };
const unplaced: Difference = {
  aspect: 'program',
  between: 'model and switch',
  summary: 'br-int on n1: table=70, priority=0',
  expected: 'table=70, priority=0 actions=drop',
  actual: 'no such flow',
  afterDivergence: false,
};

void t.test(
  'some diverge: each place once, with the vectors it cost, the first five in full',
  async (t) => {
    const elsewhere = (table: number): Difference => ({
      ...missing,
      at: { flow: { ...flow, table }, because: 'the switch does not hold this flow' },
    });
    const diverging = pings.map((each, index) =>
      index < 7
        ? {
            ...each,
            verdict: 'diverges' as const,
            differences: [index < 2 ? missing : elsewhere(index), consequence],
          }
        : each,
    );
    const lines = text([scenario(diverging, { program: [unplaced] })]);
    t.strictSame(lines.slice(0, 14), [
      'antrea/encap nodes=2 tunnel=geneve  Pod traffic',
      '  ✖ ping   4 of 11 conform, 7 diverge  must pass',
      '',
      '  ✖ program: model and switch diverge: br-int on n1: table=70, priority=0',
      '      expected  table=70, priority=0 actions=drop',
      '      actual    no such flow',
      '',
      '  ✖ ping/p1/p2 and 1 more: model and switch diverge: a frame is missing out of uplink on ' +
        'n1 at 50 µs',
      '      expected  IPv4 10.10.1.2 > 10.10.2.2',
      '      actual    nothing',
      '      first at  br-int on n1, table 70, field tun_dst',
      '                table=70, priority=200,ip,nw_dst=10.10.2.0/24',
      '                the switch does not hold this flow',
      '',
    ]);
    t.equal(lines.filter((line) => line.startsWith('  ✖ ')).length, 1 + 5);
    t.ok(lines.includes('  … and 2 more findings'));
    t.equal(lines.at(-1), '  verdict   diverges');
  },
);

const killed: Inconclusive = {
  cause: 'ovs-vswitchd of node n1 was ended by SIGKILL',
  evidence: ['2026-01-01T00:00:00Z|00042|bridge|INFO|last words'],
  remedies: [],
};

void t.test('some are inconclusive: each cause once', async (t) => {
  const unpromised: Inconclusive = {
    cause: 'nothing is promised about UDP to port 9',
    evidence: [],
    remedies: [],
  };
  const vectors = pings
    .slice(0, 4)
    .map((each, index) =>
      vector(
        each.id,
        index === 1 ? 'unknown' : 'round-trip',
        index === 0 ? {} : { inconclusive: index === 1 ? unpromised : killed },
      ),
    );
  t.strictSame(text([scenario(vectors)]), [
    'antrea/encap nodes=2 tunnel=geneve  Pod traffic',
    '  ? ping  1 of 4 conform, 3 inconclusive  3 must pass, 1 nothing promised',
    '',
    '  ? ping/p1/p3: nothing is promised about UDP to port 9',
    '',
    '  ? ping/p1/p4 and 1 more: ovs-vswitchd of node n1 was ended by SIGKILL',
    '      2026-01-01T00:00:00Z|00042|bridge|INFO|last words',
    '',
    '  compared  108 flows, groups and meters · 2 of 8 promises · 12 of 48 frames · 2 of 12 ' +
      'silent ports (1 skipped) · 108 of 432 counters · 0 cached passes · 0 connections · 0 ' +
      'learned MACs',
    '  left out  counters of meters · the weather',
    '  time      4.3 s',
    '',
    '  image     trixie (ovs-vswitchd 3.5.0, ovsdb-server 3.5.0)',
    `  trace     ${'b'.repeat(64)}`,
    '  verdict   inconclusive',
  ]);
});

void t.test('switches that do not come up, and a scenario without vectors', async (t) => {
  const absent: Inconclusive = {
    cause: 'gave up after 10 s waiting for ovsdb-server',
    evidence: ['no space left on device'],
    remedies: ['free some disk'],
  };
  const none: Inconclusive = { cause: 'there was no vector to run', evidence: [], remedies: [] };
  const down = scenario(
    pings.map(({ id }) => vector(id, 'round-trip', { inconclusive: absent })),
    { inconclusive: absent },
  );
  t.strictSame(
    text(
      [down, scenario([], { name: 'antrea/empty', axes: {}, inconclusive: none, durationMs: 0 })],
      {},
    ),
    [
      'antrea/encap nodes=2 tunnel=geneve  Pod traffic',
      '  ? ping   0 of 11 conform, 11 inconclusive  must pass',
      '',
      '  ? antrea/encap: gave up after 10 s waiting for ovsdb-server',
      '      no space left on device',
      '      - free some disk',
      '',
      '  compared  108 flows, groups and meters · 0 of 22 promises · 0 of 132 frames · 0 of ' +
        '33 silent ports · 0 of 1188 counters · 0 cached passes · 0 connections · 0 learned MACs',
      '  left out  counters of meters · the weather',
      '  time      4.3 s',
      '',
      'antrea/empty  Pod traffic',
      '',
      '  ? antrea/empty: there was no vector to run',
      '',
      '  compared  108 flows, groups and meters · 0 promises · 0 frames · 0 silent ports · 0 ' +
        'counters · 0 cached passes · 0 connections · 0 learned MACs',
      '  left out  counters of meters · the weather',
      '  time      0.0 s',
      '',
      '  image     trixie',
      `  trace     ${'b'.repeat(64)}`,
      '  verdict   inconclusive',
    ],
  );
});
