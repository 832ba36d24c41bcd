/**
 * The bridges that a database holds, as far as packets depend on it (ovs-vswitchd.conf.db(5)).
 */
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { PortSettings } from '../../domain/plan/port-plan.js';
import type { TableNames } from '../../openflow/syntax/form.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { complainAboutRows, rowsAround, type NamedRow } from './rows-around.js';
import { mapOf, oneOf, rowsOf, setOf, type Database, type Row, type Table } from './database.js';
import { vlanOf } from './database-vlans.js';
import { bondBeside, bondsOf } from './database-bonds.js';
import { mirrorsOf } from './database-mirrors.js';
import { localQueues, queueDscpOf } from './database-queues.js';

/** What a plan says of a bridge beside its ports and program. */
type BridgeSettings = Pick<
  BridgePlan,
  'failMode' | 'bonds' | 'macTable' | 'mirrors' | 'multicastSnooping' | 'localVlan' | 'forwardBpdu'
>;

export interface DatabaseBridge {
  readonly mac?: string;
  readonly settings: BridgeSettings;
  readonly localLink?: 'down';
  /** How many VLAN tags of a packet are read; 1 where it is missing. */
  readonly tagsMax?: 2;
  /** All but LOCAL. */
  readonly ports: readonly DatabasePort[];
  /** Names of tables. */
  readonly tables: TableNames;
  /** What it has that plans have no words for. */
  readonly unknown: readonly string[];
  /** What it has of which something is not answered. */
  readonly notes: readonly string[];
  /** What says something of it, unread. */
  readonly rows: readonly NamedRow[];
}

export interface DatabasePort {
  readonly name: string;
  readonly ofport: number;
  /** Of a patch port: the other end. */
  readonly peer?: { readonly bridge: string; readonly port: string };
  readonly settings: Pick<PortSettings, 'vlan' | 'mtu' | 'link' | 'queueDscp'>;
}

/** By name. @throws InputError for values that such columns cannot have. */
export function bridgesOf(database: Database): ReadonlyMap<string, DatabaseBridge> {
  const tables = { ports: rowsOf(database, 'Port'), interfaces: rowsOf(database, 'Interface') };
  const bridges = [...rowsOf(database, 'Bridge').values()];
  const owners = new Map(
    bridges.flatMap((bridge) =>
      interfacesOf(bridge, tables).map(
        ({ row }) => [oneOf(row, 'name') ?? '', oneOf(bridge, 'name') ?? ''] as const,
      ),
    ),
  );
  return new Map(
    bridges.map((bridge) => [
      oneOf(bridge, 'name') ?? '',
      bridgeOf(bridge, tables, owners, database),
    ]),
  );
}

interface PortTables {
  readonly ports: Table;
  readonly interfaces: Table;
}

/** The rows of table Interface of a bridge's ports, with that of Port. */
function interfacesOf(
  bridge: Row,
  { ports, interfaces }: PortTables,
): readonly { readonly port: Row; readonly row: Row }[] {
  return setOf(bridge, 'ports').flatMap((id) => {
    const port = ports.get(id);
    return port === undefined
      ? []
      : setOf(port, 'interfaces').flatMap((interfaceId) =>
          [interfaces.get(interfaceId)].flatMap((row) =>
            row === undefined ? [] : [{ port, row }],
          ),
        );
  });
}

function bridgeOf(
  bridge: Row,
  tables: PortTables,
  owners: ReadonlyMap<string, string>,
  database: Database,
): DatabaseBridge {
  const name = oneOf(bridge, 'name') ?? '';
  const rows = interfacesOf(bridge, tables);
  const local = rows.find(({ row }) => oneOf(row, 'name') === name)?.row;
  const mac =
    mapOf(bridge, 'other_config').get('hwaddr') ??
    (local === undefined ? undefined : oneOf(local, 'mac_in_use'));
  const ports = rows.flatMap(({ port, row }) => {
    const ofport = Number(oneOf(row, 'ofport') ?? oneOf(row, 'ofport_request') ?? -1);
    // Without a number the switch has not made it.
    return ofport < 1 || ofport === reservedPorts.LOCAL
      ? []
      : [portOf(port, row, ofport, owners, database)];
  });
  const around = rowsAround(bridge, database);
  const complaints = complainAboutRows(around);
  return {
    ...(mac === undefined ? {} : { mac }),
    ports,
    tables: tableNames(bridge, database),
    settings: {
      failMode: oneOf(bridge, 'fail_mode') === 'standalone' ? 'standalone' : 'secure',
      mirrors: mirrorsOf(bridge, tables.ports, database),
      ...snoopingOf(bridge, tables.ports),
      ...macTableOf(bridge),
      ...localVlanOf(rows, name, database.file),
      ...bondsOf(rows),
      ...(mapOf(bridge, 'other_config').get('forward-bpdu') === 'true'
        ? { forwardBpdu: true }
        : {}),
    },
    ...(local !== undefined && isDown(local) ? { localLink: 'down' } : {}),
    ...(vlanLimitOf(database) === 2 ? { tagsMax: 2 } : {}),
    unknown: [
      ...unknownOf(bridge, tables, owners),
      ...localQueues(rows, name, database),
      ...complaints.refused,
    ],
    notes: complaints.notes,
    rows: around,
  };
}

/** Without a limit, or with a higher one, there are two (lib/flow.c, flow_limit_vlans). */
function vlanLimitOf(database: Database): 1 | 2 {
  const [row = new Map()] = rowsOf(database, 'Open_vSwitch').values();
  const text = mapOf(row, 'other_config').get('vlan-limit') ?? '1';
  const limit = /^[+-]?\d+$/.test(text) ? Number(text) : 1;
  return limit === 1 ? 1 : 2;
}

function portOf(
  port: Row,
  row: Row,
  ofport: number,
  owners: ReadonlyMap<string, string>,
  database: Database,
): DatabasePort {
  const name = oneOf(row, 'name') ?? '';
  const peer = peerOf(row);
  const peerBridge = peer === undefined ? undefined : owners.get(peer);
  const vlan = vlanOf(port, database.file);
  const queueDscp = queueDscpOf(port, database);
  const mtu = Number(oneOf(row, 'mtu') ?? usualMtu);
  return {
    name,
    ofport,
    ...(peer === undefined || peerBridge === undefined
      ? {}
      : { peer: { bridge: peerBridge, port: peer } }),
    settings: {
      ...(vlan === undefined ? {} : { vlan }),
      ...(mtu === usualMtu ? {} : { mtu }),
      ...(queueDscp === undefined ? {} : { queueDscp }),
      ...(isDown(row) ? { link: 'down' } : {}),
    },
  };
}

const usualMtu = 1500;

function isDown(row: Row): boolean {
  return oneOf(row, 'admin_state') === 'down' || oneOf(row, 'link_state') === 'down';
}

function peerOf(row: Row): string | undefined {
  return oneOf(row, 'type') === 'patch' ? mapOf(row, 'options').get('peer') : undefined;
}

/** Numbers that are none ask for nothing (lib/smap.c, smap_get_int). */
function snoopingOf(bridge: Row, ports: Table): Pick<BridgePlan, 'multicastSnooping'> {
  if (oneOf(bridge, 'mcast_snooping_enable') !== 'true') return {};
  const config = mapOf(bridge, 'other_config');
  const number = (name: string) =>
    Number(/^\d+$/.exec(config.get(`mcast-snooping-${name}`) ?? '')?.[0] ?? 0);
  const [ageingS, size] = [number('aging-time'), number('table-size')];
  const portsWith = (name: string) =>
    setOf(bridge, 'ports').flatMap((id) => {
      const port = ports.get(id);
      return port !== undefined &&
        mapOf(port, 'other_config').get(`mcast-snooping-${name}`) === 'true'
        ? [oneOf(port, 'name') ?? '']
        : [];
    });
  const [flood, floodReports] = [portsWith('flood'), portsWith('flood-reports')];
  return {
    multicastSnooping: {
      ...(ageingS === 0 ? {} : { ageingS }),
      ...(size === 0 ? {} : { size }),
      ...(config.get('mcast-snooping-disable-flood-unregistered') === 'true'
        ? { unregistered: 'to routers' }
        : {}),
      ...(flood.length === 0 ? {} : { flood }),
      ...(floodReports.length === 0 ? {} : { floodReports }),
    },
  };
}

function tableNames(bridge: Row, database: Database): TableNames {
  const rows = rowsOf(database, 'Flow_Table');
  return new Map(
    [...mapOf(bridge, 'flow_tables')].flatMap(([number, id]) => {
      const name = oneOf(rows.get(id) ?? new Map(), 'name');
      return name === undefined ? [] : [[name, Number(number)] as const];
    }),
  );
}

function unknownOf(
  bridge: Row,
  tables: PortTables,
  owners: ReadonlyMap<string, string>,
): readonly string[] {
  const rows = setOf(bridge, 'ports').flatMap((id) => tables.ports.get(id) ?? []);
  const loose = interfacesOf(bridge, tables).filter(
    ({ row }) => !owners.has(peerOf(row) ?? oneOf(row, 'name') ?? ''),
  );
  return [
    ...loose.map(({ row }) => `patch port ${oneOf(row, 'name')}, whose peer is on no bridge`),
    ...rows.flatMap((port) => bondBeside(bridge, port)),
  ];
}

/** Numbers that are none, or none at all, leave it as it comes (lib/smap.c, smap_get_int). */
function macTableOf(bridge: Row): Pick<BridgePlan, 'macTable'> {
  const config = mapOf(bridge, 'other_config');
  const number = (name: string) => Number(/^\d+$/.exec(config.get(name) ?? '')?.[0] ?? 0);
  const [ageingS, size] = [number('mac-aging-time'), number('mac-table-size')];
  if (ageingS === 0 && size === 0) return {};
  return {
    macTable: { ...(ageingS === 0 ? {} : { ageingS }), ...(size === 0 ? {} : { size }) },
  };
}

function localVlanOf(
  rows: ReturnType<typeof interfacesOf>,
  name: string,
  file: string,
): Pick<BridgePlan, 'localVlan'> {
  const local = rows.find(({ row }) => oneOf(row, 'name') === name);
  const localVlan = local === undefined ? undefined : vlanOf(local.port, file);
  return localVlan === undefined ? {} : { localVlan };
}
