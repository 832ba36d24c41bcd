/** What vectors needed, as people read it: alike ones are one line. */
import type { VectorReport } from '../harness/run/judging/vector-report.js';

/** `ping/p1/p4 and 17 more: 16 lookups · 8 recirculations · …`, those with most lookups last. */
export function renderWork(vectors: readonly VectorReport[]): readonly string[] {
  const alike = new Map<string, { readonly first: string; count: number; lookups: number }>();
  for (const { id, work } of vectors) {
    if (work === undefined) continue;
    const kind = id.split('/')[0] ?? id;
    const text = Object.entries(work)
      .filter(([, times]) => times > 0)
      .map(([name, times]) => `${times} ${name}`)
      .join(' · ');
    const known = alike.get(`${kind} ${text}`);
    if (known === undefined)
      alike.set(`${kind} ${text}`, { first: id, count: 1, lookups: work['lookups'] ?? 0 });
    else known.count++;
  }
  return [...alike.entries()]
    .toSorted(([, a], [, b]) => a.lookups - b.lookups)
    .map(([key, { first, count }]) => {
      const more = count === 1 ? '' : ` and ${count - 1} more`;
      return `  work      ${first}${more}: ${key.slice(key.indexOf(' ') + 1) || 'nothing'}`;
    });
}
