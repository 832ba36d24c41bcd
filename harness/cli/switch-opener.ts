/** Real switches for the lanes of a point of the matrix, whose logs are kept. */
import type { Teardown } from '../base/concurrency/teardown.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Image } from '../ovs/process/image.js';
import type { Shard } from '../run/shards.js';
import type { LogFile } from '../run/run-folder.js';
import { openSim, type Sim } from '../testbeds/sim/sim.js';

/**
 * Brings up switches for lanes of the point at `index` of all.
 * @param logs what the daemons wrote is put there once a lane is over:
 *   `point-1/cluster-1/n1/ovs-vswitchd.log`.
 */
export function switchOpenerFor(
  index: number,
  image: Image,
  teardown: Teardown,
  logs: LogFile[],
): (plan: ClusterPlan, shard: Shard, closeSwitches?: (sim: Sim) => Promise<void>) => Promise<Sim> {
  return async (plan, shard, closeSwitches = (sim) => sim.close()) => {
    const sim = await openSim(plan, image, { teardown });
    return {
      ...sim,
      close: async () => {
        await closeSwitches(sim);
        logs.push(
          ...(await sim.logs()).map((log) => ({
            ...log,
            name: `point-${index + 1}/cluster-${shard.index + 1}/${log.name}`,
          })),
        );
      },
    };
  };
}
