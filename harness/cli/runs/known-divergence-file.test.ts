/**
 * Goal: a divergence that is known costs a run nothing, is printed with its cause, and counts again
 * once it is gone or has expired. Method: antrea/encap with switches that lose what goes out of one
 * pod's port, and lists that name the vector, another one, and none.
 */
import t from 'tap';
import encap from '../../../scenarios/antrea/encap.js';
import { renderJunit } from '../../../reports/junit.js';
import { renderMarkdown } from '../../../reports/markdown.js';
import { renderTap } from '../../../reports/tap.js';
import { renderTerminal } from '../../../reports/terminal.js';
import { stripVTControlCharacters } from 'node:util';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';
import { assembleRun } from '../../run/shards/assemble-run.js';
import { readKnownDivergences, withKnownDivergences } from '../../run/judging/known-divergences.js';
import { runScenario } from '../../run/run-scenario.js';

const axes = { nodes: '2', tunnel: 'geneve' };
const lost = 'ping/p1/p2';
const played = await runScenario(encap, axes, {
  seed: 1,
  depth: 'cold',
  nowMs: () => 0,
  only: ({ id }) => /^(ping|udp)\/p1\/p[23]$/.test(id),
  openReal: (plan) => {
    const model = openModelSwitches(plan);
    return Promise.resolve({
      ...model,
      call: async (calls) =>
        (await model.call(calls)).map((step) => ({
          outputs: step.outputs.filter(
            ({ port, frame }) => !port.startsWith('p2-') || frame[23] !== 1,
          ),
        })),
    });
  },
});
const ids = played.report.vectors.map(({ id }) => ({ scenario: encap.name, axes, id }));
const read = (text: string) =>
  readKnownDivergences(text, 'known.yaml', (name) => ids.filter((one) => one.scenario === name), [
    encap.name,
    'antrea/changes',
  ]);
const entry = (vector: string, more = '') =>
  `- { scenario: antrea/encap, vector: ${vector}, cause: bug 7, expires: 2027-01-31${more} }\n`;
const verdicts = (text: string, today?: string) => {
  const { verdict, vectors } = withKnownDivergences(played.report, read(text), today);
  return [
    verdict,
    ...vectors.flatMap((one) => (one.verdict === 'conforms' ? [] : [`${one.id} ${one.verdict}`])),
  ];
};

void t.test('what is known of a vector', async (t) => {
  t.strictSame(verdicts('[]'), ['diverges', `${lost} diverges`], 'nothing');
  t.strictSame(verdicts(entry(lost)), ['conforms', `${lost} known-divergence`]);
  t.strictSame(
    verdicts(entry(lost, ', axes: { tunnel: vxlan }').replace('antrea/encap', 'antrea/changes')),
    ['diverges', `${lost} diverges`],
    'of another scenario',
  );
  t.strictSame(
    verdicts(entry(lost) + entry('udp/p1/p2')),
    ['diverges', `${lost} known-divergence`, 'udp/p1/p2 diverges'],
    'what does not occur is no known divergence',
  );
  t.strictSame(verdicts(entry(lost), '2027-01-30'), ['conforms', `${lost} known-divergence`]);
  t.strictSame(verdicts(entry(lost), '2027-01-31'), ['diverges', `${lost} diverges`], 'expired');
});

void t.test('every report names it', async (t) => {
  const report = withKnownDivergences(played.report, read(entry(lost)));
  const { report: run } = assembleRun([{ ...played, report }], {
    again: './flowbed run',
    seed: 1,
    backend: 'model',
    image: 'none',
    imageDigest: '0'.repeat(64),
  });
  t.equal(run.verdict, 'conforms');
  t.equal(run.traceHash, assembleRun([played], run).report.traceHash, 'no part of a hash');
  t.match(
    stripVTControlCharacters(renderTerminal(run)),
    /✔ ping +1 of 2 conform, 1 known divergence[^]*known +ping\/p1\/p2 diverges: bug 7 \(until 2027-01-31\)/,
  );
  t.match(renderTap(run), /^not ok \d+ - .*ping\/p1\/p2 # TODO known divergence$/m);
  t.match(renderJunit(run), /name="ping\/p1\/p2"[^]*<skipped/);
  t.match(renderMarkdown(run), /ping\/p1\/p2 diverges: bug 7/);
});

void t.test('a list that is none', async (t) => {
  for (const [text, message] of [
    [entry('ping/p1/p9'), /^known\.yaml:1:\d+: unknown vector "ping\/p1\/p9"/],
    [
      entry(lost).replace('encap', 'encab'),
      /^known\.yaml:1:\d+: unknown scenario "antrea\/encab"\. Did you mean "antrea\/encap"/,
    ],
    [entry(lost) + entry(lost), /^known\.yaml:2:\d+: ping\/p1\/p2 has an entry already/],
    [
      entry(lost).replace('2027-01-31', '2027-02-31'),
      /^known\.yaml:1:\d+: expected a date such as 2027-01-31, got "2027-02-31"$/,
    ],
    [entry(lost).replace('cause', 'reason'), /^known\.yaml:1:\d+: .*reason/],
  ] as const)
    t.throws(() => read(text), { message });
});
