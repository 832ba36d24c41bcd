/** Draws flows of the bridges of a dump, with the groups, meters and options that they name. */
import type { Random } from '../../base/random.js';
import { second, type DumpSetting } from './dump-case.js';
import { one, pick, times } from './pick.js';

const head = 'cookie=0x0, duration=3.5s, table=0, n_packets=7, n_bytes=420, ';
const matches = [
  'in_port=1',
  'dl_vlan=5',
  'ip',
  'dl_src=0a:00:00:00:00:01',
  'vlan_tci=0x0000/0x1fff',
  'ip,ip_frag=first',
];
const usual = [
  ...['NORMAL', 'NORMAL', 'FLOOD', 'ALL', 'output:2', 'output:4,output:1', 'LOCAL', 'drop'],
  ...['strip_vlan,NORMAL', 'push_vlan:0x8100,set_field:4106->vlan_vid,NORMAL', 'IN_PORT'],
  ...['set_queue:1,output:2,output:3', 'set_queue:0,NORMAL', 'enqueue:1:1'],
  ...['ct(commit,zone=1),NORMAL', 'ct(commit,zone=7),output:3'],
];
const withCable = [...usual, 'output:5', 'output:5,NORMAL', 'mod_vlan_vid:10,output:5'];
/** On the second bridge, whose cable is port 3. */
const beyond = ['NORMAL', 'NORMAL', 'FLOOD', 'output:1', 'output:3', 'IN_PORT', 'drop'];

export function drawProgram(random: Random, hasSecond: boolean): readonly DumpSetting[] {
  return [
    { kind: 'flow', text: `${head}priority=1 actions=NORMAL` },
    ...drawFlows(random, hasSecond ? withCable : usual),
    ...(hasSecond ? [{ ...normal, bridge: second.bridge }] : []),
    ...(hasSecond
      ? drawFlows(random, beyond).map((flow) => ({ ...flow, bridge: second.bridge }))
      : []),
    ...(one(random, 8) ? drawGroup(random) : []),
    ...(one(random, 8) ? drawMeter() : []),
    ...(one(random, 8) ? drawOption(random) : []),
  ];
}

const normal = { kind: 'flow' as const, text: `${head}priority=1 actions=NORMAL` };

function drawFlows(
  random: Random,
  actions: readonly string[],
): readonly { readonly kind: 'flow'; readonly text: string }[] {
  return times(random, 0, 2, (at) => ({
    kind: 'flow',
    text: `${head}priority=${at + 5},${pick(random, matches)} actions=${pick(random, actions)}`,
  }));
}

/** The first live bucket, as liveness of the ports that they watch has it. */
function drawGroup(random: Random): readonly DumpSetting[] {
  const [first, other] = pick(random, [
    [1, 2],
    [2, 3],
    [4, 1],
  ] as const);
  return [
    {
      kind: 'group',
      text:
        `group_id=7,type=ff,bucket=bucket_id:0,watch_port:${first},actions=output:${first},` +
        `bucket=bucket_id:1,watch_port:${other},actions=output:${other}`,
    },
    { kind: 'flow', text: `${head}priority=9,arp actions=group:7` },
  ];
}

/** One that nothing here fills. */
function drawMeter(): readonly DumpSetting[] {
  return [
    { kind: 'meter', text: 'meter=3 kbps burst stats bands=\n type=drop rate=100000 burst_size=1' },
    { kind: 'flow', text: `${head}priority=8,udp actions=meter:3,NORMAL` },
  ];
}

function drawOption(random: Random): readonly DumpSetting[] {
  const field = pick(random, ['tun_metadata0', 'tun_metadata5']);
  return [
    { kind: 'option', text: ` 0x102  0x80       4  ${field}` },
    { kind: 'flow', text: `${head}priority=7,arp actions=set_field:0x5->${field},NORMAL` },
  ];
}
