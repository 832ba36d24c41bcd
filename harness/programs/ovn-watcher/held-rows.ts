/** What the northbound database holds of ports and policies. */
import { dropGroup, keys, owner } from '../../control/ovn-cni/names.js';
import type { AttachedPort } from '../../control/ovn-cni/policy-acls.js';
import { map } from '../../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Ovsdb, Row } from '../../ovs/ovsdb/ovsdb.js';
import { mapIn, setIn, uuidIn } from '../ovn-cni/databases.js';
import { portOf } from '../ovn-cni/node-network.js';

export interface Held {
  readonly ports: readonly AttachedPort[];
  readonly drop: Row | undefined;
  readonly groups: readonly Row[];
  readonly sets: readonly Row[];
  /** Matches of ACLs by their UUIDs. */
  readonly matches: ReadonlyMap<string, string>;
}

export async function readHeld(ovsdb: Ovsdb): Promise<Held> {
  const where = [['external_ids', 'includes', map({ [keys.owner]: owner })]] as const;
  const select = (table: string, columns: readonly string[]): Operation => ({
    op: 'select',
    table,
    where,
    columns: ['_uuid', ...columns],
  });
  const [ports = [], groups = [], sets = [], acls = []] = await ovsdb.transact([
    select('Logical_Switch_Port', ['name', 'addresses', 'external_ids']),
    select('Port_Group', ['name', 'ports', 'acls', 'external_ids']),
    select('Address_Set', ['name', 'addresses', 'external_ids']),
    select('ACL', ['match']),
  ]);
  const drop = groups.find(({ name }) => name === dropGroup);
  const attached = new Set(setIn(drop, 'ports').map((value) => JSON.stringify(value)));
  return {
    ports: ports.flatMap((row) =>
      attached.has(JSON.stringify(row['_uuid'])) ? attachedPort(row) : [],
    ),
    drop,
    groups,
    sets,
    matches: new Map(acls.map((row) => [uuidIn(row), String(row['match'])])),
  };
}

function attachedPort(row: Row): readonly AttachedPort[] {
  const ids = mapIn(row, 'external_ids');
  const [namespace, pod, uid] = [ids.get(keys.namespace), ids.get(keys.pod), ids.get(keys.uid)];
  const port = portOf(row);
  if (namespace === undefined || pod === undefined || port === undefined) return [];
  return [
    {
      uuid: port.uuid,
      name: String(row['name']),
      ip: port.ip,
      namespace,
      pod,
      ...(uid === undefined ? {} : { uid }),
    },
  ];
}
