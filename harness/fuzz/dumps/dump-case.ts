/** A switch as dumps show it, put together of single settings, and packets for it. */

export interface DumpCase {
  /** Any part of them is a case as well. */
  readonly settings: readonly DumpSetting[];
  readonly packets: readonly { readonly port: string; readonly frame: string }[];
}

export type DumpSetting =
  | ColumnSetting
  /** A flag that `show` prints of a port. */
  | { readonly kind: 'flag'; readonly port: string; readonly flag: string }
  | { readonly kind: 'fragments'; readonly value: string }
  /** A line of dump-flows, dump-groups, dump-meters or dump-tlv-map. */
  | {
      readonly kind: 'flow' | 'group' | 'meter' | 'option';
      /** The first one where it is missing. */
      readonly bridge?: string;
      readonly text: string;
    }
  /** Ports that are one bond. */
  | { readonly kind: 'bond'; readonly members: readonly string[] }
  /** The bond has given each hash to the member that this bit of it says. */
  | { readonly kind: 'hashes'; readonly bit: number }
  /** There is a second bridge, and a cable between the two. */
  | { readonly kind: 'second bridge' }
  /** Nobody has dumped the database. */
  | { readonly kind: 'no database' };

/** A column of a row; of a map, one key. */
export interface ColumnSetting {
  readonly kind: 'column';
  readonly table: string;
  /** Its name, or that of the port. */
  readonly row: string;
  readonly column: string;
  readonly key?: string;
  readonly value: readonly string[];
}

export const bridge = 'br0';
export const portNames = ['p1', 'p2', 'p3', 'p4'] as const;
/** The second bridge, its own port and those of its end of the cable; `pa` is on the first. */
export const second = { bridge: 'br1', ports: ['r1', 'r2'], cable: ['pa', 'pb'] } as const;

/** Rows that a case may have; beside those of bridges and ports they are there once named. */
export const rowNames = {
  Open_vSwitch: ['root'],
  Bridge: [bridge, bridge, second.bridge],
  Mirror: ['m0', 'm1'],
  Port: [...portNames, ...portNames, bridge, ...second.ports, ...second.cable],
  Interface: [...portNames, ...portNames, bridge, ...second.ports, ...second.cable],
  Flow_Table: ['t0', 't1'],
  QoS: ['q0', 'q1'],
  Queue: ['u0', 'u1'],
  NetFlow: ['n0'],
  sFlow: ['s0'],
  IPFIX: ['i0'],
  Flow_Sample_Collector_Set: ['f0'],
  Controller: ['c0'],
  Manager: ['g0'],
  Datapath: ['d0'],
  CT_Zone: ['z0', 'z1'],
  CT_Timeout_Policy: ['y0'],
  SSL: ['l0'],
  AutoAttach: ['a0'],
} as const;

export type TableName = keyof typeof rowNames;

export function isTable(name: string): name is TableName {
  return name in rowNames;
}

/** UUIDs are in the order of what they stand for. */
export function idOf(table: TableName, name: string): string {
  const digits = [...Buffer.from(name)].map((byte) => byte.toString(16)).join('');
  const number = Object.keys(rowNames).indexOf(table).toString(16).padStart(8, '0');
  return `${number}-0000-4000-8000-${digits.slice(0, 12).padStart(12, '0')}`;
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
    case 'group':
    case 'meter':
    case 'option':
      return `${setting.kind} of ${setting.bridge ?? bridge}: ${setting.text}`;
    case 'bond':
      return `bond of ${setting.members.join(', ')}`;
    case 'hashes':
      return `bond/show: hashes by bit ${setting.bit}`;
    case 'second bridge':
      return `bridge ${second.bridge} behind a patch port`;
    case 'no database':
      return 'no database';
  }
}
