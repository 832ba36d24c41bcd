/** What every part of the page says alike. */
import type { PageData, ScenarioData, VectorData } from '../page-data.js';

export interface Scene {
  readonly data: ScenarioData;
  readonly texts: PageData['texts'];
  readonly open: (vectors: readonly VectorData[], chosen: VectorData) => void;
}

export const verdictMarks = {
  conforms: '✓',
  diverges: '✕',
  inconclusive: '?',
  'known-divergence': '!',
} as const;
export const verdictWords = {
  conforms: 'conforms',
  diverges: 'diverges',
  inconclusive: 'no verdict',
  'known-divergence': 'known divergence',
} as const;

export function textAt(texts: PageData['texts'], index: number): string {
  return texts[index] ?? '';
}

/** The worst verdict of some: one that diverges, else one without, else a known divergence. */
export function worstOf(vectors: readonly VectorData[]): VectorData['verdict'] {
  return vectors.some(({ verdict }) => verdict === 'diverges')
    ? 'diverges'
    : vectors.some(({ verdict }) => verdict === 'inconclusive')
      ? 'inconclusive'
      : vectors.some(({ verdict }) => verdict === 'known-divergence')
        ? 'known-divergence'
        : 'conforms';
}

/** `kept`, `broken` or `not compared`, with its mark. */
export function levelMark(level: string): string {
  return level === 'kept' || level === 'agree'
    ? '✓'
    : level === 'broken' || level === 'diverge'
      ? '✕'
      : '?';
}
