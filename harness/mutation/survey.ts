/** Which mutants each test file reaches, found by playing it with every module instrumented. */
import { inParallel } from '../testing/in-parallel.js';
import { parse, type Source } from '../tidiness/sources.js';
import { instrument } from './instrument.js';
import { nameMutants, type Mutant, type MutantName } from './mutant.js';
import { findMutants } from './mutants.js';
import type { Asked } from './question.js';
import type { Sandbox } from './sandbox.js';

/** A module that can be mutated, and those of its mutants that tests reach. */
export interface Surveyed extends Source {
  readonly mutants: readonly Mutant[];
  /** In the same order. */
  readonly names: readonly MutantName[];
  /** Those that load it, in the order that they were given in. */
  readonly reaches: readonly Reach[];
}

/** What one test file asks about one module when no mutant lives. */
export interface Reach {
  readonly test: string;
  /** By their places in the module's list. */
  readonly mutants: ReadonlySet<number>;
  /** Those of them that have made something that lasts: what is made while modules load, or once and kept. They must live from the start of a program. */
  readonly lasting: ReadonlySet<number>;
  readonly questions: number;
}

/**
 * @param testsOf the test files that could notice a fault in a module.
 * @throws Unavailable when a test file fails without any mutant.
 */
export async function survey(sandbox: Sandbox, modules: readonly Source[], testsOf: (module: string) => readonly string[], say: (line: string) => void): Promise<readonly Surveyed[]> {
  let mutantsBefore = 0;
  const numbered = modules.map((module) => {
    const [mutants, first] = [findMutants(parse(module)), mutantsBefore];
    mutantsBefore += mutants.length;
    return { ...module, mutants, first, tests: testsOf(module.path) };
  });
  const tests = [...new Set(numbered.flatMap((module) => module.tests))];
  say(`which of ${mutantsBefore} mutants in ${modules.length} modules do ${tests.length} test files reach`);
  await sandbox.instrument(numbered.map(({ path, text, mutants, first }) => ({ path, text: instrument(text, mutants, first) })));
  const asked = new Map<string, { readonly first: Asked; readonly again: Asked }>();
  await inParallel(tests, async (test) => { asked.set(test, await sandbox.record(test)); });
  return numbered.map(({ first, tests, ...module }) => ({
    ...module,
    names: nameMutants(module.path, module.text, module.mutants),
    reaches: tests.flatMap((test) => {
      const said = asked.get(test);
      return said === undefined ? [] : [reachOf(test, said, first, module.mutants.length)];
    }),
  }));
}

function reachOf(test: string, { first, again }: { readonly first: Asked; readonly again: Asked }, from: number, count: number): Reach {
  const own = (asked: Asked) => new Map(asked.flatMap(([mutant, times]) => (mutant >= from && mutant < from + count ? [[mutant - from, times]] : [])));
  const [before, after] = [own(first), own(again)];
  return {
    test,
    mutants: new Set(before.keys()),
    lasting: new Set([...before].flatMap(([mutant, times]) => (after.get(mutant) === times ? [] : [mutant]))),
    questions: [...before.values()].reduce((sum, times) => sum + times, 0),
  };
}
