/**
 * What must be undone however the program ends; last in, first out. Queued before the set-up it
 * belongs to.
 */
export interface Teardown {
  /** Tasks must be safe to run although their set-up never finished. */
  add(task: () => Promise<void>): void;
  /**
   * Runs every task once; a failing one does not keep the others from running, and is thrown at the
   * end.
   */
  run(): Promise<void>;
}

export function createTeardown(): Teardown {
  const tasks: (() => Promise<void>)[] = [];
  return {
    add: (task) => void tasks.push(task),
    async run() {
      let failure: { readonly error: unknown } | undefined;
      for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
        await task().catch((error: unknown) => (failure ??= { error }));
      }
      if (failure !== undefined) throw failure.error;
    },
  };
}
