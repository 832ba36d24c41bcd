/**
 * Loaded before a test file (`node --import`): answers the question of instrumented modules. Either one mutant lives, or none does and
 * it is written down which were asked about. A program that a test starts is told the same, by its environment.
 */
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { question } from './instrument.js';

/** What the environment says. */
export const variables = { lives: 'FLOWBED_MUTANT', questionsMax: 'FLOWBED_MUTANT_QUESTIONS', asked: 'FLOWBED_MUTANTS_ASKED' } as const;

/** What a program leaves in the file that `asked` names, as one line of JSON. */
export interface Asked {
  readonly mutants: readonly number[];
  /** How often it asked at all. */
  readonly questions: number;
}

/** How a program ends that asks much more often than without the mutant: it would never end. */
export const endlessExitCode = 97;

const { [variables.asked]: askedFile, [variables.lives]: lives, [variables.questionsMax]: questionsMax } = process.env;
let questions = 0;

function recorder(file: string): (mutant: number) => boolean {
  const mutants = new Set<number>();
  process.on('exit', () => {
    const asked: Asked = { mutants: [...mutants], questions };
    appendFileSync(file, `${JSON.stringify(asked)}\n`);
  });
  return (mutant) => {
    questions++;
    mutants.add(mutant);
    return false;
  };
}

function answerer(living: number, max: number): (mutant: number) => boolean {
  return (mutant) => {
    if (++questions > max) process.exit(endlessExitCode);
    return mutant === living;
  };
}

// Properties draw the same examples every time, so that a mutant lives or dies for good; the first that fails will do.
fc.configureGlobal({ seed: 1, endOnFailure: true });
Object.assign(globalThis, { [question]: askedFile === undefined ? answerer(Number(lives ?? -1), Number(questionsMax ?? Infinity)) : recorder(askedFile) });
