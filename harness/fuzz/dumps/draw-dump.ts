/** Draws dumps of a bridge: columns of its rows, flags of its ports, flows, and packets. */
import { randomFor, type Random } from '../../base/random.js';
import { bridge, idOf, portNames, type DumpCase, type DumpSetting } from './dump-case.js';

/** Case `index` of a seed: the same on every machine. */
export function drawDump(seed: number, index: number): DumpCase {
  const random = randomFor(seed, `dump ${index}`);
  const settings = [
    ...drawFlows(random),
    ...times(random, 2, 8, () => drawColumn(random)),
    ...times(random, 0, 2, () => drawFlag(random)),
    ...times(random, 0, 2, (at) => drawMirror(random, `m${at}`)).flat(),
    ...(one(random, 5) ? [drawBond(random)] : []),
    ...(one(random, 8)
      ? [{ kind: 'fragments', value: pick(random, ['drop', 'nx-match']) } as const]
      : []),
  ];
  return { settings, packets: times(random, 4, 9, () => drawPacket(random)) };
}

const one = (random: Random, of: number) => random.integer(1, of) === 1;

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.integer(0, values.length - 1)]!;
}

function times<T>(
  random: Random,
  least: number,
  most: number,
  draw: (at: number) => T,
): readonly T[] {
  return Array.from({ length: random.integer(least, most) }, (_, at) => draw(at));
}

const vlans = ['0', '5', '10', '4095'];

/** Values of a column, or of a key of it; several where it is a set. */
interface DrawnColumn {
  readonly table: string;
  readonly column: string;
  readonly key?: string;
  readonly values: readonly string[];
  readonly most?: number;
}

const drawn: readonly DrawnColumn[] = [
  ...['tag', 'tag', 'tag'].map((column) => ({ table: 'Port', column, values: ['5', '10', '0'] })),
  { table: 'Port', column: 'trunks', values: vlans, most: 3 },
  { table: 'Port', column: 'cvlans', values: vlans, most: 2 },
  ...['vlan_mode', 'vlan_mode'].map((column) => ({
    table: 'Port',
    column,
    values: ['access', 'trunk', 'native-tagged', 'native-untagged', 'dot1q-tunnel'],
  })),
  {
    table: 'Port',
    column: 'other_config',
    key: 'priority-tags',
    values: ['always', 'if-nonzero', 'never', 'true', 'x'],
  },
  {
    table: 'Port',
    column: 'other_config',
    key: 'qinq-ethtype',
    values: ['802.1q', '802.1ad', 'x'],
  },
  { table: 'Port', column: 'fake_bridge', values: ['true', 'false'] },
  ...['bond_active_slave', 'bond_active_slave'].map((column) => ({
    table: 'Port',
    column,
    values: ['aa:55:aa:55:00:01', 'aa:55:aa:55:00:02', 'aa:55:aa:55:00:03'],
  })),
  { table: 'Port', column: 'bond_mode', values: ['active-backup', 'balance-slb', 'balance-tcp'] },
  { table: 'Port', column: 'external_ids', key: 'k', values: ['v'] },
  { table: 'Port', column: 'other_config', key: 'mcast-snooping-flood', values: ['true', 'x'] },
  { table: 'Interface', column: 'link_state', values: ['up', 'down'] },
  { table: 'Interface', column: 'admin_state', values: ['up', 'down'] },
  { table: 'Interface', column: 'mtu', values: ['576', '1500', '9000'] },
  { table: 'Interface', column: 'ingress_policing_rate', values: ['0', '100'] },
  { table: 'Interface', column: 'type', values: ['', 'system', 'internal', 'dpdk', 'tap'] },
  { table: 'Interface', column: 'external_ids', key: 'iface-id', values: [idOf('Port', 'p1')] },
  { table: 'Bridge', column: 'fail_mode', values: ['secure', 'standalone'] },
  { table: 'Bridge', column: 'datapath_type', values: ['netdev', 'system', ''] },
  { table: 'Bridge', column: 'protocols', values: ['OpenFlow10', 'OpenFlow13'], most: 2 },
  { table: 'Bridge', column: 'mcast_snooping_enable', values: ['true', 'false'] },
  ...[
    ['forward-bpdu', ['true', 'false', 'x']] as const,
    ['mac-aging-time', ['1', '20', '-1', 'x']] as const,
    ['mac-table-size', ['1', '20', 'x']] as const,
    ['hwaddr', ['02:00:00:00:00:77']] as const,
    ['disable-in-band', ['true']] as const,
    ['mcast-snooping-disable-flood-unregistered', ['true', 'x']] as const,
  ].map(([key, values]) => ({ table: 'Bridge', column: 'other_config', key, values })),
  ...['vlan-limit', 'vlan-limit'].map((key) => ({
    table: 'Open_vSwitch',
    column: 'other_config',
    key,
    values: ['0', '1', '2', '3', '-1', 'x'],
  })),
  { table: 'Open_vSwitch', column: 'other_config', key: 'hw-offload', values: ['true'] },
  { table: 'Open_vSwitch', column: 'other_config', key: 'max-idle', values: ['500'] },
];

/** What is refused by name unless it has its default. */
const refused: readonly DrawnColumn[] = [
  { table: 'Port', column: 'protected', values: ['true', 'false'] },
  { table: 'Port', column: 'lacp', values: ['off', 'active'] },
  { table: 'Bridge', column: 'flood_vlans', values: vlans, most: 2 },
  { table: 'Bridge', column: 'stp_enable', values: ['true', 'false'] },
  { table: 'Interface', column: 'bfd', key: 'enable', values: ['true', 'false'] },
];

function drawColumn(random: Random): DumpSetting {
  const { table, column, key, values, most = 1 } = pick(random, one(random, 40) ? refused : drawn);
  const row =
    table === 'Open_vSwitch'
      ? 'root'
      : table === 'Bridge' || (table === 'Port' && one(random, 6))
        ? bridge
        : pick(random, portNames);
  const value = [...new Set(times(random, 1, most, () => pick(random, values)))];
  return { kind: 'column', table, row, column, ...(key === undefined ? {} : { key }), value };
}

function drawFlag(random: Random): DumpSetting {
  const common = ['NO_FLOOD', 'NO_FWD', 'NO_RECV', 'PORT_DOWN', 'LINK_DOWN'];
  const flags = one(random, 10) ? ['NO_PACKET_IN'] : common;
  return { kind: 'flag', port: random.integer(1, portNames.length), flag: pick(random, flags) };
}

function drawMirror(random: Random, row: string): readonly DumpSetting[] {
  const set = (column: string, value: readonly string[]): DumpSetting => ({
    kind: 'column',
    table: 'Mirror',
    row,
    column,
    value,
  });
  const port = () => idOf('Port', pick(random, portNames));
  return [
    one(random, 3)
      ? set('select_all', ['true'])
      : set(pick(random, ['select_src_port', 'select_dst_port']), [port()]),
    ...(one(random, 3) ? [set('select_vlan', [pick(random, vlans)])] : []),
    one(random, 3) ? set('output_vlan', ['10']) : set('output_port', [port()]),
    ...(one(random, 4) ? [set('snaplen', ['40'])] : []),
  ];
}

function drawBond(random: Random): DumpSetting {
  return {
    kind: 'bond',
    members: pick(random, [
      ['p1', 'p2'],
      ['p3', 'p4'],
      ['p2', 'p3'],
    ]),
  };
}

function drawFlows(random: Random): readonly DumpSetting[] {
  const head = 'cookie=0x0, duration=3.5s, table=0, n_packets=7, n_bytes=420, ';
  const actions = () =>
    pick(random, [
      ...['NORMAL', 'NORMAL', 'FLOOD', 'ALL', 'output:2', 'output:4,output:1', 'LOCAL', 'drop'],
      ...['strip_vlan,NORMAL', 'push_vlan:0x8100,set_field:4106->vlan_vid,NORMAL', 'IN_PORT'],
    ]);
  const matches = ['in_port=1', 'dl_vlan=5', 'ip', 'dl_src=0a:00:00:00:00:01', 'vlan_tci=0x0000'];
  return [
    { kind: 'flow', text: `${head}priority=1 actions=NORMAL` },
    ...times(
      random,
      0,
      2,
      (at): DumpSetting => ({
        kind: 'flow',
        text: `${head}priority=${at + 5},${pick(random, matches)} actions=${actions()}`,
      }),
    ),
  ];
}

const macs = ['0a0000000001', '0a0000000002', '0a0000000003', 'ffffffffffff', '0180c2000000'];

/** UDP from 10.0.0.1 to 10.0.0.2; the same as a first fragment; and ARP. */
const contents = [
  '0800' + '4500001c00000000401166cf0a0000010a000002' + '0000000000080000',
  '0800' + '4500001c00002000401146cf0a0000010a000002' + '0000000000080000',
  '0806' + '0001080006040001' + '0a00000000010a000001' + '0000000000000a000002',
];

function drawPacket(random: Random): DumpCase['packets'][number] {
  const tag = () =>
    pick(random, ['8100', '8100', '88a8']) +
    ((random.integer(0, 1) * random.integer(0, 7) * 0x2000) | Number(pick(random, vlans)))
      .toString(16)
      .padStart(4, '0');
  const tags = times(random, 0, 2, tag).join('');
  const [destination, source] = [pick(random, macs), pick(random, macs.slice(0, 3))];
  const frame = `${destination}${source}${tags}${pick(random, contents)}`;
  const bytes = one(random, 12) ? 3000 : 60;
  return { port: pick(random, [...portNames, bridge]), frame: frame.padEnd(2 * bytes, '00') };
}
