/** What ovn-controller has programmed a bridge with, as a plan of origin `dumped`. */
import type { BridgePlan } from '../domain/plan/cluster-plan.js';
import type { Image } from '../ovs/process/image.js';
import { openOfctl } from '../ovs/openflow/ofctl.js';
import type { Vswitch } from '../ovs/vswitch.js';

export type DumpedBridge = Pick<
  BridgePlan,
  'flows' | 'groups' | 'meters' | 'tunnelOptions' | 'sources'
>;

/**
 * Flows, groups and meters of a bridge in an order of their own, whatever order the switch printed
 * them in, and what its tunnel options stand for (ovs-ofctl(8), "dump-tlv-map").
 * @throws Unavailable when the switch does not answer.
 */
export async function dumpBridge(
  image: Image,
  { dir }: Vswitch,
  bridge: string,
): Promise<DumpedBridge> {
  const ofctl = openOfctl(image, dir);
  const [dump] = await ofctl.dump([bridge]);
  const tlvMap = await ofctl.run(bridge, 'dump-tlv-map');
  return {
    flows: (dump?.flows ?? []).toSorted(),
    groups: (dump?.groups ?? []).toSorted(),
    meters: (dump?.meters ?? []).toSorted(),
    tunnelOptions: tunnelOptionsIn(tlvMap),
  };
}

/** A line each: `0x102   0x80   4   tun_metadata0`. */
export function tunnelOptionsIn(tlvMap: string): readonly string[] {
  const line = /^\s*(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+(\d+)\s+(tun_metadata\d+)\s*$/gm;
  return [...tlvMap.matchAll(line)].map(
    ([, optionClass, type, length, field]) =>
      `{class=${optionClass},type=${type},len=${length}}->${field}`,
  );
}
