/** What instrumented modules, the programs that load them and whoever starts these programs agree on. */

/** What instrumented modules call: whether the mutant with this number, its place in the module's list, is the one that lives. */
export const question = 'flowbedMutantLives';

/** Of the environment: which mutant lives and how many questions may be asked, or the file in which to write what was asked. */
export const variables = { lives: 'FLOWBED_MUTANT', questionsMax: 'FLOWBED_MUTANT_QUESTIONS', asked: 'FLOWBED_MUTANTS_ASKED' } as const;

/** What a program leaves in the file that `asked` names, as one line of JSON. */
export interface Asked {
  readonly mutants: readonly number[];
  /** How often it asked at all. */
  readonly questions: number;
}

/** How a program ends that asks much more often than without the mutant: it would never end. */
export const endlessExitCode = 97;
