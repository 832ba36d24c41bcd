/** The filter, and the list of the vectors that it lets through. */
import type { VectorData } from '../page-data.js';
import { element } from './elements.js';
import { drawMatrix } from './draw-matrix.js';
import { levelMark, textAt, verdictMarks, verdictWords, type Scene } from './scene.js';
import { createFilter } from './vector-filter.js';
import { drawLegend } from './draw-legend.js';

/** Rows that stand in the list before the rest is asked for. */
const rowsMax = 30;

/** Filter, matrix and list of one scenario. */
export function drawExplorer(scene: Scene, key: string): readonly HTMLElement[] {
  const { vectors } = scene.data;
  const filter = createFilter(scene, key);
  const shownCount = element('output', { class: 'muted', 'aria-live': 'polite' });
  const matrix = element('div', { class: 'scroll' });
  const list = element('div', { class: 'scroll' });
  const draw = (): void => {
    const shown = vectors.filter(filter.matches);
    shownCount.textContent =
      shown.length === vectors.length
        ? `${vectors.length} vectors`
        : `${shown.length} of ${vectors.length} vectors`;
    matrix.replaceChildren(drawMatrix(scene, shown));
    list.replaceChildren(...drawList(scene, shown, rowsMax));
  };
  for (const { control } of filter.controls) control.addEventListener('input', draw);
  draw();
  return [
    element(
      'form',
      { class: 'filter', role: 'search', 'aria-label': `Filter vectors of ${scene.data.label}` },
      filter.controls.map(({ label, control }) =>
        element('label', { for: control.id }, element('span', {}, label), control),
      ),
      shownCount,
    ),
    matrix,
    drawLegend(vectors.some(({ was }) => was !== undefined)),
    list,
  ];
}

/** What does not conform comes first; what is listed beyond `limit` is asked for. */
function drawList(
  scene: Scene,
  vectors: readonly VectorData[],
  limit: number,
): readonly HTMLElement[] {
  const rank = { diverges: 0, inconclusive: 1, 'known-divergence': 2, conforms: 3 } as const;
  const ordered = [...vectors].sort((a, b) => rank[a.verdict] - rank[b.verdict]);
  const level = (words: string): HTMLElement =>
    element(
      'td',
      { class: words === 'broken' || words === 'diverge' ? 'attention' : '' },
      `${levelMark(words)} ${words}`,
    );
  const rows = ordered
    .slice(0, limit)
    .map((vector) =>
      element(
        'tr',
        { class: vector.verdict },
        element(
          'td',
          { class: 'verdict' },
          `${verdictMarks[vector.verdict]} ${verdictWords[vector.verdict]}`,
        ),
        element(
          'th',
          { scope: 'row' },
          element(
            'button',
            { type: 'button', class: 'link', click: () => scene.open(ordered, vector) },
            vector.id,
          ),
        ),
        element('td', { class: 'words' }, textAt(scene.texts, vector.stimulus)),
        element('td', {}, vector.levels.promise),
        level(vector.levels.model),
        level(vector.levels.switch),
        level(vector.levels.modelAndSwitch),
      ),
    );
  const heads = ['Verdict', 'Vector', 'What', 'Promise', 'Model', 'Switch', 'Model and switch'].map(
    (words) => element('th', { scope: 'col' }, words),
  );
  const table = element(
    'table',
    { class: 'list' },
    element('thead', {}, element('tr', {}, heads)),
    element('tbody', {}, rows),
  );
  if (ordered.length <= limit) return [table];
  const more = element(
    'button',
    {
      type: 'button',
      class: 'more',
      click: () => {
        const next = drawList(scene, vectors, Infinity);
        const here = table.parentElement;
        here?.replaceChildren(...next);
        here?.querySelectorAll('button')[limit]?.focus();
      },
    },
    `Show ${ordered.length - limit} more`,
  );
  return [table, more];
}
