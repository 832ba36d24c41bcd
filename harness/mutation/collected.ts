/** Stands in the place of tap for test files that are played again and again: keeps the tests of a file, and does not run them. */
import type { Test } from 'tap';

export interface CollectedTest {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly run: (t: Test) => unknown;
}

let tests: CollectedTest[] = [];
const teardowns: (() => unknown)[] = [];

/** What test files do with tap's `t` outside of tests. */
const t = {
  test(name: string, ...rest: readonly unknown[]): Promise<void> {
    const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest;
    tests.push({ name, options: options as CollectedTest['options'], run: run as CollectedTest['run'] });
    return Promise.resolve();
  },
  teardown(run: () => unknown): void {
    teardowns.push(run);
  },
};

export default t;

/** The tests that the files loaded since the last time have. */
export function takeTests(): readonly CollectedTest[] {
  const taken = tests;
  tests = [];
  return taken;
}

export async function tearDown(): Promise<void> {
  for (const run of teardowns) await run();
}
