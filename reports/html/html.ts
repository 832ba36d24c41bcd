/**
 * A run as one page that needs nothing else: what was found, the network, who reached whom, and the
 * path of every vector.
 */
import { switchText } from '../../harness/domain/location.js';
import { describeReference } from '../describe-reference.js';
import { worstVerdict, type VerdictKind } from '../../harness/domain/verdict.js';
import { viewOf, type RunView, type ScenarioView } from '../../harness/explain/run-view.js';
import type { RunRecord } from '../../harness/run/records/run-record.js';
import type { RunReport, ScenarioReport } from '../../harness/run/records/run-report.js';
import type { VectorReport } from '../../harness/run/judging/vector-report.js';
import {
  aspectName,
  comparedAspects,
  describeIsolation,
  describeKnown,
  describePromises,
  describeUntestedServices,
  groupsOf,
  scenarioLabel,
} from '../describe-differences.js';
import { changesOf } from './changes.js';
import { renderFindings } from './findings.js';
import { html, raw, type Markup } from './markup.js';
import { packed, pageData } from './pack-page-data.js';
import { pageScript } from './page-script.js';
import { style } from './style.js';
import { renderTopology } from './topology.js';
import { renderTruthTable } from './render-truth-table.js';

export async function renderHtml(record: RunRecord): Promise<string> {
  return renderPage(await viewOf(record));
}

export function renderPage(view: RunView): string {
  const { report } = view;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${report.verdict}: ${report.scenarios.map(({ name }) => name).join(', ')}</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
</head>
<body>
<a class="skip" href="#findings-${Math.max(0, report.scenarios.findIndex(hasFindings))}">Skip to the findings</a>
${renderHead(report)}
${renderContents(report)}
<main>${view.scenarios.map((scenario, index) => renderScenario(scenario, index, view.scenarios))}</main>
<footer class="muted">Trace <code>${report.traceHash}</code></footer>
<dialog id="vector" aria-labelledby="vector-title"></dialog>
<script type="application/octet-stream" id="data">${raw(packed(pageData(view)))}</script>
<script type="module">${raw(pageScript())}</script>
</body>
</html>
`;
  return page.markup;
}

const marks: Readonly<Record<VerdictKind, string>> = {
  conforms: '✓',
  diverges: '✕',
  inconclusive: '?',
  'known-divergence': '!',
};

function renderHead(report: RunReport): Markup {
  const { again, seed, backend, image, versions, isolation, reference } = report;
  const printed = Object.entries(versions)
    .map(([program, version]) => `${program} ${version}`)
    .join(', ');
  return html`<header class="page">
<p class="brand">Flowbed</p>
<h1 class="${report.verdict}"><span class="mark" aria-hidden="true">${marks[report.verdict]}</span> ${headline(report)}</h1>
<dl class="facts">
<div><dt>Switches</dt><dd>${backend}, image ${image}${printed === '' ? '' : html`<br><span class="muted">${printed}</span>`}</dd></div>${
    reference === undefined
      ? ''
      : html`
<div><dt>Compared with</dt><dd>${describeReference(reference)}</dd></div>`
  }${
    isolation === undefined
      ? ''
      : html`
<div><dt>Network</dt><dd>${describeIsolation(isolation)}</dd></div>`
  }
<div><dt>Seed</dt><dd>${seed}</dd></div>
<div><dt>Run again</dt><dd><code>${again}</code></dd></div>
</dl>
</header>`;
}

function hasFindings({ verdict }: ScenarioReport): boolean {
  return verdict === 'diverges' || verdict === 'inconclusive';
}

/** Of several scenarios: those in which something was found, and how many others there are. */
function renderContents({ scenarios }: RunReport): Markup | '' {
  if (scenarios.length < 2) return '';
  const found = [...scenarios.entries()].filter(([, scenario]) => hasFindings(scenario));
  const others = scenarios.length - found.length;
  const first = found.length === 0 ? 'All' : `${number(others)} of`;
  return html`<nav class="contents" aria-label="Scenarios with findings"><ul>${found.map(([index, scenario]) => html`<li><a href="#findings-${index}"><span class="mark" aria-hidden="true">${marks[scenario.verdict]}</span> ${scenarioLabel(scenario)}: ${headline({ verdict: scenario.verdict, scenarios: [scenario] })}</a></li>`)}</ul>
<p class="muted">${first} ${number(scenarios.length)} scenarios conform.</p></nav>`;
}

/** `47 of 134 vectors diverge` */
function headline({ verdict, scenarios }: Pick<RunReport, 'verdict' | 'scenarios'>): string {
  const vectors = scenarios.flatMap((scenario) => scenario.vectors);
  const of = (kind: VerdictKind) => vectors.filter((vector) => vector.verdict === kind).length;
  switch (verdict) {
    case 'conforms':
      return of('known-divergence') === 0
        ? `All ${number(vectors.length)} vectors conform`
        : `${number(of('conforms'))} of ${number(vectors.length)} vectors conform, ` +
            `${number(of('known-divergence'))} diverge as known`;
    case 'diverges':
      return of('diverges') === 0
        ? 'The switches hold other flows, groups or meters than they should'
        : `${number(of('diverges'))} of ${number(vectors.length)} vectors ` +
            `diverge${of('inconclusive') === 0 ? '' : `, ${number(of('inconclusive'))} have no verdict`}`;
    case 'inconclusive':
      return vectors.length === 0
        ? 'There is no verdict'
        : `${number(of('inconclusive'))} of ${number(vectors.length)} vectors have no verdict`;
  }
}

function renderScenario(view: ScenarioView, index: number, all: readonly ScenarioView[]): Markup {
  const { report, topology, plan } = view;
  const marked = new Set(
    report.vectors.flatMap(({ differences }) =>
      differences.flatMap(({ at }) => (at === undefined ? [] : [switchText(at)])),
    ),
  );
  const truth = renderTruthTable(view, index, changesOf(view, all));
  return html`<section class="scenario" data-scenario="${index}" aria-labelledby="scenario-${index}">
<h2 id="scenario-${index}">${scenarioLabel(report)}</h2>
<p class="lead">${report.title}${report.after === undefined ? '' : html`. On the switches of before, changed: ${report.after.what}`}</p>
${describeKnown(report).map(
  (line) => html`<p>Known divergence ${line}</p>
`,
)}<nav aria-label="${scenarioLabel(report)}"><a href="#findings-${index}">Findings</a> <a href="#network-${index}">Network</a> ${truth === undefined ? '' : html`<a href="#truth-${index}">Truth table</a> `}<a href="#vectors-${index}">Who reaches whom</a> <a href="#compared-${index}">What was compared</a></nav>
<h3 id="findings-${index}" tabindex="-1">Findings</h3>
${renderFindings(report, index)}
<h3 id="network-${index}" tabindex="-1">Network</h3>
<div class="scroll">${renderTopology(topology, plan, marked)}</div>
${truth ?? ''}
<h3 id="vectors-${index}" tabindex="-1">Who reaches whom</h3>
<div class="explorer"><noscript><p>The matrix and the paths need JavaScript.</p></noscript></div>
<h3 id="compared-${index}" tabindex="-1">What was compared</h3>
<div class="columns">${renderCompared(report)}${renderGroups(report.vectors)}${renderPolicies(report)}</div>
${renderUntestedServices(report)}<h3>What was not compared</h3>
<ul>${report.notCompared.map(({ what, why }) => html`<li>${what}: ${why}</li>`)}</ul>
</section>`;
}

const meanings: Readonly<Record<string, string>> = {
  program:
    'every flow, group and meter that the switches reported before the first vector and ' +
    'behind the last, against the one wanted',
  intent: 'what was promised, against what the model and what the switch did',
  frames: 'every frame at every port, byte by byte, model against switch',
  silence: 'ports at which nothing should have come out',
  counters: 'n_packets and n_bytes of every flow after every vector, model against switch',
  cache: "vectors played once more, every packet answered by the datapath's cache alone",
  connections: 'conntrack entries of every node after every vector, model against switch',
  macs: 'learned MACs of every bridge after every vector, model against switch',
  'ovn-trace':
    "packets into logical ports: logical flows met and ports left by, against OVN's own ovn-trace",
};

function renderCompared({ counts, durationMs }: ScenarioReport): Markup {
  const compared = comparedAspects(counts);
  const left = compared.filter(({ expected, made }) => made < expected);
  const missing = (expected: number, made: number): Markup =>
    made === expected
      ? html`<span class="muted">0</span>`
      : html`<strong class="attention">? ${number(expected - made)}</strong>`;
  return html`<div><table class="numbers"><thead><tr><th scope="col">Aspect</th><th scope="col">Expected</th><th scope="col">Made</th><th scope="col">Not made</th></tr></thead>
<tbody>${compared.map(({ aspect, expected, made }) => html`<tr><th scope="row">${aspectName(aspect)}<br><span class="muted">${meanings[aspect] ?? ''}</span></th><td>${number(expected)}</td><td>${number(made)}</td><td>${missing(expected, made)}</td></tr>`)}</tbody></table>
<p class="muted">${left.length === 0 ? 'Nothing that should have been compared was left out.' : 'What was not made leaves its vectors without a verdict: nothing conforms as long as a ' + 'comparison is missing.'}${durationMs > 0 ? ` It took ${(durationMs / 1000).toFixed(1)} s.` : ''}</p></div>`;
}

/** What the policies of the cluster say, and what nobody has tried. */
function renderPolicies({ policies }: ScenarioReport): Markup | '' {
  if (policies === undefined) return '';
  return html`<div><table class="numbers"><thead><tr><th scope="col">What ${number(policies.count)} policies say</th><th scope="col">Times</th></tr></thead>
<tbody>${Object.entries(policies.coverage).map(([what, times]) => html`<tr><th scope="row">${what}</th><td>${times === 0 ? html`<span class="muted">not said</span>` : number(times)}</td></tr>`)}</tbody></table></div>`;
}

/** Services that nobody was asked for. */
function renderUntestedServices(report: ScenarioReport): Markup | '' {
  const unasked = describeUntestedServices(report);
  return unasked.length === 0
    ? ''
    : html`<h3>Services that were not asked</h3>
<ul>${unasked.map((line) => html`<li>${line}</li>`)}</ul>
`;
}

function renderGroups(vectors: readonly VectorReport[]): Markup {
  const count = (all: readonly VectorReport[], kind: VerdictKind): Markup => {
    const found = all.filter(({ verdict }) => verdict === kind).length;
    return found === 0
      ? html`<span class="muted">0</span>`
      : kind === 'conforms'
        ? html`${number(found)}`
        : html`<strong class="attention">${marks[kind]} ${number(found)}</strong>`;
  };
  return html`<div><table class="numbers"><thead><tr><th scope="col">Vectors</th><th scope="col">Promise</th><th scope="col">Conform</th><th scope="col">Diverge</th><th scope="col">No verdict</th></tr></thead>
<tbody>${groupsOf(vectors).map(([name, all]) => html`<tr><th scope="row"><span class="mark" aria-hidden="true">${marks[worstVerdict(all.map(({ verdict }) => verdict))]}</span> ${name}</th><td class="words">${describePromises(all)}</td><td>${count(all, 'conforms')}</td><td>${count(all, 'diverges')}</td><td>${count(all, 'inconclusive')}</td></tr>`)}</tbody></table></div>`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
