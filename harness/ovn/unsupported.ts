/**
 * What rows ask for that this version of OVN does not do, and passes over: seen in what ovn-northd
 * has compiled from them, not in a list of versions.
 */
import type { NorthboundRow } from '../domain/plan/northbound-plan.js';
import { unsupportedByOvn } from './northbound/unsupported-by-ovn.js';
import type { Zone } from './zone.js';

/**
 * @throws Unavailable, `unsupported by OVN 23.03.1: arp_proxy with MAC (switch port stor-n1)`, once
 *   northd is done with the rows.
 */
export async function refuseUnsupported(
  { south, northd }: Zone,
  rows: readonly NorthboundRow[],
): Promise<void> {
  const wanted = rows.flatMap(({ id, columns: { options } }) => {
    const proxy = typeof options === 'object' && 'map' in options ? options.map['arp_proxy'] : '';
    const [mac] = /^([0-9a-f]{2}:){5}[0-9a-f]{2}\b/i.exec(proxy ?? '') ?? [];
    return mac === undefined ? [] : [{ id, mac: mac.toLowerCase() }];
  });
  if (wanted.length === 0) return;
  const [flows = []] = await south.ovsdb.transact([
    { op: 'select', table: 'Logical_Flow', where: [], columns: ['actions'] },
  ]);
  const actions = flows.map((flow) => String(flow['actions']).toLowerCase());
  for (const { id, mac } of wanted)
    if (!actions.some((text) => text.includes(mac)))
      throw unsupportedByOvn(northd.version, `arp_proxy with MAC (${id})`);
}
