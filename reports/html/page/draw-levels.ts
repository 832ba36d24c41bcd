/** Intent, model and switch beside each other. */
import type { VectorData } from '../page-data.js';
import { element } from './elements.js';
import { type Scene, textAt, levelMark } from './scene.js';

export function drawLevels(
  scene: Scene,
  { levels, promise, was, differences }: VectorData,
): HTMLElement {
  const said = (between: string): string =>
    differences
      .filter((difference) => difference.between === between)
      .map(({ actual }) => textAt(scene.texts, actual))[0] ?? '';
  const level = (name: string, state: string, words: string): HTMLElement =>
    element(
      'div',
      { class: `level ${state === 'broken' || state === 'diverge' ? 'attention' : ''}` },
      element('dt', {}, name),
      element(
        'dd',
        {},
        element('strong', {}, `${levelMark(state)} ${state}`),
        words === '' ? undefined : element('span', {}, words),
      ),
    );
  return element(
    'dl',
    { class: 'levels' },
    element(
      'div',
      { class: 'level' },
      element('dt', {}, 'Promise'),
      element(
        'dd',
        {},
        element('strong', {}, levels.promise),
        element('span', {}, textAt(scene.texts, promise)),
        was === undefined
          ? undefined
          : element('span', { class: 'before' }, `Before: ${textAt(scene.texts, was)}`),
      ),
    ),
    level('Model', levels.model, said('intent and model')),
    level('Switch', levels.switch, said('intent and switch')),
    level('Model and switch', levels.modelAndSwitch, ''),
  );
}
