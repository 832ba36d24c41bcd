/**
 * Loaded before a test file (`node --import`): answers the question of instrumented modules. Either one mutant lives, or none does and
 * it is written down which were asked about. A program that a test starts is told the same, by its environment.
 */
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { endlessExitCode, question, variables, type Asked } from './question.js';

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
