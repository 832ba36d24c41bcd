// Goal: no report is silent about what a control plane is known to break of its promises, nor
// about promises of which either outcome is right. Method: three vectors of antrea/network-policy
// with the model in place of switches, in every format.
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import networkPolicy from '../scenarios/antrea/network-policy.js';
import { sampleRun } from '../harness/explain/sample-run.js';
import { viewOf } from '../harness/explain/run-view.js';
import type { ScenarioReport } from '../harness/run/records/run-report.js';
import { renderHtml } from './html/html.js';
import { renderJunit } from './junit.js';
import { renderMarkdown } from './markdown.js';
import { renderTap } from './tap.js';
import { renderTerminal } from './terminal.js';
import { describePromises } from './describe-differences.js';

const only = ['icmp/nginx1/n1', 'icmp/nginx2/n2', 'icmp/server/nginx2'];
const run = await sampleRun([{ scenario: networkPolicy, axes: { tunnel: 'geneve' }, only }]);
const { report } = run;

void t.test('in every format', async (t) => {
  t.match(report, { verdict: 'conforms', scenarios: [{ known: [{ name: 'own-node-egress' }] }] });
  const formats = {
    terminal: stripVTControlCharacters(renderTerminal(report)),
    markdown: renderMarkdown(report),
    junit: renderJunit(report),
    tap: renderTap(report),
    html: await renderHtml(run),
  };
  for (const [format, text] of Object.entries(formats)) {
    t.match(text, /own-node-egress in 2 vectors: Kubernetes/, format);
  }
  t.match(formats.terminal, /3 of 3 conform {2}1 must not pass, 2 known to diverge/);
});

void t.test('vector by vector', async (t) => {
  const [scenario] = (await viewOf(run)).scenarios;
  const known = scenario?.vectors.find(({ report: { id } }) => id === only[0]);
  t.match(known, {
    levels: { promise: 'known to diverge', model: 'kept', switch: 'kept' },
    promise:
      /^n1 gets it from 10\.10\.1\.2, and the answer comes back; known to diverge \(own-node-egress, Kubernetes.*\): no host gets it: NetworkPolicy default\/test-network-policy/,
  });
});

void t.test('either outcome', async (t) => {
  const intent = { kind: 'either', outcomes: [{ kind: 'denied', why: 'x' }], why: 'x' };
  t.equal(
    describePromises([{ intent }, { intent: { kind: 'denied' } }]),
    '1 must not pass, 1 may pass',
  );
  const [scenario] = report.scenarios;
  const open = {
    ...scenario,
    vectors: scenario?.vectors.map((vector) => ({ ...vector, intent })),
  } as ScenarioReport;
  t.match(
    stripVTControlCharacters(renderTerminal({ ...report, scenarios: [open] })),
    /3 of 3 conform {2}may pass/,
  );
  t.match(
    (await viewOf({ ...run, report: { ...report, scenarios: [open] } })).scenarios[0]?.vectors[0],
    { levels: { promise: 'may pass' }, promise: 'one of these: no host gets it: x' },
  );
});
