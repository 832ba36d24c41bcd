/** Chassis of other zones, as a zone's southbound database has them. */
import type { RemoteChassis } from '../domain/plan/northbound-plan.js';
import { map, named, set } from '../ovs/ovsdb/ovsdb-value.js';
import type { Operation } from '../ovs/ovsdb/ovsdb.js';
import type { Zone } from './zone.js';

/**
 * Makes those known that are not yet (ovn-sb(5), Chassis, "other_config : is-remote"): what ovn-ic
 * does between zones, and the control plane where there is none.
 */
export async function addRemoteChassis(
  { south }: Zone,
  chassis: readonly RemoteChassis[],
): Promise<void> {
  const [known = []] = await south.ovsdb.transact([
    { op: 'select', table: 'Chassis', where: [], columns: ['name'] },
  ]);
  const names = new Set(known.map((row) => row['name']));
  const missing = chassis.filter(({ node }) => !names.has(node));
  if (missing.length > 0) await south.ovsdb.transact(missing.flatMap(insertChassis));
}

function insertChassis({ node, encapIp }: RemoteChassis, index: number): readonly Operation[] {
  const encap = `encap${index}`;
  return [
    {
      op: 'insert',
      table: 'Encap',
      'uuid-name': encap,
      row: { type: 'geneve', ip: encapIp, chassis_name: node, options: map({ csum: 'true' }) },
    },
    {
      op: 'insert',
      table: 'Chassis',
      row: {
        name: node,
        hostname: node,
        encaps: set([named(encap)]),
        other_config: map({ 'is-remote': 'true' }),
      },
    },
  ];
}
