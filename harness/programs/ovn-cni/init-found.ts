/** What of a node's network is there before `init`, and what has to be unchanged when it writes. */
import { InputError } from '../../base/errors/errors.js';
import { dropGroup, passGroup, switchPortOf } from '../../control/ovn-cni/names.js';
import type { Operation, Row } from '../../ovs/ovsdb/ovsdb.js';
import type { Database } from './databases.js';

export interface InitRequest {
  readonly node: string;
  /** `10.10.1.0/24` */
  readonly subnet: string;
  readonly router: string;
}

export interface Found {
  readonly routers: readonly Row[];
  readonly switches: readonly Row[];
  /** All ports of routers, and all of switches that lead to routers. */
  readonly routerPorts: readonly Row[];
  readonly switchPorts: readonly Row[];
  readonly groups: readonly Row[];
}

export async function readFound(
  { ovsdb }: Database,
  { node, router }: InitRequest,
): Promise<Found> {
  const select = (
    table: string,
    where: Extract<Operation, { op: 'select' }>['where'],
    columns: readonly string[],
  ): Operation => ({ op: 'select', table, where, columns: ['_uuid', ...columns] });
  const [routers = [], switches = [], routerPorts = [], switchPorts = [], groups = []] =
    await ovsdb.transact([
      select('Logical_Router', [['name', '==', router]], ['name', 'ports']),
      select('Logical_Switch', [['name', '==', node]], ['name', 'ports', 'external_ids']),
      select('Logical_Router_Port', [], ['name', 'networks']),
      select('Logical_Switch_Port', [['name', '==', switchPortOf(node)]], ['name', 'options']),
      select('Port_Group', [], ['name']),
    ]);
  const found = { routers, switches, routerPorts, switchPorts, groups };
  refuseContradictions(found, { node, router });
  return found;
}

function refuseContradictions(
  { routers, switches }: Found,
  { node, router }: Pick<InitRequest, 'node' | 'router'>,
): void {
  for (const [what, rows, name] of [
    ['logical routers', routers, router],
    ['logical switches', switches, node],
  ] as const)
    if (rows.length > 1)
      throw new InputError(
        `the northbound database has ${rows.length} ${what} called "${name}": it is unknown ` +
          'which is meant',
      );
}

/** Nobody has changed what was read: else it is read again. */
export function asRead(found: Found, { node, router }: InitRequest): readonly Operation[] {
  const same = (table: string, name: string, rows: readonly Row[], columns: readonly string[]) =>
    ({
      op: 'wait',
      table,
      where: [['name', '==', name]],
      columns,
      until: '==',
      rows: rows.map((row) =>
        Object.fromEntries(columns.map((column) => [column, row[column] ?? ''])),
      ),
      timeout: 0,
    }) as const;
  return [
    same('Logical_Router', router, found.routers, ['name', 'ports']),
    same('Logical_Switch', node, found.switches, ['name', 'ports', 'external_ids']),
    ...[dropGroup, passGroup].map((group) =>
      same(
        'Port_Group',
        group,
        found.groups.filter(({ name }) => name === group),
        ['name'],
      ),
    ),
  ];
}
