/** Numbered work on several switches at a time, its results in the order of the numbers. */
import type { Sides } from './case-judgement.js';

/**
 * Number 0, 1, 2 … of `work`, until nobody takes the next. Each worker has every so-manieth number,
 * one after another, whatever the others do, so that what was played on a switch before is the same
 * each time. Workers run ahead of what is taken.
 * @throws what `work` throws, once its turn comes; no work is under way any more when this ends.
 */
export async function* roundRobin<T>(
  workers: readonly Sides[],
  work: (sides: Sides, index: number) => Promise<T>,
): AsyncGenerator<T, never> {
  let isOver = false;
  const queues = workers.map((sides, workerIndex) => {
    const results: WorkResult<T>[] = [];
    const waiting: (() => void)[] = [];
    const run = async () => {
      for (let index = workerIndex; !isOver; index += workers.length) {
        results.push(
          await work(sides, index).then(
            (value): WorkResult<T> => ({ kind: 'done', value }),
            (cause: unknown): WorkResult<T> => ({ kind: 'failed', cause }),
          ),
        );
        waiting.shift()?.();
        if (results.at(-1)?.kind === 'failed') return;
      }
    };
    return { results, waiting, over: run() };
  });
  try {
    for (let index = 0; ; index++) {
      const { results, waiting } = queues[index % workers.length]!;
      if (results.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      const result = results.shift()!;
      if (result.kind === 'failed') throw result.cause;
      yield result.value;
    }
  } finally {
    isOver = true;
    await Promise.all(queues.map(({ over }) => over));
  }
}

type WorkResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly cause: unknown };
