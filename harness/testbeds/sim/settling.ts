/** What packets and time lead to inside of a switch some while later, brought about at once. */
import type { Vswitch } from '../../ovs/vswitch.js';
import type { Counting } from './counting.js';
import type { Programs } from './programs.js';
import type { Revalidation } from './revalidation.js';

/**
 * `brought back`: a reset makes flows and groups what they were, whatever packets, time and changes have done to them. `replaced`: whoever plays
 * replaces them before each reset, so that nothing is kept of them, and does without what is cached: where flows remember, it is thrown away.
 */
export type ProgramUse = 'brought back' | 'replaced';

export interface Settling {
  /** What cached packets count, learn and keep from expiring counts now, where flows depend on it: a change would otherwise come before it. */
  now(): Promise<void>;
  /** The same where learned addresses depend on it, which age: before time passes. */
  beforeTime(): Promise<void>;
  /** What time is over for is gone. */
  afterTime(): Promise<void>;
}

export function settlingOf(use: ProgramUse, programs: Programs, { purge }: Counting, revalidation: Revalidation, { whileAlive }: Vswitch): Settling {
  if (use === 'replaced') {
    // With nothing cached there is nothing to be looked through, and the end of any round makes flows expire.
    const expire = async () => {
      await whileAlive(revalidation.end());
      await purge();
    };
    return {
      now: async () => {
        if (programs.isVolatile()) await purge();
        if (programs.ends()) await expire();
      },
      beforeTime: async () => void (programs.isTimed() && (await purge())),
      afterTime: async () => void (programs.isTimed() && (await expire())),
    };
  }
  const inTime = async () => void (programs.isTimed() && (await whileAlive(revalidation.round())));
  return {
    now: async () => void (programs.isVolatile() && (await whileAlive(revalidation.round()))),
    beforeTime: inTime,
    afterTime: async () => {
      await inTime();
      await inTime(); // what is gone is in the cache until another round
    },
  };
}
