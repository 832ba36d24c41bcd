/** Replaces each entry of a list by a simpler one for as long as one will do. */
export async function simplify<T>(
  all: readonly T[],
  simpler: (entry: T) => readonly T[],
  holds: (all: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let found = all;
  for (let index = 0; index < found.length; index++) {
    for (let next: T | undefined = found[index]; next !== undefined; ) {
      const entry: T = next;
      next = undefined;
      for (const candidate of simpler(entry)) {
        const replaced = found.with(index, candidate);
        if (!(await holds(replaced))) continue;
        [found, next] = [replaced, candidate];
        break;
      }
    }
  }
  return found;
}
