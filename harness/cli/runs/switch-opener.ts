/** Real switches for the shards of a point of the matrix, whose logs are kept. */
import type { Teardown } from '../../base/concurrency/teardown.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Shard, ShardOptions } from '../../run/shards/shard-options.js';
import type { LogFile } from '../../run/records/run-folder.js';
import type { OvsSwitches } from '../../testbeds/ovs-switches.js';
import { referenceOf } from '../../testbeds/reference.js';
import type { RunSwitches, SwitchSource } from './run-switches.js';

/** How the shards of the point at `index` of all open their switches. */
export interface SwitchOpeners extends Pick<ShardOptions, 'openReference'> {
  readonly openReal: OpenSwitches;
}

type OpenSwitches = (
  plan: ClusterPlan,
  shard: Shard,
  closeSwitches?: (switches: OvsSwitches) => Promise<void>,
) => Promise<OvsSwitches>;

/**
 * @param logs what the daemons wrote is put there once a shard is over:
 *   `point-1/cluster-1/n1/ovs-vswitchd.log`, and `point-1/reference-1/…`.
 */
export function switchOpenersFor(
  index: number,
  { real, reference }: RunSwitches,
  teardown: Teardown,
  logs: LogFile[],
): SwitchOpeners {
  const opener =
    ({ backend, image }: SwitchSource, role: 'cluster' | 'reference'): OpenSwitches =>
    async (plan, shard, closeSwitches = (switches) => switches.close()) => {
      const switches = await backend.open(plan, image, { teardown });
      return {
        ...switches,
        close: async () => {
          await closeSwitches(switches);
          logs.push(
            ...(await switches.logs()).map((log) => ({
              ...log,
              name: `point-${index + 1}/${role}-${shard.index + 1}/${log.name}`,
            })),
          );
        },
      };
    };
  if (reference === undefined) return { openReal: opener(real, 'cluster') };
  const openReference = opener(reference, 'reference');
  return {
    openReal: opener(real, 'cluster'),
    openReference: async (plan, _, shard) => referenceOf(await openReference(plan, shard), plan),
  };
}
