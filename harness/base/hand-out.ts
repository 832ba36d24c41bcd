/**
 * Work that any of `hands` can do, each one piece at a time: the next goes to the first of them
 * that is free, and waits where none is.
 */
export function handOut<Hand extends NonNullable<unknown>>(
  hands: readonly Hand[],
): <T>(work: (hand: Hand) => Promise<T>) => Promise<T> {
  const free = [...hands];
  const waiting: ((hand: Hand) => void)[] = [];
  return async (work) => {
    const [hand = await new Promise<Hand>((resolve) => waiting.push(resolve))] = free.splice(0, 1);
    try {
      return await work(hand);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free.push(hand);
      else next(hand);
    }
  };
}
