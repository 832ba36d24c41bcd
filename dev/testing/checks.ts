import type { TestWorkers } from './test-workers.js';
import { readTap, type Tally } from './read-tap.js';
import { supervise, type Ending } from './supervise.js';

/** Something that `flowbed test` runs and counts. */
export interface Check {
  /** As people name it: the path of a test file, `types`, `lint`. */
  readonly name: string;
  run(): Promise<Tally>;
}

/**
 * A compiled test file: a program that prints TAP. It fails also when it crashes, hangs or tests
 * nothing.
 */
export function testFileCheck(name: string, compiled: string, cwd: string, limitMs: number): Check {
  // tap ends a test that hangs, and names it, a little before the whole file is given up.
  const env = {
    ...process.env,
    TAP_TIMEOUT: String((limitMs / 1000) * 0.9),
    FLOWBED_NO_CONFIRM: 'yes', // what diverges here does so on purpose
  };
  return {
    name,
    run: async () =>
      judgeTestFile(
        await supervise(process.execPath, ['--enable-source-maps', compiled], {
          cwd,
          env,
          limitMs,
        }),
      ),
  };
}

/**
 * A compiled test file that is played in a program that has played others before. It fails for the
 * same reasons, each reported with its name.
 */
export function workerFileCheck(
  name: string,
  compiled: string,
  workers: TestWorkers,
  limitMs: number,
): Check {
  return { name, run: async () => judgeTestFile(await workers.play(compiled, limitMs)) };
}

/** A program that says by its exit code whether all is well, and counts as one assertion. */
export function programCheck(
  name: string,
  args: readonly string[],
  cwd: string,
  limitMs: number,
): Check {
  return {
    name,
    run: async () => {
      const ending = await supervise(process.execPath, args, { cwd, env: process.env, limitMs });
      if (ending.succeeded) return { passed: 1, failures: [], skips: [] };
      return {
        passed: 0,
        failures: [{ path: [ending.summary], diagnosis: lastLinesOf(ending) }],
        skips: [],
      };
    },
  };
}

function judgeTestFile(ending: Ending): Tally {
  const { tally, complaints } = readTap(ending.stdout);
  const fail = (what: string, diagnosis: readonly string[]): Tally => ({
    ...tally,
    failures: [...tally.failures, { path: [what], diagnosis }],
  });
  if (ending.kind !== 'exited') return fail(ending.summary, lastLinesOf(ending));
  if (tally.failures.length > 0) return tally;
  if (!ending.succeeded) return fail(ending.summary, lastLinesOf(ending));
  if (complaints.length > 0)
    return fail('its results are incomplete or contradict themselves', complaints);
  return tally.passed + tally.skips.length === 0 ? fail('it tests nothing', []) : tally;
}

function lastLinesOf({ stdout, stderr }: Ending): readonly string[] {
  return `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-40);
}
