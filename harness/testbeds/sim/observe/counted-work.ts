/** What a datapath in ovs-vswitchd counts of its own work. */
import type { CountedWork } from '../../../domain/work.js';
import type { Unixctl } from '../../../ovs/unixctl.js';
import { parseLookups } from '../quiesce/conservation.js';

/** Undefined where packets are switched in the kernel, which counts none of it. */
export async function countedWorkOf(call: Unixctl['call']): Promise<CountedWork | undefined> {
  const [shown, stats] = await Promise.all([
    call('dpctl/show', '-s'),
    call('dpif-netdev/pmd-stats-show'),
  ]);
  const { hit, missed } = parseLookups(shown);
  const recirculations = parseRecirculations(stats);
  return recirculations === undefined
    ? undefined
    : { lookups: hit + missed, recirculations, upcalls: missed };
}

/**
 * How many groups of cached flows, one a mask, its lookups went through, by all threads
 * (dpif-netdev(7)): it says how many there were for each that was found, to a hundredth.
 */
export function parseProbes(stats: string): number {
  const numbers = (name: string) =>
    [...stats.matchAll(new RegExp(`^ {2}${name}: ([\\d.]+)$`, 'gm'))].map(([, one]) => Number(one));
  const found = numbers('megaflow hits');
  const each = numbers('avg\\. subtable lookups per megaflow hit');
  return found.reduce((sum, hits, thread) => sum + hits * (each[thread] ?? 0), 0);
}

/** Of all threads of the datapath (dpif-netdev(7)); undefined where there is none. */
export function parseRecirculations(stats: string): number | undefined {
  const found = [...stats.matchAll(/^ {2}packet recirculations: (\d+)$/gm)];
  return found.length === 0 ? undefined : found.reduce((sum, [, count]) => sum + Number(count), 0);
}
