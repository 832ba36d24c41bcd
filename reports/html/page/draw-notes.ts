/** What hosts noted, and what the switches remember. */
import type { NoteData } from '../page-data.js';
import { type Child, element } from './elements.js';
import { type Scene, textAt } from './scene.js';

export function drawNotes(
  scene: Scene,
  title: string,
  column: string,
  notes: readonly NoteData[],
): Child {
  if (notes.length === 0) return undefined;
  const tick = (has: boolean, asked = true): HTMLElement =>
    element('td', { class: 'count' }, has ? '✓' : asked ? '✕ none' : '?');
  return [
    element('h3', {}, title),
    element(
      'div',
      { class: 'scroll' },
      element(
        'table',
        { class: 'path' },
        element(
          'thead',
          {},
          element(
            'tr',
            {},
            [column, 'Model', 'Switch'].map((words) => element('th', { scope: 'col' }, words)),
          ),
        ),
        element(
          'tbody',
          {},
          notes.map(([note, seen]) =>
            element(
              'tr',
              {
                class: seen === 'by both' || seen === 'not observed' ? '' : 'differs',
              },
              element('td', { class: 'words' }, textAt(scene.texts, note)),
              tick(seen !== 'by the switch only'),
              tick(seen === 'by both' || seen === 'by the switch only', seen !== 'not observed'),
            ),
          ),
        ),
      ),
    ),
  ];
}
