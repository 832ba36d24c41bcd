/** V8's optimizing compiler (`node --v8-options`). */
import { setFlagsFromString } from 'node:v8';

/**
 * It begins later with a function than by itself: in eight times as much of its code that has run.
 * Runs call much code a little, and most are over before it has paid.
 */
export const optimizingLater = '--interrupt-budget=540000';

/** For this process, from now on. */
export function optimizeLater(): void {
  setFlagsFromString(optimizingLater);
}
