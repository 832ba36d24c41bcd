/**
 * What one cell of the matrix says: the promise, the model and the switch, a bar each, long where
 * it passes and short where it does not.
 */
import type { VectorData } from '../page-data.js';
import { element } from './elements.js';
import { verdictWords, worstOf } from './scene.js';

/** Some vectors between the same two, summed up. */
export interface Cell {
  readonly verdict: VectorData['verdict'];
  readonly promise: 'pass' | 'refuse' | 'stop' | 'nobody' | 'may' | 'known' | 'mixed' | 'unknown';
  readonly model: Bar;
  readonly switch: Bar;
}
/**
 * `broken`: not as promised. `diverged`: as promised, but the switch differs from the model.
 */
type Bar = 'kept' | 'broken' | 'diverged' | 'open';

export function cellOf(vectors: readonly VectorData[]): Cell {
  const promises = new Set(vectors.map(({ levels }) => levels.promise));
  const [only] = promises;
  return {
    verdict: worstOf(vectors),
    promise: promises.size > 1 || only === undefined ? 'mixed' : bars[only],
    model: barOf(vectors, 'model'),
    switch: barOf(vectors, 'switch'),
  };
}

const bars: Readonly<Record<VectorData['levels']['promise'], Cell['promise']>> = {
  'must pass': 'pass',
  'must be refused': 'refuse',
  'must not pass': 'stop',
  'nobody holds it': 'nobody',
  'may pass': 'may',
  'known to diverge': 'known',
  'nothing promised': 'unknown',
};

function barOf(vectors: readonly VectorData[], level: 'model' | 'switch'): Bar {
  if (vectors.some(({ levels }) => levels[level] === 'broken')) return 'broken';
  if (level === 'switch' && vectors.some(({ levels }) => levels.modelAndSwitch === 'diverge'))
    return 'diverged';
  return vectors.some(({ levels }) => levels[level] === 'not compared') ? 'open' : 'kept';
}

/** Three bars, one above the other. */
export function drawCell(cell: Cell): HTMLElement {
  const bar = (class_: string): HTMLElement => element('i', { class: `bar ${class_}` });
  return element(
    'span',
    { class: 'cell', 'aria-hidden': 'true' },
    bar(cell.promise),
    bar(`${cell.promise} ${cell.model}`),
    bar(`${cell.promise} ${cell.switch}`),
  );
}

/** The same in words. */
/** @param was what the cell's vectors were in the state before, of those that have changed. */
export function describeCell(
  from: string,
  to: string,
  vectors: readonly VectorData[],
  was: readonly string[],
): string {
  const cell = cellOf(vectors);
  const promise = {
    pass: 'must pass',
    refuse: 'must be refused',
    stop: 'must not pass',
    nobody: 'nobody holds it',
    may: 'may pass',
    known: 'known to diverge',
    mixed: 'some must pass',
    unknown: 'nothing promised',
  }[cell.promise];
  const bar = {
    kept: 'kept',
    broken: 'broken',
    diverged: 'kept, but diverges from the model',
    open: 'not compared',
  };
  return (
    `${from} to ${to}: ${vectors.length === 1 ? '1 vector' : `${vectors.length} vectors`}, ` +
    `${verdictWords[cell.verdict]}. Promise: ${promise}. Model: ${bar[cell.model]}. Switch: ` +
    bar[cell.switch] +
    `.${was.length === 0 ? '' : vectors.length === 1 ? ` Before: ${was.join()}.` : ` Changed: ${was.length}.`}`
  );
}
