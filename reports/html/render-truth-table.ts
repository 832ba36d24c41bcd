/**
 * The truth table of a scenario whose vectors ask who reaches whom on which service: a row a
 * service, and room for a matrix each.
 */
import type { ScenarioView } from '../../harness/explain/run-view.js';
import type { VectorView } from '../../harness/explain/vector-view.js';
import { outcomeOf, type Changes } from './changes.js';
import { html, type Markup } from './markup.js';

/**
 * The kinds of vectors that are cells: `tcp-80`, `icmp`; and by ports of a node, all in the cell of
 * the node that is asked.
 */
const service = /^((tcp|udp|sctp)-\d+|icmp|node-port)$/;

/**
 * The cells by service, in the order of the vectors; empty where a scenario asks for less than two
 * services.
 */
export function tablesOf(
  vectors: readonly VectorView[],
): ReadonlyMap<string, readonly VectorView[]> {
  const tables = new Map<string, VectorView[]>();
  for (const vector of vectors) {
    if (!service.test(vector.group) || vector.to === undefined) continue;
    const cells = tables.get(vector.group) ?? [];
    tables.set(vector.group, cells);
    cells.push(vector);
  }
  return tables.size < 2 ? new Map() : tables;
}

/**
 * Undefined where there is no truth table. @param changes against the state before, where there is
 * one.
 */
export function renderTruthTable(
  { vectors, report: { after } }: ScenarioView,
  index: number,
  changes: Changes | undefined,
): Markup | undefined {
  const tables = tablesOf(vectors);
  if (tables.size === 0) return undefined;
  const rows = [...tables].map(
    ([name, cells]) => html`<tr><th scope="row">${name}</th>${numbers(cells, changes)}</tr>`,
  );
  const all = [...tables.values()].flat();
  return html`<h3 id="truth-${index}" tabindex="-1">Truth table</h3>
<p>Every sender, every destination, every service. What was promised follows from the objects alone; each cell was sent through the model and through the switches. In the matrices, a cell has three bars: the promise, the model, the switch; long ones pass, short ones do not; one with a gap is refused.</p>
<div class="scroll"><table class="numbers truth"><thead><tr><th scope="col">Service</th>${[...heads, ...(changes === undefined ? [] : ['Changed'])].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}<tr class="sum"><th scope="row">all</th>${numbers(all, changes)}</tr></tbody></table></div>
${changes === undefined ? '' : renderChanges(all, changes, after?.what ?? '', index)}
<div class="truth-tables" data-kinds="${[...tables.keys()].join(' ')}"></div>`;
}

const heads = [
  'Cells',
  'Must pass',
  'Must be refused',
  'Must not pass',
  'Nobody holds it',
  'Model as promised',
  'Switch as promised',
  'Model and switch alike',
];

function numbers(cells: readonly VectorView[], changes: Changes | undefined): readonly Markup[] {
  const count = (is: (cell: VectorView) => boolean): number => cells.filter(is).length;
  const renderKept = (kept: number): Markup =>
    kept === cells.length
      ? html`<td>${formatCount(kept)}</td>`
      : html`<td><strong class="attention">✕ ${formatCount(kept)} of ${formatCount(cells.length)}</strong></td>`;
  return [
    html`<td>${formatCount(cells.length)}</td>`,
    html`<td>${formatCount(count(({ levels }) => levels.promise === 'must pass'))}</td>`,
    html`<td>${formatCount(count(({ levels }) => levels.promise === 'must be refused'))}</td>`,
    html`<td>${formatCount(count(({ levels }) => levels.promise === 'must not pass'))}</td>`,
    html`<td>${formatCount(count(({ levels }) => levels.promise === 'nobody holds it'))}</td>`,
    renderKept(count(({ levels }) => levels.model === 'kept')),
    renderKept(count(({ levels }) => levels.switch === 'kept')),
    renderKept(count(({ levels }) => levels.modelAndSwitch === 'agree')),
    ...(changes === undefined
      ? []
      : [html`<td>${formatCount(count(({ report }) => changes.has(report.id)))}</td>`]),
  ];
}

/** Rows that are printed; the others are marked in the matrices. */
const rowsMax = 40;

/**
 * Whose reachability changed: a row for each two, with the services and their results.
 */
function renderChanges(
  cells: readonly VectorView[],
  changes: Changes,
  what: string,
  index: number,
): Markup {
  const rows = new Map<
    string,
    { readonly first: VectorView; readonly was: string; readonly services: string[] }
  >();
  for (const cell of cells) {
    const was = changes.get(cell.report.id);
    if (was === undefined) continue;
    const key = `${cell.report.stimulus.from} ${cell.to ?? ''} ${was} ${outcomeOf(cell)}`;
    const row = rows.get(key) ?? { first: cell, was, services: [] };
    rows.set(key, row);
    row.services.push(cell.group);
  }
  const lines = [...rows.values()]
    .slice(0, rowsMax)
    .map(
      ({ first, was, services }) =>
        html`<tr><th scope="row"><button type="button" class="link" data-scenario="${index}" data-vector="${first.report.id}">${first.report.stimulus.from} to ${first.to ?? ''}</button></th><td>${was}</td><td>${outcomeOf(first)}</td><td class="words">${services.join(' ')}</td></tr>`,
    );
  if (lines.length === 0) return html`<p>${what}: every cell is as it was before.</p>`;
  return html`<h4 class="changes">${what}: what changed</h4>
<div class="scroll"><table class="list changes"><thead><tr>${['From whom to whom', 'Before', 'Now', 'Services'].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${lines}</tbody></table></div>
${rows.size > rowsMax ? html`<p class="muted">And ${rows.size - rowsMax} more, marked in the matrices by a corner.</p>` : html`<p class="muted">In the matrices these cells have a marked corner.</p>`}`;
}

function formatCount(value: number): string {
  return value.toLocaleString('en');
}
