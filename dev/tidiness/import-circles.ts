/** Files that import each other, directly or through others: none can be read or tested alone. */
import type { Import } from './imports.js';

/**
 * Each circle of imports as `a -> b -> a`, the shortest through its first file by name; how many
 * files import each other there, where the way round does not show all of them. Imports of types
 * count.
 */
export function importCircles(imports: readonly Import[]): readonly string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  return stronglyConnected(next).map((files) => {
    const way = wayRound(files, next);
    const others = files.length - way.length + 1;
    return way.join(' -> ') + (others === 0 ? '' : `, and ${others} more files`);
  });
}

/**
 * The sets of files of which each imports all others, directly or not (strongly connected
 * components, by Tarjan's algorithm), sorted by path.
 */
function stronglyConnected(
  next: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
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
      if (circle.length > 1 || (next.get(file) ?? []).includes(file)) circles.push(circle);
    }
    return lowest;
  };
  for (const file of next.keys()) if (!index.has(file)) visit(file);
  return circles.sort((a, b) => b.length - a.length || ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
}

/** From the first of `files`, which import each other, back to it, by as few as it takes. */
function wayRound(
  [start = '', ...others]: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const ways: (readonly string[])[] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const to of next.get(way.at(-1) ?? '') ?? []) {
      if (to === start) return [...way, to];
      if (!others.includes(to) || seen.has(to)) continue;
      seen.add(to);
      ways.push([...way, to]);
    }
  }
  return [start];
}
