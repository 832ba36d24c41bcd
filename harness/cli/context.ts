import type { Teardown } from '../base/concurrency/teardown.js';

/** What every command gets from the process it runs in. */
export interface Context {
  /** One line of a result, on stdout. */
  readonly print: (text: string) => void;
  /**
   * One line about long work, on stderr: replaced by the next on a terminal, a line of its own
   * elsewhere.
   */
  readonly say: (line: string) => void;
  /** One line about what is wrong, on stderr. */
  readonly complain: (line: string) => void;
  /** From now on nothing is printed or said any more: the program is ending. */
  readonly mute: () => void;
  /** Undone when the command has ended; after a signal the supervisor does it (supervise.ts). */
  readonly teardown: Teardown;
  /** Where the project lies: the folder of package.json. */
  readonly root: string;
}

/**
 * Exit codes, as docs and CI rely on them. `bug`: our own, with a stack. After a
 * signal it is 128 + its number, as shells have it.
 */
export const exitCodes = {
  conforms: 0,
  diverges: 1,
  badRequest: 2,
  inconclusive: 3,
  bug: 70,
} as const;
