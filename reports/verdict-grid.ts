/** A table of verdicts, each of which leads to its run folder. */
import type { HistoryRow } from '../harness/history/history-row.js';
import { html, type Markup } from './html/markup.js';

export interface Grid {
  /** What its rows are. */
  readonly corner: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly cells: readonly GridCell[];
}

export interface GridCell {
  readonly row: string;
  /** Its number in `columns`. */
  readonly column: number;
  /** Of its column, in full. */
  readonly name: string;
  readonly shown: HistoryRow;
}

const marks = { conforms: '✔', diverges: '✖', inconclusive: '?', 'known-divergence': '✔' } as const;

/** @param linkOf where what there is of a run lies, by its folder. */
export function verdictGrid(
  title: string,
  { corner, rows, columns, cells }: Grid,
  linkOf: (folder: string) => string | undefined,
): Markup {
  const byPlace = new Map(cells.map((cell) => [JSON.stringify([cell.row, cell.column]), cell]));
  return html`<table class="grid" aria-label="Table: ${title}">
    <thead>
      <tr>
        <th scope="col">${corner}</th>
        ${columns.map((column) => html`<th scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            <th scope="row">${row}</th>
            ${columns.map((_, column) => cellOf(byPlace.get(JSON.stringify([row, column])), linkOf))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function cellOf(
  cell: GridCell | undefined,
  linkOf: (folder: string) => string | undefined,
): Markup {
  if (cell === undefined) return html`<td></td>`;
  const { verdict, folder, trace } = cell.shown;
  const label = `${verdict}, trace ${trace.slice(0, 8) || 'none'}, ${folder || 'no run folder'}`;
  const mark = html`<span class="${verdict}" aria-hidden="true">${marks[verdict]}</span>`;
  const link = linkOf(folder);
  return html`<td>
    ${
      link === undefined
        ? html`<span title="${label}">${mark}</span>`
        : html`<a href="${link}" title="${label}" aria-label="${cell.name}: ${label}">${mark}</a>`
    }
  </td>`;
}
