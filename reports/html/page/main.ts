/** Unpacks the data and brings the page to life. */
import type { PageData, VectorData } from '../page-data.js';
import { element } from './elements.js';
import { drawExplorer } from './draw-explorer.js';
import { drawVector } from './draw-vector.js';
import { drawTruthTables } from './draw-truth-tables.js';
import { verdictMarks, type Scene } from './scene.js';

/** Buttons for the vectors of one cell; a list's are too many to stand side by side. */
const besideMax = 12;

async function unpack(): Promise<PageData> {
  const packed = document.getElementById('data')?.textContent ?? '';
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return (await new Response(stream).json()) as PageData;
}

function openVector(scene: Scene, vectors: readonly VectorData[], chosen: VectorData): void {
  const dialog = document.getElementById('vector') as HTMLDialogElement;
  const position = vectors.indexOf(chosen);
  const to = (vector: VectorData | undefined, words: string): HTMLElement =>
    element(
      'button',
      {
        type: 'button',
        disabled: vector === undefined ? '' : undefined,
        click: () => vector !== undefined && openVector(scene, vectors, vector),
      },
      words,
    );
  const others =
    vectors.length > besideMax
      ? [
          to(vectors[position - 1], '← previous'),
          to(vectors[position + 1], 'next →'),
          element('span', { class: 'muted' }, `${position + 1} of ${vectors.length}`),
        ]
      : vectors.length > 1
        ? vectors.map((vector) =>
            element(
              'button',
              {
                type: 'button',
                'aria-current': vector === chosen ? 'true' : undefined,
                click: () => openVector(scene, vectors, vector),
              },
              `${verdictMarks[vector.verdict]} ${vector.id}`,
            ),
          )
        : [];
  const close = element(
    'button',
    { type: 'button', class: 'close', autofocus: '', click: () => dialog.close() },
    'Close ',
    element('kbd', {}, 'Esc'),
  );
  const content = element('article', {});
  for (const child of [drawVector(scene, chosen)].flat(Infinity as 1) as (Node | undefined)[])
    if (child !== undefined) content.append(child);
  dialog.replaceChildren(
    element(
      'div',
      { class: 'bar-top' },
      element('nav', { 'aria-label': 'Vectors beside it' }, others),
      close,
    ),
    content,
  );
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

const data = await unpack();
for (const [index, scenario] of data.scenarios.entries()) {
  const section = document.querySelector(`section[data-scenario="${index}"] .explorer`);
  const scene: Scene = {
    data: scenario,
    texts: data.texts,
    open: (vectors, chosen) => openVector(scene, vectors, chosen),
  };
  section?.replaceChildren(...drawExplorer(scene, String(index)));
  const truth = document.querySelector<HTMLElement>(
    `section[data-scenario="${index}"] .truth-tables`,
  );
  truth?.replaceChildren(...drawTruthTables(scene, (truth.dataset['kinds'] ?? '').split(' ')));
  for (const button of document.querySelectorAll<HTMLButtonElement>(
    `button[data-scenario="${index}"]`,
  )) {
    button.addEventListener('click', () => {
      const chosen = scenario.vectors.find(({ id }) => id === button.dataset['vector']);
      if (chosen !== undefined) openVector(scene, [chosen], chosen);
    });
  }
}
// A click beside the sheet closes it.
document.getElementById('vector')?.addEventListener('click', (event) => {
  if (event.target === event.currentTarget) (event.currentTarget as HTMLDialogElement).close();
});
document.documentElement.dataset['ready'] = 'true';
