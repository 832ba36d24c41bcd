/** What instrumented modules, the programs that load them and whoever starts these programs agree on. */

/** What instrumented modules call: whether the mutant with this number is the one that lives. */
export const question = 'flowbedMutantLives';

/** Stands for a mutant where none lives. */
export const nobody = -1;

/** Of the environment: the mutant that lives from the start of a program. */
export const lives = 'FLOWBED_MUTANT';

/** What a program is asked to do: to play a test file, or to play it twice without a mutant and tell what it asks. */
export type Request =
  | { readonly kind: 'play'; readonly file: string; readonly mutant: number; readonly questionsMax: number }
  | { readonly kind: 'record'; readonly file: string };

/**
 * `spoilt`: a test failed, and fails without the mutant too, since something in the program is no longer as it was.
 * `asked` is how often each mutant was asked about, when the file was loaded and played for the first time, and when it was played again.
 */
export type Answer =
  | { readonly kind: 'passed' | 'failed' | 'spoilt' }
  | { readonly kind: 'asked'; readonly first: Asked; readonly again: Asked };

export type Asked = readonly (readonly [mutant: number, times: number])[];

/** How a program ends that asks much more often than without the mutant: it would never end. */
export const endlessExitCode = 97;
