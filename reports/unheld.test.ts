// Goal: every report that counts promises counts what goes to an address that nobody holds by
// itself. Method: two vectors of antrea/encap with the model in place of switches, one that spoof
// guard keeps back and one to nobody, in every format; and the same with the address planted out of
// the intent, which every format then counts as kept back.
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import encap from '../scenarios/antrea/encap.js';
import { sampleRun } from '../harness/explain/sample-run.js';
import { viewOf } from '../harness/explain/run-view.js';
import type { RunReport } from '../harness/run/records/run-report.js';
import { renderJunit } from './junit.js';
import { renderMarkdown } from './markdown.js';
import { renderTap } from './tap.js';
import { renderTerminal } from './terminal.js';

const only = ['spoof-ip/p1', 'unknown/p1/own-subnet', 'unknown/p1/mac'];
const axes = { nodes: '2', tunnel: 'geneve' };
const run = await sampleRun([{ scenario: encap, axes, only }]);

function formatsOf(report: RunReport): Readonly<Record<string, string>> {
  return {
    terminal: stripVTControlCharacters(renderTerminal(report)),
    markdown: renderMarkdown(report),
    junit: renderJunit(report),
    tap: renderTap(report),
  };
}

/** The same run, whose intents do not say that nobody holds the address. */
function withoutAddress(report: RunReport): RunReport {
  return {
    ...report,
    scenarios: report.scenarios.map((scenario) => ({
      ...scenario,
      vectors: scenario.vectors.map(({ intent, ...vector }) => {
        const { unheld: _, ...others } = intent as typeof intent & { readonly unheld?: string };
        return { ...vector, intent: others };
      }),
    })),
  };
}

void t.test('in every format', async (t) => {
  t.equal(run.report.verdict, 'conforms');
  for (const [format, text] of Object.entries(formatsOf(run.report)))
    t.match(text, /nobody holds it/, format);
  for (const [format, text] of Object.entries(formatsOf(withoutAddress(run.report))))
    t.notMatch(text, /nobody holds it/, `${format}, planted`);
});

void t.test('vector by vector', async (t) => {
  const [scenario] = (await viewOf(run)).scenarios;
  t.strictSame(
    scenario?.vectors.map(({ report: { id }, levels }) => [id, levels.promise]),
    [
      ['spoof-ip/p1', 'must not pass'],
      ['unknown/p1/own-subnet', 'nobody holds it'],
      ['unknown/p1/mac', 'nobody holds it'],
    ],
  );
});
