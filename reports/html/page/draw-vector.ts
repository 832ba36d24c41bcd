/**
 * One vector: its verdict at three levels and its path, the model beside the switch, with the first
 * difference marked.
 */
import type { VectorData } from '../page-data.js';
import { drawDifferences } from './draw-differences.js';
import { drawLevels } from './draw-levels.js';
import { drawNotes } from './draw-notes.js';
import { drawPath } from './draw-path.js';
import { element, mark, type Child } from './elements.js';
import { textAt, verdictMarks, verdictWords, type Scene } from './scene.js';

export function drawVector(scene: Scene, vector: VectorData): readonly Child[] {
  const text = (index: number): string => textAt(scene.texts, index);
  return [
    element(
      'p',
      { class: `verdict ${vector.verdict}` },
      mark(verdictMarks[vector.verdict]),
      ` ${verdictWords[vector.verdict]}`,
    ),
    element('h2', { id: 'vector-title' }, vector.id),
    element('p', { class: 'lead' }, text(vector.stimulus)),
    drawLevels(scene, vector),
    vector.inconclusive === undefined
      ? undefined
      : element(
          'div',
          { class: 'finding open' },
          element('h3', {}, mark('?'), ` No verdict: ${vector.inconclusive.cause}`),
          vector.inconclusive.evidence.length === 0
            ? undefined
            : element('pre', {}, vector.inconclusive.evidence.join('\n')),
          element(
            'ul',
            {},
            vector.inconclusive.remedies.map((remedy) => element('li', {}, remedy)),
          ),
        ),
    drawDifferences(scene, vector),
    element(
      'div',
      { class: 'titled' },
      element('h3', {}, 'The path'),
      vector.divergence === undefined || vector.cut
        ? undefined
        : element(
            'button',
            { type: 'button', click: goToFirstDifference },
            'Go to the first difference',
          ),
    ),
    vector.predictionError === undefined
      ? undefined
      : element(
          'p',
          { class: 'attention' },
          `The model could not be asked: ${vector.predictionError}`,
        ),
    vector.cut
      ? element(
          'p',
          {},
          'The page would be too large with the paths of all conforming vectors: ',
          element('code', {}, 'flowbed explain'),
          ' has it.',
        )
      : [
          element(
            'p',
            { class: 'caption' },
            vector.isTogether
              ? ranInBatch
              : 'At a table: packets of its flow in the whole vector. At a port: whether the ' +
                  'frame was there.',
          ),
          drawPath(scene, vector),
        ],
    drawNotes(scene, 'What the hosts noted', 'Note', vector.notes),
    drawNotes(scene, 'State of the switches', 'Entry', vector.finalState),
    element('h3', {}, 'What was compared'),
    element(
      'p',
      {},
      vector.counts
        .map(([aspect, expected, made]) =>
          made === expected ? `${made} ${text(aspect)}` : `${made} of ${expected} ${text(aspect)}`,
        )
        .join(' · '),
    ),
  ];
}

const ranInBatch =
  'Ran in a batch: every frame that came out of the switches was the model’s, ' +
  'byte by byte. Shown is its own path through the model; ? marks what switches did for ' +
  'the batch as a whole: neighbour discovery, and counters.';

function goToFirstDifference(): void {
  const row = document.querySelector<HTMLElement>('tr.first-difference');
  row?.scrollIntoView({ block: 'center' });
  row?.focus({ preventScroll: true });
}
