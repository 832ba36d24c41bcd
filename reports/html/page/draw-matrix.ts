/** The matrix of senders and destinations: one stop for Tab, arrows within, Enter opens. */
import type { VectorData } from '../page-data.js';
import { cellOf, describeCell, drawCell } from './cells.js';
import { element } from './elements.js';
import { textAt, type Scene } from './scene.js';

/** The column of addresses that nobody holds. */
const elsewhere = 'other';
/** With more destinations than this, their names stand upright. */
const lyingNamesMax = 14;

/**
 * @param vectors those that the filter lets through.
 * @param kind what they are, where they are of one kind: then there is no column for what has no
 *   destination.
 */
export function drawMatrix(
  scene: Scene,
  vectors: readonly VectorData[],
  kind?: string,
): HTMLElement {
  const { parties } = scene.data;
  const between = new Map<string, VectorData[]>();
  for (const vector of vectors) {
    const key =
      `${textAt(scene.texts, vector.from)} ` +
      (vector.to === -1 ? elsewhere : textAt(scene.texts, vector.to));
    const already = between.get(key);
    if (already === undefined) between.set(key, [vector]);
    else already.push(vector);
  }
  const destinations = [
    ...parties.map(({ name, node, ip }) => ({ name, node, ip })),
    ...(kind === undefined
      ? [{ name: elsewhere, node: '', ip: 'an address that no host has, or none' }]
      : []),
  ];
  const edge = (index: number, all: readonly { readonly node: string }[]): string =>
    index > 0 && all[index]?.node !== all[index - 1]?.node ? ' edge' : '';
  const head = element(
    'thead',
    {},
    element(
      'tr',
      { role: 'row' },
      element('td', { class: 'corner' }, 'from \\ to'),
      destinations.map(({ name, ip }, index) =>
        element(
          'th',
          {
            role: 'columnheader',
            scope: 'col',
            title: ip,
            class: `to${edge(index, destinations)}`,
          },
          element('span', {}, name),
        ),
      ),
    ),
  );
  const body = element(
    'tbody',
    {},
    parties.map((from, row) =>
      element(
        'tr',
        { role: 'row', class: edge(row, parties).trim() },
        element('th', { role: 'rowheader', scope: 'row', title: from.ip }, from.name),
        destinations.map((to, column) =>
          drawCellOf(
            scene,
            from.name,
            to.name,
            between.get(`${from.name} ${to.name}`) ?? [],
            edge(column, destinations),
          ),
        ),
      ),
    ),
  );
  const table = element(
    'table',
    {
      class: `matrix${destinations.length > lyingNamesMax ? ' dense' : ''}`,
      role: 'grid',
      'aria-label': `${kind === undefined ? '' : `${kind}: `}Senders (rows) and destinations (columns)`,
    },
    head,
    body,
  );
  makeNavigable(table);
  return table;
}

function drawCellOf(
  scene: Scene,
  from: string,
  to: string,
  vectors: readonly VectorData[],
  edges: string,
): HTMLElement {
  const [any] = vectors;
  if (any === undefined)
    return element('td', {
      role: 'gridcell',
      tabindex: -1,
      class: `none${edges}`,
      'aria-label': `${from} to ${to}: no vector`,
    });
  const cell = cellOf(vectors);
  const open = (): void =>
    scene.open(vectors, vectors.find(({ verdict }) => verdict === cell.verdict) ?? any);
  const was = vectors.flatMap((vector) =>
    vector.was === undefined ? [] : [textAt(scene.texts, vector.was)],
  );
  const words = describeCell(from, to, vectors, was);
  return element(
    'td',
    {
      role: 'gridcell',
      tabindex: -1,
      class: `${cell.verdict}${was.length === 0 ? '' : ' changed'}${edges}`,
      'aria-label': words,
      title: words,
      click: open,
    },
    drawCell(cell),
    was.length === 0 ? undefined : element('i', { class: 'corner-mark', 'aria-hidden': 'true' }),
  );
}

/** Keys of the grid pattern (WAI-ARIA Authoring Practices, "Grid"). */
function makeNavigable(table: HTMLTableElement): void {
  const rows = [...(table.tBodies[0]?.rows ?? [])].map((row) =>
    [...row.cells].filter(({ tagName }) => tagName === 'TD'),
  );
  const first = rows.flat().find(({ className }) => !className.includes('none')) ?? rows[0]?.[0];
  first?.setAttribute('tabindex', '0');
  table.addEventListener('focusin', (event) => {
    const cell = (event.target as Element).closest('td');
    if (cell === null) return;
    table
      .querySelectorAll('td[tabindex="0"]')
      .forEach((other) => other.setAttribute('tabindex', '-1'));
    cell.setAttribute('tabindex', '0');
  });
  table.addEventListener('keydown', (event) => {
    const cell = (event.target as Element).closest('td');
    const row = rows.findIndex((cells) => cell !== null && cells.includes(cell));
    if (cell === null || row === -1) return;
    const cells = rows[row] ?? [];
    const column = cells.indexOf(cell);
    const moves: Readonly<Record<string, HTMLElement | undefined>> = {
      ArrowRight: cells[column + 1],
      ArrowLeft: cells[column - 1],
      ArrowDown: rows[row + 1]?.[column],
      ArrowUp: rows[row - 1]?.[column],
      Home: event.ctrlKey ? rows[0]?.[0] : cells[0],
      End: event.ctrlKey ? rows.at(-1)?.at(-1) : cells.at(-1),
    };
    if (event.key === 'Enter' || event.key === ' ') cell.click();
    else if (event.key in moves) moves[event.key]?.focus();
    else return;
    event.preventDefault();
  });
}
