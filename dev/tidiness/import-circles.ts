/** Files that import each other, directly or through others: none can be read or tested alone. */
import type { Import } from './imports.js';

/**
 * The sets of files of which each imports all others, directly or not (strongly connected
 * components, by Tarjan's algorithm), sorted by path. Imports of types count.
 */
export function importCircles(imports: readonly Import[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const path: string[] = [];
  const circles: (readonly string[])[] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    low.set(file, own);
    path.push(file);
    for (const to of next.get(file) ?? []) {
      const reached = index.has(to) ? (path.includes(to) ? (index.get(to) ?? 0) : own) : visit(to);
      low.set(file, Math.min(low.get(file) ?? own, reached));
    }
    const lowest = low.get(file) ?? own;
    if (lowest === own) {
      const circle = path.splice(path.indexOf(file)).sort();
      if (circle.length > 1) circles.push(circle);
    }
    return lowest;
  };
  for (const file of next.keys()) if (!index.has(file)) visit(file);
  return circles.sort((a, b) => b.length - a.length || ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
}

/**
 * Circles that are still to be opened, by a file of theirs, with how many files they have: the list
 * may only shrink.
 */
export const knownCircles: Readonly<Record<string, number>> = {
  'harness/model/model-node.ts': 13,
};

/** Circles that are not known or have grown, and entries of `known` that are out of date. */
export function complainAboutCircles(
  imports: readonly Import[],
  known: Readonly<Record<string, number>> = knownCircles,
): readonly string[] {
  const circles = importCircles(imports);
  const sizeOf = (circle: readonly string[]): number =>
    Math.max(0, ...circle.map((file) => known[file] ?? 0));
  return [
    ...circles
      .filter((circle) => circle.length > sizeOf(circle))
      .map((circle) => `these import each other: ${circle.join(', ')}`),
    ...Object.entries(known).flatMap(([file, size]) => {
      const left = circles.find((circle) => circle.includes(file))?.length ?? 0;
      return left < size
        ? [`${file}: its circle has ${left} files, and import-circles.ts says ${size}`]
        : [];
    }),
  ];
}
