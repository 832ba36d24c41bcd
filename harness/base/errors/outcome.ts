import type { Unavailable } from './errors.js';
import { refusedByMachine } from './machine-refusal.js';

/** The environment's failures as values, on the way to `inconclusive`. */
export type Outcome<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'unavailable'; readonly cause: Unavailable };

/**
 * Runs `work`; what the environment fails at (`refusedByMachine`) becomes a value, everything else
 * (bugs, bad input) propagates.
 */
export async function attempt<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'ok', value: await work() };
  } catch (error) {
    const cause = refusedByMachine(error);
    if (cause !== undefined) return { kind: 'unavailable', cause };
    throw error;
  }
}
