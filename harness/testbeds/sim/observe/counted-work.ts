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

/** Of all threads of the datapath (dpif-netdev(7)); undefined where there is none. */
export function parseRecirculations(stats: string): number | undefined {
  const found = [...stats.matchAll(/^ {2}packet recirculations: (\d+)$/gm)];
  return found.length === 0 ? undefined : found.reduce((sum, [, count]) => sum + Number(count), 0);
}
