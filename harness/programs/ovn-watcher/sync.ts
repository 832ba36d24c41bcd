/** Brings the northbound database to what is wanted, in one transaction. */
import {
  dropGroup,
  dropOutGroup,
  keys,
  owner,
  passGroup,
  passOutGroup,
  priorities,
} from '../../control/ovn-cni/names.js';
import {
  wantedRows,
  type PolicyGroup,
  type WantedRows,
} from '../../control/ovn-cni/policy-rows.js';
import type { Enforced, WatchedObjects } from '../../control/ovn-cni/watched-objects.js';
import { map, named, set } from '../../ovs/ovsdb/ovsdb-value.js';
import type { Operation, Ovsdb, Row } from '../../ovs/ovsdb/ovsdb.js';
import { mapIn, setIn, uuid } from '../ovn-cni/databases.js';
import { nextMark } from '../ovn-cni/logical-port.js';
import { readHeld, type Held } from './held-rows.js';

/** The lock that whoever writes policies holds: of two watchers one waits. */
export const watcherLock = 'ovn_cni_watcher';

/**
 * Computes what is wanted and writes what differs. Where a port came or went meanwhile, all of it
 * is computed again: no rule is written for who has left, and no port is opened by what was wanted
 * for another.
 */
export async function synchronize(
  ovsdb: Ovsdb,
  objects: WatchedObjects,
  enforced: Enforced,
): Promise<WantedRows> {
  for (;;) {
    const held = await readHeld(ovsdb);
    const wanted = wantedRows(objects, held.ports, enforced);
    const operations = changes(wanted, held);
    if (operations.length === 0) return wanted;
    const results = await ovsdb.attempt([
      { op: 'assert', lock: watcherLock },
      samePorts(held),
      ...operations,
      ...nextMark,
    ]);
    if (results !== 'unmet') return wanted;
  }
}

function samePorts({ drop }: Held): Operation {
  return {
    op: 'wait',
    table: 'Port_Group',
    where: [['name', '==', dropGroup]],
    columns: ['name', 'ports'],
    until: '==',
    rows: drop === undefined ? [] : [{ name: dropGroup, ports: drop['ports'] ?? set([]) }],
    timeout: 0,
  };
}

function changes(wanted: WantedRows, held: Held): readonly Operation[] {
  const pass = held.groups.find(({ name }) => name === passGroup);
  const ofPolicies = held.groups.filter((row) => mapIn(row, 'external_ids').has(keys.policy));
  const names = new Set(wanted.groups.map(({ name }) => name));
  return [
    ...changedPorts(pass, passGroup, wanted.pass),
    ...changedOut(wanted, held),
    ...wanted.groups.flatMap((group) =>
      changedGroup(
        group,
        ofPolicies.find(({ name }) => name === group.name),
        held.matches,
      ),
    ),
    ...ofPolicies.flatMap((row) =>
      names.has(String(row['name'])) ? [] : [deleted('Port_Group', String(row['name']))],
    ),
    ...changedSets(wanted.sets, held.sets),
  ];
}

/** The two groups of what ports send: there where Egress is enforced, and gone where it is not. */
function changedOut({ passOut }: WantedRows, { drop, groups }: Held): readonly Operation[] {
  const dropped = setIn(drop, 'ports').map((value) =>
    Array.isArray(value) ? String(value[1]) : '',
  );
  return (
    [
      [dropOutGroup, 'drop', priorities.drop, dropped],
      [passOutGroup, 'allow-related', priorities.pass, passOut ?? []],
    ] as const
  ).flatMap(([name, action, priority, ports]): readonly Operation[] => {
    const row = groups.find((one) => one['name'] === name);
    if (passOut === undefined) return row === undefined ? [] : [deleted('Port_Group', name)];
    if (row !== undefined) return changedPorts(row, name, ports);
    const ids = map({ [keys.owner]: owner });
    return [
      {
        op: 'insert',
        table: 'ACL',
        'uuid-name': `${name}_acl`,
        row: {
          match: `inport == @${name} && ip`,
          action,
          direction: 'from-lport',

          priority,
          external_ids: ids,
        },
      },
      {
        op: 'insert',
        table: 'Port_Group',
        row: {
          name,
          ports: set(ports.map(uuid)),
          acls: named(`${name}_acl`),
          external_ids: ids,
        },
      },
    ];
  });
}

function changedPorts(
  row: Row | undefined,
  name: string,
  ports: readonly string[],
): readonly Operation[] {
  const before = setIn(row, 'ports').map((value) => JSON.stringify(value));
  if (
    sameTexts(
      before,
      ports.map((one) => JSON.stringify(uuid(one))),
    )
  )
    return [];
  return [updated('Port_Group', name, { ports: set(ports.map(uuid)) })];
}

function changedGroup(
  { name, policy, ports, acls: wanted }: PolicyGroup,
  row: Row | undefined,
  matchOf: ReadonlyMap<string, string>,
): readonly Operation[] {
  const ids = map({ [keys.owner]: owner, [keys.policy]: policy });
  const acls = wanted.map(
    ({ direction, match }, index): Operation => ({
      op: 'insert',
      table: 'ACL',
      'uuid-name': `${name}_acl_${index}`,
      row: {
        match,
        direction,
        action: 'allow-related',

        priority: priorities.policy,
        external_ids: ids,
      },
    }),
  );
  const references = set(wanted.map((_, index) => named(`${name}_acl_${index}`)));
  if (row === undefined)
    return [
      ...acls,
      {
        op: 'insert',
        table: 'Port_Group',
        row: { name, ports: set(ports.map(uuid)), acls: references, external_ids: ids },
      },
    ];
  const before = setIn(row, 'acls').map(
    (value) => matchOf.get(Array.isArray(value) ? String(value[1]) : '') ?? '',
  );
  return [
    ...changedPorts(row, name, ports),
    ...(sameTexts(
      before,
      wanted.map(({ match }) => match),
    )
      ? []
      : [...acls, updated('Port_Group', name, { acls: references })]),
  ];
}

function changedSets(wanted: WantedRows['sets'], held: readonly Row[]): readonly Operation[] {
  const rowOf = new Map(held.map((row) => [String(row['name']), row]));
  return [
    ...[...wanted].flatMap(([name, addresses]): readonly Operation[] => {
      const row = rowOf.get(name);
      const ids = map({ [keys.owner]: owner });
      if (row === undefined)
        return [
          {
            op: 'insert',
            table: 'Address_Set',
            row: { name, addresses: set(addresses), external_ids: ids },
          },
        ];
      return sameTexts(setIn(row, 'addresses').map(String), addresses)
        ? []
        : [updated('Address_Set', name, { addresses: set(addresses) })];
    }),
    ...[...rowOf.keys()].flatMap((name) =>
      wanted.has(name) ? [] : [deleted('Address_Set', name)],
    ),
  ];
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify([...one].sort()) === JSON.stringify([...other].sort());
}

function updated(table: string, name: string, row: Row): Operation {
  return { op: 'update', table, where: [['name', '==', name]], row };
}

function deleted(table: string, name: string): Operation {
  return { op: 'delete', table, where: [['name', '==', name]] };
}
