/** What becomes of every mutant of a module when the tests that reach it run. */
import { inParallel } from '../testing/in-parallel.js';
import { parse, type Source } from '../tidiness/sources.js';
import { instrument } from './instrument.js';
import { nameMutants, type MutantName } from './mutant.js';
import { findMutants } from './mutants.js';
import type { Sandbox } from './sandbox.js';

/** `killed`: a test failed; `stopped`: it never came to an end; `unreached`: no test runs this code. */
export type Fate = 'killed' | 'stopped' | 'survived' | 'unreached';

export interface Tried extends MutantName {
  readonly fate: Fate;
}

/** A test file, as it runs without any mutant. */
interface Recorded {
  readonly test: string;
  readonly reaches: ReadonlySet<number>;
  readonly questions: number;
  /** Mutants that it stopped so far. */
  kills: number;
}

/**
 * Tries every mutant of `module`, each on its own.
 * @param tests all that could notice; the first that fails decides, and those that noticed most so far are asked first.
 * @returns in the order of the text.
 * @throws Unavailable when a test fails without any mutant.
 */
export async function tryModule(sandbox: Sandbox, module: Source, tests: readonly string[], say: (line: string) => void): Promise<readonly Tried[]> {
  const mutants = findMutants(parse(module));
  if (mutants.length === 0) return [];
  await sandbox.instrument(module.path, instrument(module.text, mutants));
  say(`${module.path}: which of ${mutants.length} mutants ${tests.length} test files reach`);
  const recorded = new Map<string, Recorded>();
  await inParallel(tests, async (test) => {
    const { mutants: reached, questions } = await sandbox.record(test);
    recorded.set(test, { test, reaches: new Set(reached), questions, kills: 0 });
  });
  const inOrder = tests.flatMap((test) => recorded.get(test) ?? []);
  const fates = new Map<number, Fate>();
  await inParallel([...mutants.keys()], async (number) => {
    fates.set(number, await fateOf(sandbox, number, inOrder));
    if (fates.size % 10 === 0) say(`${module.path}: ${fates.size} of ${mutants.length} mutants`);
  });
  return nameMutants(module.path, module.text, mutants).map((name, number) => ({ ...name, fate: fates.get(number) ?? 'unreached' }));
}

async function fateOf(sandbox: Sandbox, mutant: number, tests: readonly Recorded[]): Promise<Fate> {
  const reaching = tests.filter(({ reaches }) => reaches.has(mutant)).sort((a, b) => b.kills - a.kills);
  for (const recorded of reaching) {
    const attempt = await sandbox.attempt(recorded.test, mutant, questionsMax(recorded.questions));
    if (attempt === 'passed') continue;
    recorded.kills++;
    return attempt === 'failed' ? 'killed' : 'stopped';
  }
  return reaching.length === 0 ? 'unreached' : 'survived';
}

/** A mutant may change how much work there is; one that asks this often does not come to an end. */
function questionsMax(questions: number): number {
  return 20 * questions + 1_000_000;
}
