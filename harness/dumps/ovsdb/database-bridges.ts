/**
 * The bridges that a database tells of, as far as packets depend on it (ovs-vswitchd.conf.db(5)).
 */
import { InputError } from '../../base/errors/errors.js';
import type { BridgePlan, MirrorPlan, VlanPlan } from '../../domain/plan/cluster-plan.js';
import type { TableNames } from '../../openflow/syntax/form.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { mapOf, oneOf, rowsOf, setOf, type Database, type Row, type Table } from './database.js';

export interface DatabaseBridge
  extends Pick<BridgePlan, 'failMode' | 'mirrors' | 'multicastSnooping'> {
  readonly mac?: string;
  /** All but LOCAL. */
  readonly ports: readonly DatabasePort[];
  /** Names of tables. */
  readonly tables: TableNames;
  /** What it has that plans have no words for. */
  readonly unknown: readonly string[];
}

export interface DatabasePort {
  readonly name: string;
  readonly ofport: number;
  /** Of a patch port: the other end. */
  readonly peer?: { readonly bridge: string; readonly port: string };
  readonly vlan?: VlanPlan;
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
      : [portOf(port, row, ofport, owners, database.file)];
  });
  return {
    ...(mac === undefined ? {} : { mac }),
    ports,
    tables: tableNames(bridge, database),
    failMode: oneOf(bridge, 'fail_mode') === 'standalone' ? 'standalone' : 'secure',
    mirrors: mirrorsOf(bridge, tables.ports, database),
    ...snoopingOf(bridge, tables.ports),
    unknown: unknownOf(bridge, tables, owners),
  };
}

function portOf(
  port: Row,
  row: Row,
  ofport: number,
  owners: ReadonlyMap<string, string>,
  file: string,
): DatabasePort {
  const name = oneOf(row, 'name') ?? '';
  const peer = peerOf(row);
  const peerBridge = peer === undefined ? undefined : owners.get(peer);
  const vlan = vlanOf(port, file);
  return {
    name,
    ofport,
    ...(peer === undefined || peerBridge === undefined
      ? {}
      : { peer: { bridge: peerBridge, port: peer } }),
    ...(vlan === undefined ? {} : { vlan }),
  };
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

const vlanModes = ['access', 'native-tagged', 'native-untagged', 'trunk', 'dot1q-tunnel'] as const;

function vlanOf(port: Row, file: string): VlanPlan | undefined {
  const [tag, trunks, told] = [
    oneOf(port, 'tag'),
    setOf(port, 'trunks').map(Number),
    oneOf(port, 'vlan_mode'),
  ];
  if (tag === undefined && trunks.length === 0 && told === undefined) return undefined;
  const mode = vlanModes.find((known) => known === told);
  if (told !== undefined && mode === undefined)
    throw new InputError(
      `vlan_mode of port ${oneOf(port, 'name')}: expected one of ${vlanModes.join(', ')}, got ` +
        `"${told}"`,
      { file },
    );
  return {
    trunks,
    ...(tag === undefined ? {} : { tag: Number(tag) }),
    ...(mode === undefined ? {} : { mode }),
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

function mirrorsOf(bridge: Row, ports: Table, database: Database): readonly MirrorPlan[] {
  const rows = rowsOf(database, 'Mirror');
  const names = (ids: readonly string[]) =>
    ids.flatMap((id) => oneOf(ports.get(id) ?? new Map(), 'name') ?? []);
  // Packets meet them in the order of their UUIDs.
  return setOf(bridge, 'mirrors')
    .toSorted()
    .flatMap((id) => {
      const row = rows.get(id);
      if (row === undefined) return [];
      const [port] = names(setOf(row, 'output_port'));
      const [vlan, snapLength] = [oneOf(row, 'output_vlan'), oneOf(row, 'snaplen')];
      // A mirror without an output does nothing.
      if (port === undefined && vlan === undefined) return [];
      return [
        {
          name: oneOf(row, 'name') ?? '',
          vlans: setOf(row, 'select_vlan').map(Number),
          select:
            oneOf(row, 'select_all') === 'true'
              ? 'all'
              : {
                  sources: names(setOf(row, 'select_src_port')),
                  destinations: names(setOf(row, 'select_dst_port')),
                },
          output:
            port === undefined ? { kind: 'vlan', vlan: Number(vlan) } : { kind: 'port', port },
          ...(snapLength === undefined ? {} : { snapLength: Number(snapLength) }),
        },
      ];
    });
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
    ...['stp_enable', 'rstp_enable'].filter((column) => oneOf(bridge, column) === 'true'),
    ...(setOf(bridge, 'flood_vlans').length === 0 ? [] : ['flood_vlans']),
    ...rows.flatMap((port) => [
      ...(setOf(port, 'interfaces').length > 1 ? [`bond ${oneOf(port, 'name')}`] : []),
      ...(oneOf(port, 'protected') === 'true' ? [`protected port ${oneOf(port, 'name')}`] : []),
    ]),
  ];
}
