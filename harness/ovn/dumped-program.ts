/** What ovn-controller has programmed a bridge with, as a plan of origin `dumped`. */
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { Image } from '../ovs/process/image.js';
import type { TlvMap } from '../openflow/syntax/form.js';
import { parseTlvMap, printTlvMap } from '../openflow/syntax/tlv-map.js';
import { withOptionMasks } from '../ovs/openflow/option-masks.js';
import { openOfctl } from '../ovs/openflow/ofctl.js';
import type { Vswitch } from '../ovs/vswitch.js';

export type DumpedBridge = Pick<
  BridgePlan,
  'flows' | 'groups' | 'meters' | 'tunnelOptions' | 'sources' | 'dns' | 'announcements'
>;

/**
 * Flows, groups and meters of a bridge in an order of their own, whatever order the switch printed
 * them in, and what its tunnel options stand for (ovs-ofctl(8), "dump-tlv-map").
 * @param shown what `bridge/dump-flows` prints of it, where that is known.
 * @throws Unavailable when the switch does not answer.
 */
export async function dumpBridge(
  image: Image,
  { dir, vswitchd }: Vswitch,
  bridge: string,
  shown?: string,
): Promise<DumpedBridge> {
  const ofctl = openOfctl(image, dir);
  const [dump] = await ofctl.dump([bridge]);
  const tlvMap = await ofctl.dumpTlvMap(bridge);
  return {
    flows: withOptionMasks(
      dump?.flows ?? [],
      shown ?? (await vswitchd.unixctl.call('bridge/dump-flows', bridge)),
    ).toSorted(),
    groups: (dump?.groups ?? []).toSorted(),
    meters: (dump?.meters ?? []).toSorted(),
    tunnelOptions: tunnelOptionsOf(parseTlvMap(tlvMap, `tlv-map of ${bridge}`)),
  };
}

function tunnelOptionsOf(map: TlvMap): readonly string[] {
  return map.size === 0 ? [] : [printTlvMap(map)];
}
