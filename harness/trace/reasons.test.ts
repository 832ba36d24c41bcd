// Goal: an answer says why a packet goes where it goes, where that is known, and where the kernel's
// datapath is known to differ. Method: a bridge with a table of its own for each reason; the
// reasons of a packet a case, against texts.
import t from 'tap';
import { dumpedSwitch } from '../dumps/dumped-switch.js';
import { InputError } from '../base/errors/errors.js';
import { readFlow } from './packet-stimulus.js';
import { readScript } from './script/read-script.js';
import { playScript } from './script/play-script.js';
import { preparedNode } from './script/prepared-node.js';
import { tracePacket, type TraceResult } from './trace-packets.js';

const flows = `priority=10,tcp actions=ct(table=1,zone=7)
priority=10,tcp6 actions=ct(table=1,zone=7)
priority=10,udp,in_port=1 actions=ct(commit,zone=8,table=2,nat(dst=10.9.9.9))
priority=10,udp,in_port=2 actions=ct(commit,zone=8,table=2,nat(src=10.9.9.9-10.9.9.20))
priority=9,icmp actions=check_pkt_larger(100)->NXM_NX_REG0[0],resubmit(,3)
priority=5,arp actions=NORMAL
priority=4,in_port=1 actions=output:2
priority=4,dl_src=0a:00:00:00:00:01 actions=output:2
priority=3,in_port=2,ipv6 actions=output:1
priority=3,dl_src=0a:00:00:00:00:02,ipv6 actions=output:3
priority=2,in_port=3,ipv6 actions=controller
priority=2,cookie=5,dl_src=0a:00:00:00:00:03,ipv6 actions=controller
table=1,ct_state=+inv actions=drop
table=1,ct_state=+new,tcp actions=ct(commit,zone=7),output:2
table=1,ct_state=+new,tcp6 actions=ct(commit,zone=7),output:2
table=1,ct_state=+est actions=output:1,output:2
table=2,actions=output:2
table=3,reg0=1/1 actions=output:2
table=3,reg0=0/1 actions=output:3
priority=9,sctp actions=check_pkt_larger(1000)->NXM_NX_REG0[0],resubmit(,4)
table=4,priority=9,reg0=1/1,sctp actions=output:2
table=4,priority=9,reg0=1/1,nw_src=10.0.0.0/8,sctp actions=output:3
table=4,priority=5 actions=output:1
`;
const shown =
  ' 1(p1): addr:aa:55:aa:55:00:01\n 2(p2): addr:aa:55:aa:55:00:02\n 3(p3): ' +
  'addr:aa:55:aa:55:00:03\n LOCAL(br0): addr:aa:bb:cc:dd:ee:ff\n';
const target = dumpedSwitch([
  { bridge: 'br0', flows: { text: flows, file: 'flows' }, ports: { text: shown, file: 'ports' } },
]);
const node = preparedNode(target, { connections: [], macs: [] });
const trace = (flow: string): TraceResult =>
  tracePacket(node, readFlow(flow, target, undefined, { payload: undefined }));
const ip = 'nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_ttl=64';

void t.test('reasons', (t) => {
  const known = 'dl_src=0a:00:00:00:00:0a';
  trace(`in_port=p1,arp,${known}`);
  const table: readonly (readonly [flow: string, reason: RegExp])[] = [
    [
      'in_port=p1,arp,dl_dst=01:80:c2:00:00:03',
      /^NORMAL: 01:80:c2:00:00:03 is a reserved address, which is not forwarded/,
    ],
    [
      'in_port=p1,arp,dl_dst=0a:00:00:00:00:0a',
      /^NORMAL: 0a:00:00:00:00:0a was learned at the port that it came from$/,
    ],
    [
      `in_port=p1,tcp,${ip},tcp_flags=syn|ack,tp_src=4,tp_dst=5`,
      /\+inv\) in zone 7: no connection/,
    ],
    [`in_port=p1,tcp,${ip},tcp_flags=syn,tp_dst=5`, /\+inv\) in zone 7: it is to or from port 0/],
    [
      'in_port=p1,icmp,nw_ttl=64',
      /^check_pkt_larger\(100\): the packet has 106 bytes, so that it takes the branch for longer/,
    ],
    [
      'in_port=p1,ipv6,dl_src=0a:00:00:00:00:01',
      /^flows of equal priority match, and do the same: .*in_port=1 .* and .*dl_src=0a:00:00:00:00:01/,
    ],
  ];
  for (const [flow, reason] of table) {
    const { reasons, refused } = trace(flow);
    t.ok(
      reasons.some(({ text }) => reason.test(text)),
      `${flow}: ${reasons.map(({ text }) => text).join('; ')}`,
    );
    t.equal(refused, undefined);
  }
  t.end();
});

void t.test('flows of equal priority that do not do the same', (t) => {
  for (const flow of [
    'in_port=p2,ipv6,dl_src=0a:00:00:00:00:02',
    // Controllers get the cookie.
    'in_port=p3,ipv6,dl_src=0a:00:00:00:00:03',
  ])
    t.match(trace(flow).refused?.message, /two flows of equal priority match one packet/, flow);
  t.end();
});

void t.test('how the kernel differs', (t) => {
  const met = (flow: string) => trace(flow).kernel.map((text) => text.slice(0, 30));
  t.strictSame(met(`in_port=p1,udp,${ip},tp_src=4,tp_dst=5`), ['a new connection of which only']);
  t.strictSame(met(`in_port=p2,udp,${ip},tp_src=4,tp_dst=5`), ['the address and port that nat ']);
  t.strictSame(met('in_port=p1,arp'), []);
  t.end();
});

void t.test('a packet that was thawed continues where flows have it', (t) => {
  const at = (flow: string) => trace(flow).path[0]?.table;
  t.equal(at(`in_port=p1,recirc_id=0x5,ct_zone=7,ct_state=trk|est,tcp,${ip},tp_src=4,tp_dst=5`), 1);
  t.equal(at(`in_port=p1,recirc_id=0x5,table=2,udp,${ip},tp_src=4,tp_dst=5`), 2);
  t.equal(at(`in_port=p1,recirc_id=0,arp`), 0);
  for (const [flow, message] of [
    ['recirc_id=5,in_port=p1,udp', /recirc_id=0x5 .* may be table=1 or table=2: say which/],
    [
      'recirc_id=5,ct_zone=9,udp',
      /no flow of br0 has packets go on behind ct\(table=…\) in zone 9/,
    ],
    ['recirc_id=5,table=3,udp', /may be table=1 or table=2/],
  ] as const)
    t.throws(() => trace(flow), { message }, flow);
  t.throws(() => trace('recirc_id=5,udp'), InputError);
  t.end();
});

void t.test('a TCP connection in a line', (t) => {
  const play = (packet: string) =>
    playScript(
      readScript({ file: 's', text: `inject-tcp p1 p2 ${packet}\ndump-conntrack` }, target),
    );
  for (const packet of [
    `${ip},tp_src=4000,tp_dst=80`,
    'tcp6,ipv6_src=fc00::1,ipv6_dst=fc00::2,nw_ttl=64,tp_src=4000,tp_dst=80,dl_vlan=5',
  ]) {
    const played = play(packet);
    t.equal(played.length, 10);
    const states = played.map(({ step, result }) => [
      step.text.replace(/.*\((.*)\)$/, '$1'),
      result.kind === 'packet'
        ? /ct_state=(\S+?),/.exec(result.packet.translations.at(-1)?.startFlow ?? '')?.[1]
        : '',
    ]);
    t.strictSame(states.slice(0, 9), [
      ['SYN', 'new|trk'],
      ['SYN+ACK', 'est|rpl|trk'],
      ['ACK', 'est|trk'],
      ['data', 'est|trk'],
      ['ACK of data', 'est|rpl|trk'],
      ['answer', 'est|rpl|trk'],
      ['FIN', 'est|trk'],
      ['FIN of the answerer', 'est|rpl|trk'],
      ['last ACK', 'est|trk'],
    ]);
    const last = played.at(-1)?.result;
    t.match(
      last?.kind === 'dump' ? last.lines : [],
      [/state_orig=FIN_WAIT_2,state_reply=FIN_WAIT_2/],
      'both ends have closed it',
    );
  }
  t.throws(() => play('udp'), { message: /^s:1:18: expected a packet of TCP$/ });
  t.throws(() => play('tcp,tcp_flags=syn'), { message: /^s:1:18: the segments of a connection/ });
  t.end();
});

void t.test('an overlap in a branch that the packet does not take', (t) => {
  const { refused, outputs, reasons } = trace(`in_port=p2,sctp,${ip}`);
  t.equal(refused, undefined);
  t.strictSame(
    outputs.map(({ port }) => port),
    ['p1'],
  );
  t.match(
    reasons.map(({ text }) => text),
    [/^the branch that the packet does not take is open: two flows of equal priority/],
  );
  t.end();
});
