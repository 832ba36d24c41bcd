// Goal: a report has the result of every feature, and inconclusive is never passed; two reports
// differ in what differs. Method: a run on the model, with verdicts planted; the text is read back.
import t from 'tap';
import { stringify } from 'yaml';
import encap from '../../scenarios/antrea/encap.js';
import { assembleRun } from '../run/shards/assemble-run.js';
import type { RunReport } from '../run/records/run-report.js';
import { runScenario } from '../run/run-scenario.js';
import { Unavailable } from '../base/errors/errors.js';
import { compareImplementations, compareReports } from './compare-reports.js';
import { conformanceOf, readConformanceReport } from './conformance-report.js';

const played = await runScenario(
  encap,
  { nodes: '2', tunnel: 'geneve' },
  {
    seed: 1,
    nowMs: () => 0,
    depth: 'cold',
    only: ({ id }) => /^(ping|udp)\/p1\//.test(id),
    openReal: () => Promise.reject(new Unavailable('no switches in this test')),
  },
);
const metadata = { again: './flowbed run', seed: 1, backend: 'sim', image: 'a', imageDigest: 'b' };
const open: RunReport = assembleRun([played], metadata).report;

function withVerdicts(verdictOf: (id: string) => 'conforms' | 'diverges' | 'inconclusive') {
  const scenarios = open.scenarios.map((scenario) => ({
    ...scenario,
    vectors: scenario.vectors.map((vector) => ({ ...vector, verdict: verdictOf(vector.id) })),
  }));
  return conformanceOf({ ...open, scenarios });
}

void t.test('what has no verdict has not passed', (t) => {
  const [profile] = conformanceOf(open).profiles;
  t.equal(profile?.result, 'inconclusive');
  t.equal(profile?.vectors.passed, 0);
  t.equal(profile?.scenarios[0]?.inconclusive, 'no switches in this test');
  t.end();
});

void t.test('promises are counted, and what goes to nobody by itself', (t) => {
  const [scenario] = open.scenarios;
  const vectors = scenario?.vectors.map((vector, index) => ({
    ...vector,
    intent: { kind: 'denied' as const, why: '', ...(index === 0 ? { unheld: '8.8.8.8' } : {}) },
  }));
  const planted = { ...open, scenarios: [{ ...scenario, vectors }] } as RunReport;
  t.strictSame(conformanceOf(planted).profiles[0]?.scenarios[0]?.promised, {
    'must not pass': (vectors?.length ?? 0) - 1,
    'nobody holds it': 1,
  });
  t.end();
});

void t.test('features, a difference between two reports, and the text read back', (t) => {
  const all = withVerdicts(() => 'conforms');
  const one = withVerdicts((id) => (id === 'udp/p1/p2' ? 'diverges' : 'conforms'));
  t.same(compareReports(all, all), []);
  const [line, ...more] = compareReports(all, one);
  t.same(more, []);
  t.match(line, /^antrea\/encap nodes=2 tunnel=geneve: udp: passed, (\d+) of \1 → failed, /);
  t.same(compareImplementations(all, all), []);
  t.same(readConformanceReport(stringify(one), 'conformance.yaml'), one);
  t.throws(
    () => readConformanceReport(stringify({ ...one, result: 'fine' }), 'conformance.yaml'),
    /conformance\.yaml:\d+:\d+: /,
  );
  t.end();
});
