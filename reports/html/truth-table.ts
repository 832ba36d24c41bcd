/** The truth table of a scenario whose vectors ask who reaches whom on which service: a row a service, and room for a matrix each. */
import type { ScenarioView, VectorView } from '../../harness/view/view.js';
import { html, type Markup } from './markup.js';

/** The kinds of vectors that are cells: `tcp-80`, `icmp`. */
const service = /^((tcp|udp|sctp)-\d+|icmp)$/;

/** The cells by service, in the order of the vectors; empty where a scenario asks for less than two services. */
export function tablesOf(vectors: readonly VectorView[]): ReadonlyMap<string, readonly VectorView[]> {
  const tables = new Map<string, VectorView[]>();
  for (const vector of vectors) {
    if (!service.test(vector.group) || vector.to === undefined) continue;
    const cells = tables.get(vector.group) ?? [];
    tables.set(vector.group, cells);
    cells.push(vector);
  }
  return tables.size < 2 ? new Map() : tables;
}

/** Undefined where there is no truth table. */
export function renderTruthTable({ vectors }: ScenarioView, index: number): Markup | undefined {
  const tables = tablesOf(vectors);
  if (tables.size === 0) return undefined;
  const rows = [...tables].map(([name, cells]) => html`<tr><th scope="row">${name}</th>${numbers(cells)}</tr>`);
  const all = [...tables.values()].flat();
  return html`<h3 id="truth-${index}" tabindex="-1">Truth table</h3>
<p>Every sender, every destination, every service. What was promised follows from the objects alone; each cell was sent through the model and through the switches. In the matrices, a cell has three bars: the promise, the model, the switch; long ones pass, short ones do not.</p>
<div class="scroll"><table class="numbers truth"><thead><tr><th scope="col">Service</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}<tr class="sum"><th scope="row">all</th>${numbers(all)}</tr></tbody></table></div>
<div class="truth-tables" data-kinds="${[...tables.keys()].join(' ')}"></div>`;
}

const heads = ['Cells', 'Must pass', 'Must not pass', 'Model as promised', 'Switch as promised', 'Model and switch alike'];

function numbers(cells: readonly VectorView[]): readonly Markup[] {
  const count = (is: (cell: VectorView) => boolean): number => cells.filter(is).length;
  const held = (kept: number): Markup => (kept === cells.length ? html`<td>${told(kept)}</td>` : html`<td><strong class="attention">✕ ${told(kept)} of ${told(cells.length)}</strong></td>`);
  return [
    html`<td>${told(cells.length)}</td>`,
    html`<td>${told(count(({ levels }) => levels.promise === 'must pass'))}</td>`,
    html`<td>${told(count(({ levels }) => levels.promise === 'must not pass'))}</td>`,
    held(count(({ levels }) => levels.model === 'kept')),
    held(count(({ levels }) => levels.switch === 'kept')),
    held(count(({ levels }) => levels.together === 'agree')),
  ];
}

function told(value: number): string {
  return value.toLocaleString('en');
}
