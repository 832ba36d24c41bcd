/** Work on many things, some of them at a time. */
import PQueue from 'p-queue';

/**
 * What `work` makes of each of `items`, in their order; `limit` of them are under way at a time, at
 * most.
 * @throws of all failures that of the first item, once nothing is under way any more; what had not
 *   begun at the first in time is not begun.
 */
export async function mapConcurrently<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
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
    return await queue.addAll(items.map((item, index) => () => begin(item, index)));
  } catch {
    await queue.onIdle();
    throw failures.get(Math.min(...failures.keys()));
  }
}
