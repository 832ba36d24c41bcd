/**
 * Goal: a plan's flows, groups, meters and tunnel options are read with their bridge's names, and
 * what is wrong in them is named with its place. Method: a bridge with comments, blank lines and an
 * unknown action.
 */
import t from 'tap';
import {
  parseBridgeFlows,
  parseBridgeGroups,
  parseBridgeMeters,
  readDumpedAgain,
} from './bridge-program.js';
import { printFlow } from './flows/flow.js';
import { printGroup } from './groups/print-group.js';
import { printMeter } from './meters.js';
import { parseTlvMap, printTlvMap } from './syntax/tlv-map.js';

void t.test('the flows that a plan wants on a bridge', (t) => {
  const bridge = {
    name: 'br-int',
    mac: '',
    ports: [{ kind: 'endpoint', name: 'p1', ofport: 3 }],
  } as const;
  const flows = [
    '# comment',
    '',
    '  \t',
    'in_port=p1,actions=output:br-int # to the node',
    'priority=1,actions=drop',
  ];
  t.same(parseBridgeFlows('n1', { ...bridge, flows }).map(printFlow), [
    'table=0, priority=32768,in_port=3 actions=LOCAL',
    'table=0, priority=1 actions=drop',
  ]);
  const wrong = [...flows, 'actions=fly'];
  t.throws(() => parseBridgeFlows('n1', { ...bridge, flows: wrong }), {
    message: /^flows of br-int on n1:6:9: unknown action "fly"/,
  });
  t.throws(() => parseBridgeFlows('n1', { ...bridge, flows: wrong, flowsFile: 'a.flows' }), {
    message: /^a\.flows:6:9: /,
  });
  const planned = { ...bridge, flows };
  t.equal(
    parseBridgeFlows('n1', planned),
    parseBridgeFlows('n1', planned),
    'the same plan is read once',
  );
  t.end();
});

void t.test('its groups and meters, and fields for options of tunnels', (t) => {
  const bridge = {
    name: 'br-int',
    mac: '',
    ports: [{ kind: 'endpoint', name: 'p1', ofport: 3 }],
    flows: ['actions=set_field:5->tun_metadata2,group:7'],
  } as const;
  t.throws(() => parseBridgeFlows('n1', bridge), {
    message: /^flows of br-int on n1:1:\d+: tun_metadata2 stands for no option/,
  });
  t.same(
    parseBridgeFlows('n1', {
      ...bridge,
      tunnelOptions: ['{class=0x102,type=0x80,len=4}->tun_metadata2'],
    }).map(printFlow),
    ['table=0, priority=32768 actions=set_field:0x5->tun_metadata2,group:7'],
  );
  t.same(
    parseBridgeGroups('n1', {
      ...bridge,
      groups: ['# one', 'group_id=7,type=all,bucket=output:p1'],
    }).map((group) => printGroup(group)),
    ['group_id=7,type=all,bucket=bucket_id:0,actions=output:3'],
  );
  t.throws(() => parseBridgeGroups('n1', { ...bridge, groups: ['', 'group_id=7,type=most'] }), {
    message: /^groups of br-int on n1:2:\d+: type: /,
  });
  t.same(
    parseBridgeMeters('n1', { ...bridge, meters: ['meter=1,kbps,band=type=drop,rate=5'] }).map(
      printMeter,
    ),
    ['meter=1 kbps bands=\ntype=drop rate=5'],
  );
  t.throws(() => parseBridgeMeters('n1', { ...bridge, meters: ['meter=1,kbps'] }), {
    message: /^meters of br-int on n1:1:1: a meter needs bands/,
  });
  t.same([parseBridgeGroups('n1', bridge), parseBridgeMeters('n1', bridge)], [[], []]);
  const tunnelOptions = ['{class=0x102,type=0x80,len=4}->tun_metadata2', 'fly'];
  t.throws(() => parseBridgeFlows('n1', { ...bridge, tunnelOptions }), {
    message: /^tunnel options of br-int on n1:2: expected \{class=/,
  });
  t.end();
});

void t.test('what add-tlv-map takes and dump-tlv-map prints', (t) => {
  const dump = [
    'NXT_TLV_TABLE_REPLY (xid=0x2):',
    ' max option space=256 max fields=64',
    ' allocated option space=12',
    '',
    ' mapping table:',
    '  class  type  length  match field',
    ' ------  ----  ------  --------------',
    '  0x102  0x80       4  tun_metadata0',
    ' 0xffff   0x1       8  tun_metadata63',
    '',
  ];
  const text =
    '{class=0x102,type=0x80,len=4}->tun_metadata0,{class=0xffff,type=0x1,len=8}->tun_metadata63';
  t.equal(printTlvMap(parseTlvMap(dump.join('\n'), 'dump')), text);
  t.equal(printTlvMap(parseTlvMap(text, 'map')), text);
  t.equal(printTlvMap(parseTlvMap('# none\n\n', 'map')), '');
  t.equal(printTlvMap(parseTlvMap('  0x102   0x0       0  tun_metadata1', 'dump')), '', 'no value');
  t.equal(
    printTlvMap(parseTlvMap('{class=258,type=255,len=124}->tun_metadata0', 'map')),
    '{class=0x102,type=0xff,len=124}->tun_metadata0',
  );
  t.equal(
    printTlvMap(parseTlvMap('  0x102  0x80      12  tun_metadata10', 'dump')),
    '{class=0x102,type=0x80,len=12}->tun_metadata10',
  );
  for (const [wrong, message] of [
    ...['fly', 'x 0x102 0x80 4 tun_metadata0', '0x102 0x80 4 tun_metadata0 x'].map((line) => [
      line,
      `map:1: expected {class=0x102,type=0x80,len=4}->tun_metadata0, got "${line}"`,
    ]),
    [
      '{class=1,type=0x100,len=4}->tun_metadata0',
      'map:1: a class has 16 bits and a type 8, got class=1,type=0x100',
    ],
    [
      '{class=1,type=2,len=5}->tun_metadata0',
      'map:1: an option has 4 to 124 bytes, by fours, not 5',
    ],
    [
      '{class=1,type=2,len=128}->tun_metadata0',
      'map:1: an option has 4 to 124 bytes, by fours, not 128',
    ],
    [
      '{class=1,type=2,len=4}->tun_metadata64',
      'map:1: there is no tun_metadata64: the last one is tun_metadata63',
    ],
    [
      '{class=0x10000,type=2,len=4}->tun_metadata0',
      'map:1: a class has 16 bits and a type 8, got class=0x10000,type=2',
    ],
    [`${text}\n${text}`, 'map:2: tun_metadata0 is mapped twice'],
  ] as const)
    t.throws(() => parseTlvMap(wrong ?? '', 'map'), { name: 'InputError', message });
  t.end();
});

void t.test('a bridge that is dumped again', (t) => {
  const bridge = { name: 'br-int', mac: '', ports: [], origin: 'dumped' } as const;
  const before = { ...bridge, flows: ['priority=1,actions=drop', 'priority=2,actions=drop'] };
  const [, kept] = parseBridgeFlows('n1', before);
  const after = { ...bridge, flows: ['priority=2,actions=drop', 'priority=3,actions=drop'] };
  readDumpedAgain('n1', before, after);
  const read = parseBridgeFlows('n1', after);
  t.equal(read[0], kept, 'what it had before is not read again');
  t.same(
    read.map(({ priority }) => priority),
    [2, 3],
  );
  const options = {
    ...after,
    flows: [...after.flows],
    tunnelOptions: ['{class=1,type=1,len=4}->'],
  };
  readDumpedAgain('n1', before, options);
  t.throws(
    () => parseBridgeFlows('n1', options),
    { message: /tunnel options of br-int on n1/ },
    'with other options it is',
  );
  t.end();
});
