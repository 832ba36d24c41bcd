// Goal: an answer names each known difference of the kernel's datapath where its packet meets it,
// and only there. Method: a bridge with a flow for each; for each difference packets that meet it,
// and packets much like them that do not. The list of the cases is held against the whole table.
import t from 'tap';
import { dumpedSwitch } from '../dumps/dumped-switch.js';
import { datapathDifferences } from './datapath-differences.js';
import { readScript } from './script/read-script.js';
import { playScript } from './script/play-script.js';

const flows = `priority=10,in_port=1,tp_src=1,udp actions=ct(commit,zone=1,nat(dst=10.9.9.9)),output:2
priority=10,in_port=1,tp_src=2,udp actions=ct(commit,zone=1,nat(src=10.9.9.9)),output:2
priority=10,in_port=1,tp_src=3,udp actions=ct(commit,zone=1,nat(src=10.9.9.9-10.9.9.20)),output:2
priority=10,in_port=1,tp_src=4,udp actions=group:1
priority=10,in_port=1,tp_src=5,udp actions=group:2
priority=10,in_port=1,tp_src=6,udp actions=set_field:192.0.2.1->tun_dst,output:9
priority=10,in_port=1,tp_src=7,udp actions=output:2
priority=10,in_port=1,tp_src=8,udp actions=meter:1,output:2
priority=10,in_port=1,tp_src=9,udp actions=check_pkt_larger(100)->NXM_NX_REG0[0],output:2
priority=10,in_port=1,tp_src=10,udp actions=ct(table=0,zone=0)
priority=10,in_port=1,tp_src=11,udp actions=set_field:5->pkt_mark,output:2
priority=10,in_port=1,tp_src=12,udp actions=set_queue:1,output:2
priority=10,in_port=1,tp_src=13,udp actions=set_field:5->reg1,output:2
priority=9,udp,ct_state=-trk,in_port=1,tp_src=14 actions=ct(table=1,zone=5)
priority=9,udp,in_port=1,tp_src=15 actions=ct(table=0,zone=5)
priority=8,udp,in_port=1,tp_src=16 actions=ct(table=1,zone=5)
priority=8,udp,in_port=2 actions=ct(table=2,zone=5)
priority=8,tcp,tp_dst=21 actions=ct(commit,zone=6,alg=ftp),output:2
priority=7,tcp actions=ct(table=1,zone=6)
priority=7,sctp actions=ct(table=1,zone=6)
priority=7,ip,nw_proto=33 actions=ct(table=1,zone=6)
priority=7,icmp actions=ct(table=1,zone=6)
priority=7,ip,nw_proto=89 actions=ct(table=1,zone=6)
priority=1 actions=output:2
table=1,ip actions=ct(commit,zone=5),output:2
table=2 actions=output:1
`;
const groups = `group_id=1,type=select,bucket=output:2,bucket=output:3
group_id=2,type=all,bucket=output:2,bucket=output:3
`;
const meters = 'meter=1 pktps bands=\ntype=drop rate=100000\n';
const shown = `
 1(p1): addr:aa:55:aa:55:00:01\n 2(p2): addr:aa:55:aa:55:00:02
 3(p3): addr:aa:55:aa:55:00:03
 9(tun): addr:aa:55:aa:55:00:09
 LOCAL(br0): addr:aa:bb:cc:dd:ee:ff\n`;
const target = dumpedSwitch([
  {
    bridge: 'br0',
    flows: { text: flows, file: 'flows' },
    groups: { text: groups, file: 'groups' },
    meters: { text: meters, file: 'meters' },
    ports: { text: shown, file: 'ports' },
  },
]);

const ip = 'nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_ttl=64';
const udp = (source: number, port = 1, destination = 9) =>
  `inject ${port} udp,${ip},tp_src=${source},tp_dst=${destination}`;
const tcp = (flags: string) => `inject 1 tcp,${ip},tp_src=5,tp_dst=6,tcp_flags=${flags}`;
const protocol = (number: number) => `inject 1 ip,nw_proto=${number},${ip}`;
/** Ethernet, IPv4 and UDP from port 7 or 16 with this checksum, which is wrong. */
const wrong = (source: '0007' | '0010') => `inject 1 ${ipv4(32)}${source}0009000c123400000000`;
const long = (source: number) =>
  `inject 1 ${ipv4(28 + 1400)}${hex(source)}0009${hex(8 + 1400)}0000${'00'.repeat(1400)}`;

/** Up to UDP. */
function ipv4(length: number): string {
  return (
    `0a00000000020a000000000108004500${hex(length)}000000004011${checksum(length)}` +
    '0a0000010a000002'
  );
}

function hex(number: number): string {
  return number.toString(16).padStart(4, '0');
}

function checksum(length: number): string {
  const words = [0x4500, length, 0, 0, 0x4011, 0x0a00, 0x0001, 0x0a00, 0x0002];
  const sum = words.reduce((total, word) => total + word, 0);
  return hex(~((sum & 0xffff) + (sum >>> 16)) & 0xffff);
}

interface Case {
  /** How the text of the difference begins. */
  readonly begins: string;
  /** The last line of each script meets it. */
  readonly met: readonly string[];
  readonly notMet: readonly string[];
}

const cases: readonly Case[] = [
  { begins: 'a new connection of which only', met: [udp(1)], notMet: [udp(2), udp(7)] },
  { begins: 'the address and port that nat', met: [udp(3)], notMet: [udp(2)] },
  {
    begins: 'fragments that go to the tracker',
    met: [`inject 1 icmp,nw_frag=first,${ip}`],
    notMet: [`inject 1 icmp,${ip}`, `inject 1 udp,nw_frag=first,${ip}`],
  },
  {
    begins: "timeouts and TCP's windows",
    met: [tcp('syn|fin'), `${udp(16)}\nadvance 5m\n${udp(16)}`],
    notMet: [tcp('syn'), udp(16), `advance 5m\n${udp(7)}`],
  },
  {
    begins: 'helpers (alg=)',
    met: [`inject 1 tcp,${ip},tp_src=5,tp_dst=21,tcp_flags=syn`],
    notMet: [tcp('syn')],
  },
  { begins: 'the bucket of a select group', met: [udp(4)], notMet: [udp(5)] },
  { begins: 'the source port of a UDP tunnel', met: [udp(6)], notMet: [udp(7)] },
  { begins: 'meters of the kernel', met: [udp(8)], notMet: [udp(7)] },
  { begins: 'check_pkt_larger of the kernel', met: [udp(9)], notMet: [udp(7)] },
  {
    begins: 'a segment of TCP with FIN or RST',
    met: [tcp('fin|ack'), tcp('rst'), tcp('rst|ack')],
    notMet: [tcp('syn'), tcp('ack')],
  },
  {
    begins: 'a connection of TCP that is seen without its SYN',
    met: [tcp('ack'), tcp('psh|ack')],
    notMet: [tcp('syn'), tcp('fin|ack')],
  },
  { begins: 'what is to or from port 0', met: [udp(16, 1, 0)], notMet: [udp(16), tcp('syn|fin')] },
  {
    begins: 'SCTP is tracked by its chunks',
    met: [`inject 1 sctp,${ip},tp_src=4,tp_dst=5`],
    notMet: [udp(16), tcp('syn')],
  },
  { begins: 'DCCP, UDP-Lite and GRE', met: [protocol(33)], notMet: [protocol(89), udp(16)] },
  { begins: 'zone 0 is the tracker', met: [udp(10)], notMet: [udp(16)] },
  { begins: 'wrong checksums make', met: [wrong('0010')], notMet: [wrong('0007'), udp(16)] },
  {
    begins: 'pkt_mark is the mark',
    met: [udp(11), `${udp(7)},pkt_mark=5`],
    notMet: [udp(13), udp(7)],
  },
  { begins: 'queues keep rates', met: [udp(12)], notMet: [udp(13)] },
  { begins: 'a packet that the tracker or a pause', met: [udp(15)], notMet: [udp(16)] },
  { begins: 'what a tunnel has made goes by', met: [udp(6)], notMet: [udp(7)] },
  { begins: 'a packet that is too long for', met: [long(6)], notMet: [udp(6), long(7)] },
];

function kernelOf(text: string): readonly string[] {
  const last = playScript(readScript({ file: 's', text }, target)).at(-1)?.result;
  if (last?.kind !== 'packet') throw new Error(`${text}: ${last?.kind}`);
  return last.packet.kernel;
}

for (const { begins, met, notMet } of cases)
  void t.test(begins, (t) => {
    const isNamed = (text: string) => kernelOf(text).some((one) => one.startsWith(begins));
    for (const text of met) t.ok(isNamed(text), text.slice(0, 80));
    for (const text of notMet) t.notOk(isNamed(text), text.slice(0, 80));
    t.end();
  });

void t.test('each difference has a case', (t) => {
  t.strictSame(
    datapathDifferences
      .map(({ text }) => text)
      .filter((text) => !cases.some(({ begins }) => text.startsWith(begins))),
    [],
  );
  t.end();
});
