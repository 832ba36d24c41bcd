/** A matrix a service, drawn when it is opened, and all of them on paper. */
import type { VectorData } from '../page-data.js';
import { element } from './elements.js';
import { drawMatrix } from './draw-matrix.js';
import { textAt, verdictMarks, verdictWords, worstOf, type Scene } from './scene.js';

/** @param kinds the services, by the groups of their vectors. */
export function drawTruthTables(scene: Scene, kinds: readonly string[]): readonly HTMLElement[] {
  return kinds.map((kind) =>
    drawTruthTable(
      scene,
      kind,
      scene.data.vectors.filter(
        ({ group, to }) => textAt(scene.texts, group) === kind && to !== -1,
      ),
    ),
  );
}

function drawTruthTable(scene: Scene, kind: string, vectors: readonly VectorData[]): HTMLElement {
  const room = element('div', { class: 'scroll' });
  const draw = (): void => {
    if (room.childElementCount === 0) room.append(drawMatrix(scene, vectors, kind));
  };
  const verdict = worstOf(vectors);
  const changed = vectors.filter(({ was }) => was !== undefined).length;
  const words = element(
    'summary',
    {},
    `${kind} `,
    element(
      'span',
      { class: 'muted' },
      `${vectors.length} cells, ${changed === 0 ? '' : `${changed} changed, `}`,
    ),
    `${verdictMarks[verdict]} ${verdictWords[verdict]}`,
  );
  const details = element(
    'details',
    { class: `truth-table ${verdict}`, toggle: draw },
    words,
    room,
  );
  window.addEventListener('beforeprint', () => {
    details.open = true;
    draw();
  });
  return details;
}
