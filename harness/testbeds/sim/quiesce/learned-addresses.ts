/**
 * What a bridge learns by NORMAL from packets changes the ways of others that are cached. A
 * revalidator that has begun a round less than 5 ms ago puts the next one off for so long (Open
 * vSwitch ofproto/ofproto-dpif-upcall.c, udpif_revalidator), and where the clock is stopped, or
 * computing takes no time, these never pass.
 */
import type { Unixctl } from '../../../ovs/unixctl.js';

export interface LearnedAddresses {
  /** Asks how many were learned; the others go by the last answer. */
  query(): Promise<void>;
  /** Packets may have taught some: if so, waits until the switch has revalidated its cache. */
  revalidateIfChanged(): Promise<void>;
  /** How often one that was known has moved, or is no more, by the last answer. */
  moved(): string;
}

/** @param bridges those that learn. @param round as of `neighboursOf`. */
export function learnedAddressesOf(
  bridges: () => readonly string[],
  { call }: Unixctl,
  round: () => Promise<void>,
): LearnedAddresses {
  let [known, seen, moved] = ['', '', ''];
  return {
    query: async () => {
      const stats = await Promise.all(bridges().map((bridge) => call('fdb/stats-show', bridge)));
      seen = stats.map(changesIn).join();
      moved = stats.map(movesIn).join();
    },
    moved: () => moved,
    revalidateIfChanged: async () => {
      if (known === seen) return;
      known = seen;
      await round();
    },
  };
}

/** How many addresses a bridge has ever learned, and moved (ovs-vswitchd(8), fdb/stats-show). */
export function changesIn(stats: string): string {
  return countsIn(stats, /^ *Total number of (?:learned|port moved) MAC entries *: (\d+)$/gm);
}

/** How many of those it had have expired, made room for others, or moved, from the same. */
export function movesIn(stats: string): string {
  return countsIn(
    stats,
    /^ *Total number of (?:expired|evicted|port moved) MAC entries *: (\d+)$/gm,
  );
}

function countsIn(stats: string, counts: RegExp): string {
  return [...stats.matchAll(counts)].map(([, count]) => count).join(' ');
}
