import { letTimePass, withDeadline } from './deadline.js';
import { Unavailable } from '../errors/errors.js';
import { isInWorld } from '../world.js';

/** After so many answers in a world where asking takes no time, time is what is missing. */
const patience = 100;

/**
 * Waits until `ask` finds nothing left to wait for. It asks a daemon each time, and each answer is
 * a round trip in which the daemon gets on with its work: there is no pause in between.
 * @param ask what is still missing, one line each.
 * @throws Unavailable naming `what` and the lines of the last answer after `limitMs`.
 */
export async function until(
  what: string,
  limitMs: number,
  ask: () => Promise<readonly string[]>,
): Promise<void> {
  let missing: readonly string[] = [];
  let waiting = true;
  const asking = async () => {
    try {
      for (let asked = 1; ; asked++) {
        missing = await ask();
        if (!waiting || missing.length === 0) break;
        if (asked >= patience && isInWorld()) await letTimePass();
      }
    } catch (error) {
      // who cannot be asked any more says why: what was missing before is not the reason
      missing = [];
      throw error;
    }
  };
  try {
    await withDeadline(asking(), limitMs, what);
  } catch (error) {
    if (error instanceof Unavailable && missing.length > 0)
      throw new Unavailable([error.message, ...missing].join('; '), error.remedies, error.evidence);
    throw error;
  } finally {
    waiting = false;
  }
}
