/**
 * Rounds of the revalidators, which push what cached packets have counted, look the cache through,
 * and are what expiry of flows waits for (Open vSwitch ofproto/ofproto-dpif-upcall.c,
 * udpif_revalidator; ofproto-dpif.c, run). By themselves they come some time after a change.
 */
import type { Unixctl } from '../../../ovs/unixctl.js';
import { oneMainLoopIteration } from './main-loop.js';

export interface Revalidation {
  /**
   * Resolves when so many whole rounds that began now are over, one after the other, and their
   * consequences are applied.
   */
  rounds(count: 1 | 2): Promise<void>;
}

export function revalidationOf({ call }: Unixctl): Revalidation {
  return {
    rounds: async (count) => {
      await Promise.all(Array.from({ length: count }, () => wholeRound(call)).flat());
    },
  };
}

/**
 * The main loop waits for revalidators to stop, which they do at the beginning of a round, and then
 * resumes them. So the round at which they stop first is over where they stop again. In its next
 * iteration the main loop applies the consequences, and what those lead to in the one behind it.
 * Nothing of it waits for an answer, so it is sent in one piece.
 */
function wholeRound(call: Unixctl['call']): readonly Promise<unknown>[] {
  return [
    call('revalidator/pause'),
    call('revalidator/resume'),
    call('revalidator/pause'),
    call('revalidator/resume'),
    oneMainLoopIteration(call),
    oneMainLoopIteration(call),
  ];
}
