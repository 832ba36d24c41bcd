/** Draws dumps of a bridge: columns of its rows, flags of its ports, flows, and packets. */
import { randomFor, type Random } from '../../base/random.js';
import { choicesOf, drawColumn } from './draw-column.js';
import {
  bridge,
  idOf,
  portNames,
  second,
  type ColumnSetting,
  type DumpCase,
  type DumpSetting,
} from './dump-case.js';
import { drawProgram } from './draw-program.js';
import { one, pick, times } from './pick.js';
import type { SchemaColumn } from './schema-columns.js';

/** Case `index` of a seed and a version's schema: the same on every machine. */
export function drawDump(seed: number, index: number, schema: readonly SchemaColumn[]): DumpCase {
  const random = randomFor(seed, `dump ${index}`);
  const choices = choicesOf(schema);
  const hasSecond = one(random, 3);
  const settings = [
    ...(hasSecond ? [{ kind: 'second bridge' } as const] : []),
    ...drawProgram(random, hasSecond),
    ...times(random, 2, 9, () => drawColumn(random, choices)),
    ...times(random, 0, 2, () => drawFlag(random, hasSecond)),
    ...times(random, 0, 2, (at) => drawMirror(random, `m${at}`)).flat(),
    ...(one(random, 5) ? drawBond(random) : []),
    ...(one(random, 6) ? drawQueues(random) : []),
    ...(one(random, 8)
      ? [{ kind: 'fragments', value: pick(random, ['drop', 'nx-match']) } as const]
      : []),
    ...(one(random, 8) ? [{ kind: 'no database' } as const] : []),
  ];
  return { settings, packets: times(random, 4, 9, () => drawPacket(random, hasSecond)) };
}

const vlans = ['0', '5', '10', '4095'];

function drawFlag(random: Random, hasSecond: boolean): DumpSetting {
  const common = ['NO_FLOOD', 'NO_FWD', 'NO_RECV', 'PORT_DOWN', 'LINK_DOWN'];
  const flags = one(random, 10) ? ['NO_PACKET_IN', 'NO_RECV_STP', 'BLOCKED'] : common;
  const ports = hasSecond ? [...portNames, ...second.ports, second.cable[0]] : portNames;
  return { kind: 'flag', port: pick(random, ports), flag: pick(random, flags) };
}

function drawMirror(random: Random, row: string): readonly DumpSetting[] {
  const set = (column: string, value: readonly string[]): DumpSetting =>
    columnSetting('Mirror', row, column, value);
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

function columnSetting(
  table: string,
  row: string,
  column: string,
  value: readonly string[],
): ColumnSetting {
  return { kind: 'column', table, row, column, value };
}

function drawBond(random: Random): readonly DumpSetting[] {
  const [first, other] = pick(random, [
    ['p1', 'p2'],
    ['p3', 'p4'],
    ['p2', 'p3'],
  ] as const);
  const mode = pick(random, ['active-backup', 'active-backup', 'balance-slb', 'balance-tcp']);
  const active = `aa:55:aa:55:00:0${pick(random, [first, other]).slice(1)}`;
  return [
    { kind: 'bond', members: [first, other] },
    columnSetting('Port', first, 'bond_mode', [mode]),
    ...(one(random, 4) ? [] : [columnSetting('Port', first, 'bond_active_slave', [active])]),
    ...(mode === 'balance-slb' && !one(random, 3)
      ? [{ kind: 'hashes', bit: random.integer(0, 3) } as const]
      : []),
  ];
}

/** Queues that mark what goes into them; flows name them by number. */
function drawQueues(random: Random): readonly DumpSetting[] {
  const port = pick(random, portNames);
  return [
    columnSetting('Port', port, 'qos', [idOf('QoS', 'q0')]),
    columnSetting('QoS', 'q0', 'type', ['linux-htb']),
    {
      ...columnSetting('QoS', 'q0', 'queues', [idOf('Queue', 'u0')]),
      key: pick(random, ['0', '1']),
    },
    columnSetting('Queue', 'u0', 'dscp', [pick(random, ['0', '10', '63'])]),
  ];
}

const macs = ['0a0000000001', '0a0000000002', '0a0000000003', 'ffffffffffff', '0180c2000000'];

/** UDP from 10.0.0.1 to 10.0.0.2; the same as a first fragment; ARP; and a BPDU of no type. */
const contents = [
  '0800' + '4500001c00000000401166cf0a0000010a000002' + '0000000000080000',
  '0800' + '4500001c00002000401146cf0a0000010a000002' + '0000000000080000',
  '0806' + '0001080006040001' + '0a00000000010a000001' + '0000000000000a000002',
  '0026' + '424203' + '00'.repeat(35),
];

function drawPacket(random: Random, hasSecond: boolean): DumpCase['packets'][number] {
  const tag = () =>
    pick(random, ['8100', '8100', '88a8']) +
    ((random.integer(0, 1) * random.integer(0, 7) * 0x2000) | Number(pick(random, vlans)))
      .toString(16)
      .padStart(4, '0');
  const tags = times(random, 0, 2, tag).join('');
  const [destination, source] = [pick(random, macs), pick(random, macs.slice(0, 3))];
  const frame = `${destination}${source}${tags}${pick(random, contents)}`;
  const bytes = one(random, 12) ? 3000 : 60;
  const ports = [...portNames, bridge, ...(hasSecond ? [...second.ports, second.bridge] : [])];
  return { port: pick(random, ports), frame: frame.padEnd(2 * bytes, '00') };
}
