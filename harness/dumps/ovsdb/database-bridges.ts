/**
 * The bridges that a database holds, as far as packets depend on it (ovs-vswitchd.conf.db(5)).
 */
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { ConntrackPlan } from '../../domain/plan/cluster-plan.js';
import type { PortSettings } from '../../domain/plan/port-plan.js';
import type { TableNames } from '../../openflow/syntax/form.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import type { RecordedTunnel } from '../recorded-tunnel.js';
import { complainAboutRows, rowsAround, type NamedRow } from './rows-around.js';
import { mapOf, oneOf, rowsOf, setOf, type Database, type Row } from './database.js';
import { vlanOf } from './database-vlans.js';
import { macTableOf, snoopingOf, type PortTables } from './database-learning.js';
import { bondsOf, lonelyLacp, spokenAt } from './database-bonds.js';
import { zoneLimitsOf } from './database-zones.js';
import { mirrorsOf } from './database-mirrors.js';
import { unknownOfNormal } from './database-normal.js';
import { tunnelOf } from './database-tunnels.js';
import { localQueues, queueDscpOf } from './database-queues.js';

/** What a plan says of a bridge beside its ports and program. */
type BridgeSettings = Pick<
  BridgePlan,
  | 'failMode'
  | 'bonds'
  | 'macTable'
  | 'mirrors'
  | 'multicastSnooping'
  | 'localVlan'
  | 'localMtu'
  | 'forwardBpdu'
  | 'unknownOfNormal'
>;

export interface DatabaseBridge {
  readonly mac?: string;
  readonly settings: BridgeSettings;
  readonly localLink?: 'down';
  /** Of the datapath that it is on. */
  readonly conntrack?: ConntrackPlan;
  /** How many VLAN tags of a packet are read; 1 where it is missing. */
  readonly tagsMax?: 2;
  /** All but LOCAL. */
  readonly ports: readonly DatabasePort[];
  /** Those of its ports that packets come out of a tunnel at. */
  readonly tunnels: readonly RecordedTunnel[];
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
  readonly settings: Pick<
    PortSettings,
    'vlan' | 'mtu' | 'link' | 'queueDscp' | 'speaks' | 'leadsInto'
  >;
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
  const localMtu = Number((local && oneOf(local, 'mtu')) ?? usualMtu);
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
  const mirrors = mirrorsOf(bridge, database);
  const complaints = complainAboutRows(around);
  const conntrack = zoneLimitsOf(bridge, database);
  return {
    ...(mac === undefined ? {} : { mac }),
    ports,
    tunnels: rows.flatMap(({ row }) => tunnelOf(row, name, ports)),
    tables: tableNames(bridge, database),
    settings: {
      failMode: oneOf(bridge, 'fail_mode') === 'standalone' ? 'standalone' : 'secure',
      mirrors,
      ...snoopingOf(bridge, tables),
      ...macTableOf(bridge),
      ...localVlanOf(rows, name, database.file),
      ...(localMtu === usualMtu ? {} : { localMtu }),
      ...bondsOf(bridge, rows),
      ...unknownOfNormal(bridge, tables),
      ...(mapOf(bridge, 'other_config').get('forward-bpdu') === 'true'
        ? { forwardBpdu: true }
        : {}),
    },
    ...(local !== undefined && isDown(local) ? { localLink: 'down' } : {}),
    ...(conntrack === undefined ? {} : { conntrack }),
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
  const speaks = [...spokenAt(row), ...lonelyLacp(port)];
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
      ...(speaks.length === 0 ? {} : { speaks }),
      ...(mapOf(row, 'options').has('remote_ip') ? { leadsInto: 'a tunnel' } : {}),
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
  const loose = interfacesOf(bridge, tables).filter(
    ({ row }) => !owners.has(peerOf(row) ?? oneOf(row, 'name') ?? ''),
  );
  return loose.map(({ row }) => `patch port ${oneOf(row, 'name')}, whose peer is on no bridge`);
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
