// Goal: what a kernel did stays beside the report that it is about, and is refused where either was
// changed; a finding says it in every report. Method: a folder of a run on the model in place of
// switches, whose vector diverges from what was promised, with answers of each kind.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { describePoint, pointsOf } from '../../../reports/describe-point.js';
import { renderMarkdown } from '../../../reports/markdown.js';
import { renderTerminal } from '../../../reports/terminal.js';
import encap from '../../../scenarios/antrea/encap.js';
import { runOf } from '../../run/records/forged-folder.js';
import { writeKernelAnswers } from '../../run/records/kernel-answers.js';
import { readRunFolder } from '../../run/records/read-run-folder.js';
import { writeRunFolder } from '../../run/records/run-folder.js';
import type { OnKernel } from '../../run/judging/vector-report.js';

/** A run in which nobody is promised anything, and a ping passes. */
const wrong = {
  ...encap,
  intent: () => ({ kind: 'denied' as const, why: 'so it was promised' }),
};

async function diverged(root: string) {
  const axes = { nodes: '2', tunnel: 'geneve' };
  const run = await runOf(wrong, axes, (id) => id === 'ping/p1/p2');
  return join(root, await writeRunFolder(root, run, []));
}

const answers: readonly (readonly [OnKernel, string])[] = [
  [{ kind: 'confirmed', what: '12 events' }, 'confirmed on a kernel: 12 events'],
  [{ kind: 'model only', what: 'another frame' }, 'model only: another frame'],
  [{ kind: 'inconclusive', what: 'no perl' }, 'not played on a kernel: no perl'],
];

void t.test('findings say it', async (t) => {
  const folder = await diverged(t.testdir({}));
  const silent = (await readRunFolder('', folder)).report;
  t.equal(silent.verdict, 'diverges');
  t.notMatch(renderTerminal(silent), /kernel/);
  for (const [onKernel, words] of answers) {
    await writeKernelAnswers(folder, [{ scenario: 0, id: 'ping/p1/p2', onKernel }]);
    const { report } = await readRunFolder('', folder);
    t.match(renderTerminal(report), `      kernel    ${words}`);
    t.match(renderMarkdown(report), words);
    const points = report.scenarios.flatMap(pointsOf).map(describePoint);
    t.match(points.join('\n'), words, 'JUnit and TAP');
  }
});

void t.test('what was changed by hand', async (t) => {
  const folder = await diverged(t.testdir({}));
  await writeKernelAnswers(folder, [
    { scenario: 0, id: 'ping/p1/p2', onKernel: { kind: 'model only', what: 'a frame' } },
  ]);
  const file = join(folder, 'kernel.json');
  const text = await readFile(file, 'utf8');
  const changed = async (to: string) => {
    await writeFile(file, to);
    return readRunFolder('', folder);
  };
  await t.rejects(changed(text.replace('model only', 'confirmed')), /kernel\.json: its seal/);
  await t.rejects(changed('{'), /kernel\.json: it is not as this version/);
  await writeFile(file, text);
  const report = join(folder, 'report.json');
  await writeFile(report, `${await readFile(report, 'utf8')} `);
  await t.rejects(readRunFolder('', folder), /kernel\.json: it is about another report/);
});
