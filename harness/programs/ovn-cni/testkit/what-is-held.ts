/** All that containers have in the databases: logical ports, ports of bridges, held addresses. */
import { assert } from '../../../base/errors/errors.js';
import { map } from '../../../ovs/ovsdb/ovsdb-value.js';
import type { Ovsdb, Row } from '../../../ovs/ovsdb/ovsdb.js';
import { keys, owner } from '../../../control/ovn-cni/names.js';

export interface Held {
  readonly ports: readonly string[];
  readonly interfaces: readonly string[];
  /** Address and holder; those that were released are not held. */
  readonly held: readonly (readonly [string, string])[];
}

export async function whatIsHeld(northbound: Ovsdb, vswitch: Ovsdb, node: string): Promise<Held> {
  const [ports = [], switches = []] = await northbound.transact([
    { op: 'select', table: 'Logical_Switch_Port', where: [], columns: ['name'] },
    {
      op: 'select',
      table: 'Logical_Switch',
      where: [['name', '==', node]],
      columns: ['external_ids'],
    },
  ]);
  const [interfaces = []] = await vswitch.transact([
    {
      op: 'select',
      table: 'Interface',
      where: [['external_ids', 'includes', map({ [keys.owner]: owner })]],
      columns: ['name'],
    },
  ]);
  const ids = switches[0]?.['external_ids'];
  assert(Array.isArray(ids), 'external_ids are a map');
  const held = (ids[1] as [string, string][]).filter(([, by]) => by !== 'released').sort();
  return { ports: names(ports), interfaces: names(interfaces), held };
}

function names(rows: readonly Row[]): readonly string[] {
  return rows.map((row) => String(row['name'])).sort();
}
