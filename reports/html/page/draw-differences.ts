/** What a vector differed in. */
import type { VectorData } from '../page-data.js';
import { type Child, element, mark } from './elements.js';
import { type Scene, textAt } from './scene.js';

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function drawDifferences(scene: Scene, { differences }: VectorData): Child {
  const text = (index: number): string => textAt(scene.texts, index);
  const [first, ...others] = differences;
  if (first === undefined) return undefined;
  return [
    element(
      'div',
      { class: 'finding' },
      element('h3', {}, mark('✕'), ` ${capital(first.between)} part: ${text(first.summary)}`),
      element(
        'dl',
        { class: 'pair' },
        element('dt', {}, 'expected'),
        element('dd', {}, element('code', {}, text(first.expected))),
        element('dt', {}, 'actual'),
        element('dd', {}, element('code', {}, text(first.actual))),
        first.at === undefined
          ? undefined
          : [
              element('dt', {}, 'first at'),
              element(
                'dd',
                {},
                `${first.at.place}: `,
                element('code', {}, first.at.flow),
                element('br', {}),
                `${first.at.because}.`,
              ),
            ],
      ),
    ),
    others.length === 0
      ? undefined
      : element(
          'details',
          {},
          element('summary', {}, `${others.length} more that follow from it`),
          element(
            'ul',
            { class: 'following' },
            others.map(({ between, summary }) => element('li', {}, `${between}: ${text(summary)}`)),
          ),
        ),
  ];
}
