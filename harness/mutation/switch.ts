/**
 * Answers the question of instrumented modules. Loaded before everything else (`node --import`), also into programs that a test starts: there
 * the mutant lives that lives here.
 */
import { endlessExitCode, lives, nobody, question, type Asked } from './question.js';

let living = Number(process.env[lives] ?? nobody);
let questionsLeft = Infinity;

function answer(mutant: number): boolean {
  if (--questionsLeft < 0) process.exit(endlessExitCode);
  return mutant === living;
}

function putInPlace(respond: (mutant: number) => boolean): void {
  Object.assign(globalThis, { [question]: respond });
}

putInPlace(answer);

/** From now on `mutant` is the one that lives; the program ends when it is asked about any mutant more often than `questionsMax` times. */
export function letLive(mutant: number, questionsMax = Infinity): void {
  living = mutant;
  questionsLeft = questionsMax;
  process.env[lives] = String(mutant);
}

/** How often each mutant is asked about while `run` runs; none lives meanwhile. */
export async function recordQuestions(run: () => Promise<void>): Promise<Asked> {
  const times = new Map<number, number>();
  letLive(nobody);
  putInPlace((mutant) => {
    times.set(mutant, (times.get(mutant) ?? 0) + 1);
    return false;
  });
  await run();
  putInPlace(answer);
  return [...times];
}
