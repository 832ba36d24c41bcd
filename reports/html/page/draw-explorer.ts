/** The filter, and the list of the vectors that it lets through. */
import type { VectorData } from '../page-data.js';
import { element } from './elements.js';
import { drawMatrix } from './draw-matrix.js';
import { levelMark, textAt, verdictMarks, verdictWords, type Scene } from './scene.js';

/** Rows that stand in the list before the rest is asked for. */
const rowsMax = 30;

/** Filter, matrix and list of one scenario. */
export function drawExplorer(scene: Scene, key: string): readonly HTMLElement[] {
  const { vectors } = scene.data;
  const groups = [...new Set(vectors.map(({ group }) => group))];
  const verdicts = (['diverges', 'inconclusive', 'known-divergence', 'conforms'] as const).filter(
    (verdict) => vectors.some((vector) => vector.verdict === verdict),
  );
  const option = (value: string, words: string): HTMLElement => element('option', { value }, words);
  const counted = (words: string, matching: (vector: VectorData) => boolean): string =>
    `${words} (${vectors.filter(matching).length})`;
  const kind = element(
    'select',
    { id: `kind-${key}` },
    option(
      '',
      counted('all kinds', () => true),
    ),
    groups.map((group) =>
      option(
        String(group),
        counted(textAt(scene.texts, group), (vector) => vector.group === group),
      ),
    ),
  );
  const verdict = element(
    'select',
    { id: `verdict-${key}` },
    option('', 'all verdicts'),
    verdicts.map((each) =>
      option(
        each,
        counted(`${verdictMarks[each]} ${verdictWords[each]}`, (vector) => vector.verdict === each),
      ),
    ),
  );
  const promise = element(
    'select',
    { id: `promise-${key}` },
    option('', 'all promises'),
    [...new Set(vectors.map(({ levels }) => levels.promise))].map((each) =>
      option(
        each,
        counted(each, ({ levels }) => levels.promise === each),
      ),
    ),
  );
  const words = element('input', {
    id: `words-${key}`,
    type: 'search',
    placeholder: 'p1/p4',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const told = element('output', { class: 'muted', 'aria-live': 'polite' });
  const matrix = element('div', { class: 'scroll' });
  const list = element('div', { class: 'scroll' });
  const draw = (): void => {
    const wanted = words.value.trim().toLowerCase();
    const shown = vectors.filter(
      (vector) =>
        (kind.value === '' || String(vector.group) === kind.value) &&
        (verdict.value === '' || vector.verdict === verdict.value) &&
        (promise.value === '' || vector.levels.promise === promise.value) &&
        (wanted === '' ||
          `${vector.id} ${textAt(scene.texts, vector.stimulus)}`.toLowerCase().includes(wanted)),
    );
    told.textContent =
      shown.length === vectors.length
        ? `${vectors.length} vectors`
        : `${shown.length} of ${vectors.length} vectors`;
    matrix.replaceChildren(drawMatrix(scene, shown));
    list.replaceChildren(...drawList(scene, shown, rowsMax));
  };
  for (const control of [kind, verdict, promise, words]) control.addEventListener('input', draw);
  draw();
  const labelled = (label: string, control: HTMLElement): HTMLElement =>
    element('label', { for: control.id }, element('span', {}, label), control);
  return [
    element(
      'form',
      { class: 'filter', role: 'search', 'aria-label': `Filter vectors of ${scene.data.label}` },
      labelled('Kind', kind),
      labelled('Verdict', verdict),
      labelled('Promise', promise),
      labelled('Name', words),
      told,
    ),
    matrix,
    drawLegend(vectors.some(({ was }) => was !== undefined)),
    list,
  ];
}

function drawLegend(marksChanges: boolean): HTMLElement {
  const sample = (verdict: string, bars: readonly string[], words: string): HTMLElement =>
    element(
      'li',
      {},
      element(
        'span',
        { class: `sample ${verdict}`, 'aria-hidden': 'true' },
        element(
          'span',
          { class: 'cell' },
          bars.map((bar) => element('i', { class: `bar ${bar}` })),
        ),
      ),
      words,
    );
  return element(
    'ul',
    { class: 'legend', 'aria-label': 'How to read the matrix' },
    element('li', { class: 'how' }, 'A cell has three bars: the promise, the model, the switch.'),
    sample('conforms', ['pass', 'pass kept', 'pass kept'], 'must pass, and does'),
    sample('conforms', ['refuse', 'refuse kept', 'refuse kept'], 'must be refused, and is'),
    sample('conforms', ['stop', 'stop kept', 'stop kept'], 'must not pass, and does not'),
    sample('conforms', ['may', 'may kept', 'may kept'], 'may pass or not'),
    sample('conforms', ['known', 'known kept', 'known kept'], 'known to diverge, and does'),
    sample('diverges', ['pass', 'pass kept', 'pass broken'], 'the switch breaks the promise'),
    sample(
      'diverges',
      ['pass', 'pass kept', 'pass diverged'],
      'kept, but model and switch diverge',
    ),
    sample('diverges', ['pass', 'pass broken', 'pass broken'], 'both break it: the control plane'),
    sample('inconclusive', ['pass', 'pass open', 'pass open'], 'no verdict'),
    marksChanges
      ? element(
          'li',
          {},
          element(
            'span',
            { class: 'sample changed', 'aria-hidden': 'true' },
            element('i', { class: 'corner-mark' }),
          ),
          'different from the state before',
        )
      : undefined,
  );
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
