/** What a run found, cause by cause: vectors that diverge at the same flow are one finding. */
import {
  fieldOf,
  flowText,
  reasonLines,
  switchText,
  tableOf,
  type Location,
} from '../../harness/domain/location.js';
import type { ScenarioReport } from '../../harness/run/records/run-report.js';
import {
  causesOf,
  describeOnKernel,
  findingsOf,
  summaryIn,
  type Finding,
} from '../describe-differences.js';
import { html, type Markup } from './markup.js';

/** Vectors that are named before the rest is only counted. */
const namedMax = 12;
/** Flows that are printed before the rest is only counted. */
const flowsMax = 5;

/** @param index of the scenario on the page: buttons that open a vector name it. */
export function renderFindings(scenario: ScenarioReport, index: number): Markup {
  const findings = findingsOf(scenario);
  const causes = causesOf(scenario);
  if (findings.length + causes.length + scenario.program.length === 0)
    return html`<p class="calm">In this scenario nothing was found: model, switch and promise agree in every vector.</p>`;
  return html`<ol class="findings">${renderProgram(scenario)}${findings.map((finding) => renderFinding(finding, index))}${causes.map(
    ({ inconclusive, ids }) => html`<li class="finding open">
<h4><span class="mark" aria-hidden="true">?</span> No verdict: ${inconclusive.cause}</h4>
${inconclusive.evidence.length === 0 ? '' : html`<pre>${inconclusive.evidence.join('\n')}</pre>`}
${inconclusive.remedies.length === 0 ? '' : html`<ul>${inconclusive.remedies.map((remedy) => html`<li>${remedy}</li>`)}</ul>`}
${vectorButtons(ids, index)}</li>`,
  )}</ol>`;
}

function renderFinding({ difference, ids, onKernel }: Finding, index: number): Markup {
  const { between, expected, actual, at } = difference;
  return html`<li class="finding">
<h4><span class="mark" aria-hidden="true">✕</span> ${capital(between)} diverge${at === undefined ? '' : html` at ${describeTable(at)}${fieldOf(at).map((field) => html`, field <code>${field}</code>`)}`}</h4>
${at === undefined ? '' : html`<p><code>${flowText(at)}</code>${reasonLines(at).map((line) => html`<br>${capital(line)}.`)}</p>`}
<dl class="pair"><dt>first seen</dt><dd>${ids[0] ?? ''}: ${summaryIn(difference)}</dd><dt>expected</dt><dd><code>${expected}</code></dd><dt>actual</dt><dd><code>${actual}</code></dd>${onKernel === undefined ? '' : html`<dt>kernel</dt><dd>${describeOnKernel(onKernel)}</dd>`}</dl>
${vectorButtons(ids, index)}</li>`;
}

function describeTable(at: Location): string {
  const table = tableOf(at);
  return table === undefined
    ? switchText(at)
    : `table ${table.table} of ${table.bridge} on ${table.node}`;
}

function renderProgram({ program }: ScenarioReport): Markup {
  if (program.length === 0) return html``;
  return html`<li class="finding">
<h4><span class="mark" aria-hidden="true">✕</span> The switches held ${program.length === 1 ? 'a flow, group or meter' : `${program.length} flows, groups or meters`} that differ from what the control plane wants</h4>
${program.slice(0, flowsMax).map(({ summary, expected, actual }) => html`<dl class="pair"><dt>what</dt><dd><code>${summary}</code></dd><dt>expected</dt><dd><code>${expected}</code></dd><dt>actual</dt><dd><code>${actual}</code></dd></dl>`)}
${program.length > flowsMax ? html`<p>… and ${program.length - flowsMax} more.</p>` : ''}</li>`;
}

function vectorButtons(ids: readonly string[], index: number): Markup {
  if (ids.length === 0) return html``;
  const more = ids.length - namedMax;
  return html`<p class="vectors"><span class="muted">${ids.length === 1 ? '1 vector' : `${ids.length} vectors`}</span> ${ids.slice(0, namedMax).map((id) => html`<button type="button" class="link" data-scenario="${index}" data-vector="${id}">${id}</button> `)}${more > 0 ? html`<span class="muted">and ${more} more, below</span>` : ''}</p>`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
