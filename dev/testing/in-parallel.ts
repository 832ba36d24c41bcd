import { availableParallelism } from 'node:os';

/**
 * One item a core, two at least and eight at most; the next one starts when one ends.
 * @throws what the first that fails throws, once none is running any more; no other is started
 *   then.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (failures.length > 0) return;
      await run(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(
    Array.from({ length: Math.min(8, Math.max(2, availableParallelism())) }, worker),
  );
  if (failures.length > 0) throw failures[0];
}
