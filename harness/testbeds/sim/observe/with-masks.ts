import { withOptionMasks } from '../../../ovs/openflow/option-masks.js';
import type { BridgeDump, Ofctl } from '../../../ovs/openflow/ofctl.js';
import type { Unixctl } from '../../../ovs/unixctl.js';

/** Dumps with the masks of tunnel options: what is brought back from one matches as before. */
export function withMasksOf(ofctl: Ofctl, unixctl: Pick<Unixctl, 'call'>): Ofctl {
  const masked = async (held: BridgeDump, bridge: string): Promise<BridgeDump> =>
    held.flows.some((flow) => flow.includes('tun_metadata'))
      ? {
          ...held,
          flows: withOptionMasks(held.flows, await unixctl.call('bridge/dump-flows', bridge)),
        }
      : held;
  return {
    ...ofctl,
    dump: async (bridges) => {
      const dumps = await ofctl.dump(bridges);
      return await Promise.all(dumps.map((held, index) => masked(held, bridges[index] ?? '')));
    },
  };
}
