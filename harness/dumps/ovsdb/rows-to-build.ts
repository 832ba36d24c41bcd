/** The rows of a dump as a testbed can have them: as they are, with dummy devices. */
import type { DumpedColumn, DumpedRow } from '../../domain/plan/dumped-node.js';
import { columns } from './columns.js';
import { isMade, mapOf, oneOf, setOf, type Column, type Row } from './database.js';
import { datapathOf } from './database-zones.js';
import { isReference, type NamedRow } from './rows-around.js';

/** All others are about collectors, controllers and managers, which are not there. */
const tables: readonly string[] = [
  ...['Bridge', 'Port', 'Interface', 'Mirror', 'Flow_Table', 'QoS', 'Queue', 'AutoAttach'],
  ...['Datapath', 'CT_Zone', 'CT_Timeout_Policy'],
];

export interface RowsToBuild {
  readonly rows: readonly DumpedRow[];
  /** What is built in the place of what: `p1 is a dummy device: …`. */
  readonly notes: readonly string[];
  readonly activeMembers: readonly (readonly [bond: string, member: string])[];
  /** Names of ports whose links are down. */
  readonly downPorts: readonly string[];
}

/**
 * @param bridges the names of those that are built: a patch port to another one is where packets
 *   leave.
 */
export function rowsToBuild(dumped: readonly NamedRow[], bridges: readonly string[]): RowsToBuild {
  const known = new Set(
    dumped.filter(({ table }) => tables.includes(table)).map(({ uuid }) => uuid),
  );
  const made = new Set(
    dumped.filter(({ table, row }) => table === 'Interface' && isMade(row)).map(({ uuid }) => uuid),
  );
  const owners = bridgesByInterface(dumped);
  const notes: string[] = [];
  const rows = dumped.flatMap(({ table, uuid, row }): readonly DumpedRow[] => {
    const kept = new Map(
      [...row].flatMap(([name, value]) => keptColumn(table, name, value, known)),
    );
    if (table === 'Open_vSwitch')
      return [{ table, uuid, columns: switchColumns(row, kept, dumped) }];
    if (!tables.includes(table)) return [];
    if (table === 'Bridge') return [{ table, uuid, columns: bridgeColumns(row, kept, dumped) }];
    if (table === 'Port')
      kept.set(
        'interfaces',
        setOf(row, 'interfaces').filter((id) => made.has(id)),
      );
    if (table !== 'Interface') return [{ table, uuid, columns: kept }];
    if (!made.has(uuid)) return [];
    const why = whyDummy(row, owners, bridges);
    if (why !== undefined)
      notes.push(`${oneOf(row, 'name')} is a dummy device on the testbed: ${why}`);
    return [{ table, uuid, columns: interfaceColumns(row, kept, why, bridges) }];
  });
  return {
    rows: withoutEmptyPorts(rows),
    notes,
    downPorts: dumped.flatMap(downPort),
    activeMembers: activeMembers(dumped),
  };
}

/** What goes to the switch of a column; references to rows that are not built are left out. */
function keptColumn(
  table: string,
  name: string,
  value: Column,
  known: ReadonlySet<string>,
): readonly (readonly [string, DumpedColumn])[] {
  const meaning = columns[table]?.[name];
  if (meaning === undefined || (meaning.kind === 'irrelevant' && !meaning.isBuilt)) return [];
  const isThere = (text: string) => !isReference(table, name) || known.has(text);
  if (!(value instanceof Map)) {
    const kept = (value as readonly string[]).filter(isThere);
    return table === 'Open_vSwitch' || kept.length === 0 ? [] : [[name, kept]];
  }
  const entries = [...(value as ReadonlyMap<string, string>)].filter(
    ([key, text]) =>
      isThere(text) &&
      (table !== 'Open_vSwitch' || (meaning.kind === 'keys' && meaning.keys[key]?.kind === 'read')),
  );
  return entries.length === 0 ? [] : [[name, new Map(entries)]];
}

/** All bridges are of one datapath on a testbed, whose zones of connections are those dumped. */
function switchColumns(
  row: Row,
  kept: ReadonlyMap<string, DumpedColumn>,
  dumped: readonly NamedRow[],
): ReadonlyMap<string, DumpedColumn> {
  const bridge = dumped.find(({ table }) => table === 'Bridge')?.row ?? new Map();
  const id = datapathOf(row, bridge);
  const others = [...kept].filter(([name]) => name !== 'datapaths');
  return new Map(
    id === undefined ? others : [...others, ['datapaths', new Map([['system', id]])] as const],
  );
}

/** With the address that it had: without one, it takes that of a port. */
function bridgeColumns(
  row: Row,
  kept: ReadonlyMap<string, DumpedColumn>,
  dumped: readonly NamedRow[],
): ReadonlyMap<string, DumpedColumn> {
  const name = oneOf(row, 'name');
  const local = dumped.find(
    (one) => one.table === 'Interface' && oneOf(one.row, 'name') === name,
  )?.row;
  const mac = local === undefined ? undefined : oneOf(local, 'mac_in_use');
  const config = new Map([
    ...(mac === undefined ? [] : [['hwaddr', mac] as const]),
    ...mapOf(row, 'other_config'),
  ]);
  return new Map([...kept, ['datapath_type', ['system']], ['other_config', config]]);
}

/** Names of bridges by the names of their interfaces. */
function bridgesByInterface(dumped: readonly NamedRow[]): ReadonlyMap<string, string> {
  const byUuid = new Map(dumped.map(({ uuid, row }) => [uuid, row]));
  const rowsIn = (row: Row, column: string) =>
    setOf(row, column).flatMap((uuid) => byUuid.get(uuid) ?? []);
  return new Map(
    dumped
      .filter(({ table }) => table === 'Bridge')
      .flatMap(({ row }) =>
        rowsIn(row, 'ports')
          .flatMap((port) => rowsIn(port, 'interfaces'))
          .map((one) => [oneOf(one, 'name') ?? '', oneOf(row, 'name') ?? ''] as const),
      ),
  );
}

/** Undefined where it is built as it is. */
function whyDummy(
  row: Row,
  owners: ReadonlyMap<string, string>,
  bridges: readonly string[],
): string | undefined {
  const [name = '', type = ''] = [oneOf(row, 'name'), oneOf(row, 'type')];
  if (bridges.includes(name) || type === 'internal' || type === 'dummy') return undefined;
  if (type === 'patch') {
    const peer = mapOf(row, 'options').get('peer') ?? '';
    return bridges.includes(owners.get(peer) ?? '')
      ? undefined
      : `its peer ${peer} is on no bridge that is given`;
  }
  if (type === '' || type === 'system') return 'it is a device of the machine that was dumped';
  return mapOf(row, 'options').has('remote_ip')
    ? `what goes into a tunnel (${type}) is seen as it leaves the bridge`
    : `there are no devices of type ${type}`;
}

function interfaceColumns(
  row: Row,
  kept: ReadonlyMap<string, DumpedColumn>,
  why: string | undefined,
  bridges: readonly string[],
): ReadonlyMap<string, DumpedColumn> {
  const asked = new Map(kept);
  for (const reported of ['ofport', 'mac_in_use', 'mtu', 'admin_state', 'link_state'])
    asked.delete(reported);
  const isLocal = bridges.includes(oneOf(row, 'name') ?? '');
  const [ofport, mac, mtu] = ['ofport', 'mac_in_use', 'mtu'].map((name) => oneOf(row, name));
  if (isLocal) asked.delete('ofport_request');
  else if (ofport !== undefined) asked.set('ofport_request', [ofport]);
  // Internal devices alone take one (vswitchd/bridge.c, iface_set_mac).
  if (!isLocal && mac !== undefined && oneOf(row, 'type') === 'internal') asked.set('mac', [mac]);
  else asked.delete('mac');
  if (mtu !== undefined) asked.set('mtu_request', [mtu]);
  if (isLocal) asked.set('type', ['internal']);
  if (why === undefined) return asked;
  asked.set('type', ['dummy']);
  asked.delete('options');
  return asked;
}

/** Ports without an interface are none, and nothing may refer to them. */
function withoutEmptyPorts(rows: readonly DumpedRow[]): readonly DumpedRow[] {
  const gone = new Set(
    rows
      .filter(({ table, columns: of }) => table === 'Port' && sizeOf(of.get('interfaces')) === 0)
      .map(({ uuid }) => uuid),
  );
  if (gone.size === 0) return rows;
  return rows
    .filter(({ uuid }) => !gone.has(uuid))
    .map(({ columns: of, ...row }) => ({
      ...row,
      columns: new Map(
        [...of].map(([name, value]) => [
          name,
          value instanceof Map ? value : (value as readonly string[]).filter((id) => !gone.has(id)),
        ]),
      ),
    }));
}

function sizeOf(column: DumpedColumn | undefined): number {
  return column === undefined
    ? 0
    : column instanceof Map
      ? column.size
      : [...(column as readonly string[])].length;
}

function downPort({ table, row }: NamedRow): readonly string[] {
  const states = [oneOf(row, 'admin_state'), oneOf(row, 'link_state')];
  return table === 'Interface' && states.includes('down') ? [oneOf(row, 'name') ?? ''] : [];
}

/** By the addresses of their devices, which those of a testbed do not have. */
function activeMembers(dumped: readonly NamedRow[]): RowsToBuild['activeMembers'] {
  const byUuid = new Map(dumped.map(({ uuid, row }) => [uuid, row]));
  return dumped.flatMap(({ table, row }) => {
    const mac = oneOf(row, 'bond_active_slave');
    if (table !== 'Port' || mac === undefined || setOf(row, 'interfaces').length < 2) return [];
    return setOf(row, 'interfaces')
      .flatMap((id) => byUuid.get(id) ?? [])
      .filter((one) => oneOf(one, 'mac_in_use') === mac)
      .map((one) => [oneOf(row, 'name') ?? '', oneOf(one, 'name') ?? ''] as const);
  });
}
