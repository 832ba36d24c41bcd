/** A circle of rooms in `layers`, such as `a → b → a`; undefined when there is none. */
export function findCycle(table: Readonly<Record<string, readonly string[]>>): string | undefined {
  const done = new Set<string>();
  const visit = (room: string, way: readonly string[]): string | undefined => {
    if (way.includes(room)) return [...way.slice(way.indexOf(room)), room].join(' → ');
    if (done.has(room)) return undefined;
    for (const next of table[room] ?? []) {
      const circle = visit(next.replace('types of ', ''), [...way, room]);
      if (circle !== undefined) return circle;
    }
    done.add(room);
    return undefined;
  };
  return Object.keys(table)
    .map((room) => visit(room, []))
    .find((circle) => circle !== undefined);
}
