/** Work on many things, some of them at a time. */
import PQueue from 'p-queue';

/**
 * What `work` makes of each of `items`, in their order; `limit` of them are under way at a time, at most.
 * @throws the first failure, once nothing is under way any more; what had not begun by then is not begun.
 */
export async function atOnce<T, R>(limit: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const queue = new PQueue({ concurrency: limit });
  const begin = (item: T) => work(item).catch((error: unknown) => {
    queue.clear();
    throw error;
  });
  try {
    return await queue.addAll(items.map((item) => () => begin(item)));
  } finally {
    await queue.onIdle();
  }
}
