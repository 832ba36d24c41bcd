/** How to read the matrix. */
import { element } from './elements.js';

export function drawLegend(marksChanges: boolean): HTMLElement {
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
    sample('conforms', ['nobody', 'nobody kept', 'nobody kept'], 'nobody holds it'),
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
