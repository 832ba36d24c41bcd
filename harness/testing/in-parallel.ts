import { availableParallelism } from 'node:os';

/** One item a core, two at least and eight at most; the next one starts when one ends. */
export async function inParallel<Item>(items: readonly Item[], run: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(8, Math.max(2, availableParallelism())) }, worker));
}
