/**
 * Work that any of `hands` can do, each one piece at a time: the next goes to the first of them
 * that is free, and waits where none is.
 */
export function createPool<Hand extends NonNullable<unknown>>(
  workers: readonly Hand[],
): <T>(work: (worker: Hand) => Promise<T>) => Promise<T> {
  const free = [...workers];
  const waiting: ((worker: Hand) => void)[] = [];
  return async (work) => {
    const [worker = await new Promise<Hand>((resolve) => waiting.push(resolve))] = free.splice(
      0,
      1,
    );
    try {
      return await work(worker);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free.push(worker);
      else next(worker);
    }
  };
}
