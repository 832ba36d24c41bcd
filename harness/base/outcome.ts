import { Unavailable } from './errors.js';

/** The environment's failures as values, on the way to `inconclusive`. */
export type Outcome<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'unavailable'; readonly cause: Unavailable };

/** Runs `work`; an `Unavailable` becomes a value, everything else (bugs, bad input) goes on up. */
export async function attempt<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'ok', value: await work() };
  } catch (error) {
    if (error instanceof Unavailable) return { kind: 'unavailable', cause: error };
    throw error;
  }
}
