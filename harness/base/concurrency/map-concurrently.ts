/** Work on many things, some of them at a time. */
import PQueue from 'p-queue';

/**
 * What `work` makes of each of `items`, in their order; `limit` of them are under way at a time, at
 * most.
 * @param turns the places of all of `items`, in the order in which they begin; by default theirs.
 * @throws of all failures that of the first item, once nothing is under way any more; what had not
 *   begun at the first in time is not begun.
 */
export async function mapConcurrently<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
  turns: readonly number[] = [...items.keys()],
): Promise<readonly R[]> {
  const queue = new PQueue({ concurrency: limit });
  const failures = new Map<number, unknown>();
  const begin = (item: T, index: number) =>
    work(item).catch((error: unknown) => {
      queue.clear();
      failures.set(index, error);
      throw error;
    });
  try {
    const inTurn = turns.flatMap((place) =>
      items.slice(place, place + 1).map((item) => ({ item, place })),
    );
    const results = await queue.addAll(
      inTurn.map(({ item, place }) => async () => ({ place, result: await begin(item, place) })),
    );
    return results.sort((a, b) => a.place - b.place).map(({ result }) => result);
  } catch {
    await queue.onIdle();
    throw failures.get(Math.min(...failures.keys()));
  }
}
