/** What `ovs-ofctl` and `ovsdb-client dump` would print of a case. */
import type { BridgeSources } from '../../dumps/dumped-bridge.js';
import type { Column, Row } from '../../dumps/ovsdb/database.js';
import { printJsonDump } from '../../dumps/ovsdb/print-dump.js';
import {
  bridge,
  idOf,
  portNames,
  rowNames,
  second,
  type ColumnSetting,
  type DumpCase,
  type DumpSetting,
  type TableName,
} from './dump-case.js';

type Settings = readonly DumpSetting[];

/** A bridge with its ports in the order of their numbers, from 1. */
interface CaseBridge {
  readonly name: string;
  readonly ports: readonly string[];
}

export function dumpsOf({ settings }: Pick<DumpCase, 'settings'>): {
  readonly sources: readonly BridgeSources[];
  readonly database?: string;
  readonly bonds?: string;
} {
  const sources = bridgesIn(settings).map((one): BridgeSources => {
    const linesOf = (kind: 'flow' | 'group' | 'meter' | 'option') =>
      settings.flatMap((each) =>
        each.kind === kind && (each.bridge ?? bridge) === one.name ? [each.text] : [],
      );
    const dumped = (kind: 'group' | 'meter', title: string) => ({
      file: `${one.name}.${kind}s`,
      text: [title, ...linesOf(kind).map((line) => ` ${line}`)].join('\n'),
    });
    return {
      bridge: one.name,
      flows: {
        file: `${one.name}.flows`,
        text: [
          'OFPST_FLOW reply (OF1.5) (xid=0x2):',
          ...linesOf('flow').map((line) => ` ${line}`),
        ].join('\n'),
      },
      ports: { file: `${one.name}.ports`, text: shownPorts(one, settings) },
      groups: dumped('group', 'OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):'),
      meters: dumped('meter', 'OFPST_METER_CONFIG reply (OF1.5) (xid=0x2):'),
      tunnelOptions: { file: `${one.name}.tlv-map`, text: shownOptions(linesOf('option')) },
    };
  });
  if (settings.some(({ kind }) => kind === 'no database')) return { sources };
  const bonds = shownBond(settings);
  return {
    sources,
    database: printJsonDump({ tables: tablesOf(settings) }),
    ...(bonds === undefined ? {} : { bonds }),
  };
}

/** The members that a bond has, which are ports of the first one. */
function membersIn(settings: Settings): readonly string[] {
  return settings.flatMap((one) => (one.kind === 'bond' ? [one.members] : [])).at(0) ?? [];
}

function shownBond(settings: Settings): string | undefined {
  const members = membersIn(settings);
  const bit = settings.findLast((one) => one.kind === 'hashes')?.bit;
  if (bit === undefined || members.length === 0) return undefined;
  return [
    `---- ${members[0]} ----`,
    'bond_mode: balance-slb',
    ...members.flatMap((member, at) => [
      '',
      `member ${member}: enabled`,
      ...Array.from({ length: 256 }, (_, hash) => hash)
        .filter((hash) => ((hash >> bit) & 1) === at)
        .map((hash) => `  hash ${hash}: 1 kB load`),
    ]),
  ].join('\n');
}

function bridgesIn(settings: Settings): readonly CaseBridge[] {
  const first = { name: bridge, ports: portNames };
  if (!settings.some(({ kind }) => kind === 'second bridge')) return [first];
  const [near, far] = second.cable;
  return [
    { name: bridge, ports: [...portNames, near] },
    { name: second.bridge, ports: [...second.ports, far] },
  ];
}

function shownOptions(lines: readonly string[]): string {
  return [
    'NXT_TLV_TABLE_REPLY (xid=0x4):',
    ' max option space=256 max fields=64',
    ' allocated option space=64',
    '',
    ' mapping table:',
    '  class  type  length  match field',
    ' ------  ----  ------  --------------',
    ...lines.map((line) => ` ${line}`),
  ].join('\n');
}

function shownPorts({ name, ports }: CaseBridge, settings: Settings): string {
  const fragments = settings.findLast((one) => one.kind === 'fragments')?.value ?? 'normal';
  const flagsOf = (port: string) => {
    const flags = settings.flatMap((one) =>
      one.kind === 'flag' && one.port === port ? [one.flag] : [],
    );
    return flags.length === 0 ? '0' : [...new Set(flags)].join(' ');
  };
  return [
    ...ports.map(
      (port, at) =>
        ` ${at + 1}(${port}): addr:${macOf(port)}\n` +
        `     config:     ${flagsOf(port)}\n     state:      0`,
    ),
    ` LOCAL(${name}): addr:${macOf(name)}\n     config:     0\n     state:      0`,
    `OFPT_GET_CONFIG_REPLY (xid=0x4): frags=${fragments} miss_send_len=0`,
  ].join('\n');
}

const allPorts = [bridge, ...portNames, second.cable[0], second.bridge, ...second.ports];

function macOf(port: string): string {
  const number = [...allPorts, second.cable[1]].indexOf(port);
  return `aa:55:aa:55:00:${number.toString(16).padStart(2, '0')}`;
}

type Tables = ReadonlyMap<string, ReadonlyMap<string, Row>>;

function tablesOf(settings: Settings): Tables {
  const bridges = bridgesIn(settings);
  const members = membersIn(settings);
  const portsOf = ({ name, ports }: CaseBridge) => [
    name,
    ...ports.filter((port) => !members.slice(1).includes(port)),
  ];
  const columns = settings.filter((one) => one.kind === 'column');
  const mirrors = namedRows('Mirror', columns);
  const base = (table: TableName, row: string): Readonly<Record<string, Column>> => {
    const own = bridges.find(({ name }) => name === row);
    switch (table) {
      case 'Open_vSwitch':
        return { bridges: bridges.map(({ name }) => idOf('Bridge', name)) };
      case 'Bridge':
        return {
          name: [row],
          ports: (own === undefined ? [] : portsOf(own)).map((port) => idOf('Port', port)),
          mirrors: row === bridge ? mirrors.map((mirror) => idOf('Mirror', mirror)) : [],
        };
      case 'Mirror':
        return { name: [row] };
      case 'Port':
        return {
          name: [row],
          interfaces: (row === members[0] ? members : [row]).map((each) => idOf('Interface', each)),
        };
      case 'Interface':
        return interfaceColumns(row, bridges);
      case 'NetFlow':
      case 'sFlow':
        return { targets: ['192.0.2.1:2055'] };
      default:
        return {};
    }
  };
  const rowsOf: Partial<Record<TableName, readonly string[]>> = {
    Open_vSwitch: ['root'],
    Bridge: bridges.map(({ name }) => name),
    Port: bridges.flatMap(portsOf),
    Interface: bridges.flatMap(({ name, ports }) => [name, ...ports]),
    Mirror: mirrors,
  };
  return new Map(
    (Object.keys(rowNames) as TableName[]).map((table) => [
      table,
      new Map(
        (rowsOf[table] ?? namedRows(table, columns)).map((row) => [
          idOf(table, row),
          withSettings(new Map(Object.entries(base(table, row))), table, row, columns),
        ]),
      ),
    ]),
  );
}

function interfaceColumns(
  row: string,
  bridges: readonly CaseBridge[],
): Readonly<Record<string, Column>> {
  const isLocal = bridges.some(({ name }) => name === row);
  const at = bridges.map(({ ports }) => ports.indexOf(row)).find((index) => index >= 0) ?? 0;
  const [near, far] = second.cable;
  const peer = row === near ? far : row === far ? near : undefined;
  return {
    name: [row],
    type: [isLocal ? 'internal' : peer === undefined ? '' : 'patch'],
    ofport: [String(isLocal ? 65534 : at + 1)],
    mac_in_use: [macOf(row)],
    ...(peer === undefined
      ? { admin_state: ['up'], link_state: ['up'], mtu: ['1500'] }
      : { options: new Map([['peer', peer]]) }),
  };
}

/** Those that a column is set of, or that one refers to. */
function namedRows(table: TableName, columns: readonly ColumnSetting[]): readonly string[] {
  return [...new Set(rowNames[table])].filter((row) =>
    columns.some(
      (one) => (one.table === table && one.row === row) || one.value.includes(idOf(table, row)),
    ),
  );
}

function withSettings(
  base: Row,
  table: TableName,
  row: string,
  columns: readonly ColumnSetting[],
): Row {
  return columns.filter((one) => one.table === table && one.row === row).reduce<Row>(changed, base);
}

function changed(row: Row, { column, key, value }: ColumnSetting): Row {
  const before = row.get(column);
  const after =
    key === undefined
      ? value
      : new Map([
          ...(before instanceof Map ? (before as ReadonlyMap<string, string>) : []),
          [key, value[0] ?? ''] as const,
        ]);
  return new Map([...row, [column, after]]);
}
