/** A switch as dumps show it, put together of single settings, and packets for it. */
import type { BridgeSources } from '../../dumps/dumped-switch.js';
import type { Column, Database, Row } from '../../dumps/ovsdb/database.js';
import { printJsonDump } from '../../dumps/ovsdb/print-dump.js';

export interface DumpCase {
  /** Any part of them is a case as well. */
  readonly settings: readonly DumpSetting[];
  readonly packets: readonly { readonly port: string; readonly frame: string }[];
}

export type DumpSetting =
  /** A column of a row; of a map, one key. */
  | {
      readonly kind: 'column';
      readonly table: string;
      /** Its name, or that of the port. */
      readonly row: string;
      readonly column: string;
      readonly key?: string;
      readonly value: readonly string[];
    }
  /** A flag that `show` prints of a port, by its number. */
  | { readonly kind: 'flag'; readonly port: number; readonly flag: string }
  | { readonly kind: 'fragments'; readonly value: string }
  | { readonly kind: 'flow'; readonly text: string }
  /** A port joins the bond of the first one. */
  | { readonly kind: 'bond'; readonly members: readonly string[] };

export const bridge = 'br0';
export const portNames = ['p1', 'p2', 'p3', 'p4'] as const;

/** UUIDs are in the order of what they stand for. */
const tables = ['Open_vSwitch', 'Bridge', 'Mirror', 'Port', 'Interface'] as const;

export function idOf(table: (typeof tables)[number], name: string): string {
  const digits = [...Buffer.from(name)].map((byte) => byte.toString(16)).join('');
  return `${tables.indexOf(table)}0000000-0000-4000-8000-${digits.slice(0, 12).padStart(12, '0')}`;
}

/** What `ovs-ofctl show`, `dump-flows` and `ovsdb-client dump` would print of it. */
export function dumpsOf({ settings }: Pick<DumpCase, 'settings'>): {
  readonly sources: readonly BridgeSources[];
  readonly database: string;
} {
  const flows = settings.flatMap((one) => (one.kind === 'flow' ? [` ${one.text}`] : []));
  return {
    sources: [
      {
        bridge,
        flows: {
          file: 'flows',
          text: ['OFPST_FLOW reply (OF1.5) (xid=0x2):', ...flows].join('\n'),
        },
        ports: { file: 'ports', text: shownPorts(settings) },
      },
    ],
    database: printJsonDump({ tables: tablesOf(settings) }),
  };
}

function shownPorts(settings: readonly DumpSetting[]): string {
  const fragments = settings.findLast((one) => one.kind === 'fragments')?.value ?? 'normal';
  const flagsOf = (number: number) => {
    const flags = settings.flatMap((one) =>
      one.kind === 'flag' && one.port === number ? [one.flag] : [],
    );
    return flags.length === 0 ? '0' : [...new Set(flags)].join(' ');
  };
  return [
    ...portNames.map(
      (name, at) =>
        ` ${at + 1}(${name}): addr:aa:55:aa:55:00:0${at + 1}\n` +
        `     config:     ${flagsOf(at + 1)}\n     state:      0`,
    ),
    ` LOCAL(${bridge}): addr:aa:55:aa:55:00:00\n     config:     0\n     state:      0`,
    `OFPT_GET_CONFIG_REPLY (xid=0x4): frags=${fragments} miss_send_len=0`,
  ].join('\n');
}

function tablesOf(settings: readonly DumpSetting[]): Database['tables'] {
  const bonds = settings.flatMap((one) => (one.kind === 'bond' ? [one.members] : []));
  const [members = []] = bonds;
  const ports = [bridge, ...portNames.filter((name) => !members.slice(1).includes(name))];
  const mirrors = [
    ...new Set(
      settings.flatMap((one) => (one.kind === 'column' && one.table === 'Mirror' ? [one.row] : [])),
    ),
  ];
  const withSettings = (table: (typeof tables)[number], row: string, base: Row): Row =>
    settings.reduce<Row>(
      (so, one) =>
        one.kind === 'column' && one.table === table && one.row === row ? changed(so, one) : so,
      base,
    );
  const tableOf = (
    table: (typeof tables)[number],
    names: readonly string[],
    base: (name: string, at: number) => Readonly<Record<string, Column>>,
  ) =>
    [
      table,
      new Map(
        names.map((name, at) => [
          idOf(table, name),
          withSettings(table, name, new Map(Object.entries(base(name, at)))),
        ]),
      ),
    ] as const;
  return new Map([
    tableOf('Open_vSwitch', ['root'], () => ({ bridges: [idOf('Bridge', bridge)] })),
    tableOf('Bridge', [bridge], (name) => ({
      name: [name],
      ports: ports.map((port) => idOf('Port', port)),
      mirrors: mirrors.map((mirror) => idOf('Mirror', mirror)),
    })),
    tableOf('Mirror', mirrors, (name) => ({ name: [name] })),
    tableOf('Port', ports, (name) => ({
      name: [name],
      interfaces: (name === members[0] ? members : [name]).map((one) => idOf('Interface', one)),
    })),
    tableOf('Interface', [bridge, ...portNames], (name, at) => ({
      name: [name],
      type: [at === 0 ? 'internal' : ''],
      ofport: [String(at === 0 ? 65534 : at)],
      mac_in_use: [`aa:55:aa:55:00:0${at}`],
      admin_state: ['up'],
      link_state: ['up'],
      mtu: ['1500'],
    })),
  ]);
}

function changed(
  row: Row,
  { column, key, value }: Extract<DumpSetting, { readonly kind: 'column' }>,
): Row {
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

/** `Port p1 tag=10`, and the like. */
export function printSetting(setting: DumpSetting): string {
  switch (setting.kind) {
    case 'column':
      return (
        `${setting.table} ${setting.row} ${setting.column}` +
        `${setting.key === undefined ? '' : `:${setting.key}`}=${setting.value.join(',')}`
      );
    case 'flag':
      return `port ${setting.port} ${setting.flag}`;
    case 'fragments':
      return `frags=${setting.value}`;
    case 'flow':
      return `flow ${setting.text}`;
    case 'bond':
      return `bond of ${setting.members.join(', ')}`;
  }
}
