/**
 * Goal: FLOW is the packet that ofproto/trace would follow, with what is known beside its bytes;
 * what no packet has, and what is not whole, is reported with its place; packets of captures come
 * in where they were captured. Method: flows and captures at a small switch of two bridges.
 */
import t from 'tap';
import { matchOf, printKey } from '../model/fields/match-of.js';
import { encodePcapng } from '../packet/pcap/encode-pcapng.js';
import { readCapture } from '../packet/pcap/read-capture.js';
import { word } from '../packet/flow-key/flow-key.js';
import { stimuliFromCapture, parseFrame, parseHex, readFlow } from './packet-stimulus.js';
import { dumpedSwitch, type DumpedSwitch } from '../dumps/dumped-switch.js';
import { findPort, withPorts } from '../dumps/find-port.js';
import { tracePackets } from './trace-packets.js';

const source = (text: string) => ({ text, file: 'file' });
const show = (bridge: string, ...ports: readonly string[]) =>
  source(
    [...ports, `LOCAL(${bridge})`].map((port) => ` ${port}: addr:02:00:00:00:00:0a`).join('\n'),
  );
const flows = source('table=0 actions=drop\n');
const two = dumpedSwitch([
  {
    bridge: 'br-int',
    flows,
    ports: show('br-int', '1(p1)', '7(web-0)'),
    tunnelOptions: source('{class=0x102,type=0x80,len=4}->tun_metadata0'),
  },
  { bridge: 'br-ex', flows, ports: show('br-ex', '1(eth0)', '2(vlan5)') },
]);
const one = dumpedSwitch([{ bridge: 'br0', flows }]);
const read = (text: string, into: DumpedSwitch = two, bridge?: string, payload?: Uint8Array) =>
  readFlow(text, into, bridge, { payload });
/** The packet as the first table sees it. */
const seen = (text: string, into: DumpedSwitch = two) =>
  printKey(tracePackets(into.plan, [read(text, into)])[0]!.translations[0]!.start);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

void t.test('where it comes in', (t) => {
  t.match(
    [
      read('in_port=p1,ip'),
      read('in_port="web-0",ip'),
      read('ip,in_port=eth0'),
      read('in_port=LOCAL'),
      read('in_port=2,arp'),
    ],
    [
      { bridge: 'br-int', ofport: 1 },
      { bridge: 'br-int', ofport: 7 },
      { bridge: 'br-ex', ofport: 1 },
      { bridge: 'br-int', ofport: 0xfffe },
      { bridge: 'br-ex', ofport: 2 },
    ],
  );
  t.match(
    read('in_port=1,ip', two, 'br-ex'),
    { bridge: 'br-ex', ofport: 1 },
    'the bridge is given',
  );
  t.match(read('ip'), { bridge: 'br-int', ofport: 0xffff }, 'nowhere');
  t.match(findPort(one, '9'), { bridge: { name: 'br0' }, ofport: 9 }, 'nobody has listed ports');
  t.match(
    withPorts(one, [
      { bridge: 'br0', ofport: 9 },
      { bridge: 'br0', ofport: 0xffff },
    ]).plan.bridges[0]?.ports,
    [{ name: '9', ofport: 9 }],
  );
  for (const [text, message] of [
    ['in_port=1,ip', /port 1 is there on br-int, br-ex: give the port's name, or the bridge/],
    ['in_port=p2', /^FLOW:1:9: unknown port "p2"/],
  ] as const)
    t.throws(() => read(text), { name: 'InputError', message });
  t.throws(() => read('ip', two, 'br9'), {
    name: 'InputError',
    message: /unknown bridge "br9".*br-int, br-ex/,
  });
  t.throws(() => withPorts(two, [{ bridge: 'br-ex', ofport: 9 }]), {
    name: 'InputError',
    message: /unknown port of br-ex "9".*1 \(eth0\), 2 \(vlan5\)/,
  });
  t.end();
});

void t.test('what it is', (t) => {
  t.equal(
    seen('in_port=p1,tcp,nw_src=10.0.0.1,nw_ttl=64,tp_dst=80,tcp_flags=syn|ack'),
    'tcp,in_port=1,vlan_tci=0x0000,dl_src=00:00:00:00:00:00,dl_dst=00:00:00:00:00:00,' +
      'nw_src=10.0.0.1,nw_dst=0.0.0.0,nw_tos=0,nw_ecn=0,nw_ttl=64,nw_frag=no,tp_src=0,tp_dst=80,' +
      'tcp_flags=syn|ack',
  );
  t.equal(
    seen('tp_dst=80,udp6,in_port=p1,ipv6_dst=fe80::1,dl_vlan=5'),
    'udp6,in_port=1,dl_vlan=5,dl_vlan_pcp=0,dl_src=00:00:00:00:00:00,dl_dst=00:00:00:00:00:00,' +
      'ipv6_src=::,ipv6_dst=fe80::1,ipv6_label=0x00000,nw_tos=0,nw_ecn=0,nw_ttl=0,nw_frag=no,' +
      'tp_src=0,tp_dst=80',
  );
  t.equal(
    seen(
      'icmp6,icmp_type=135,icmp_code=0,nd_target=fe80::9,nd_sll=0a:00:00:00:00:01,in_port=p1',
    ).replace(/^.*nw_frag=no,/, ''),
    'icmp_type=135,icmp_code=0,nd_target=fe80::9,nd_sll=0a:00:00:00:00:01',
  );
  t.equal(
    seen('mpls,mpls_label=5,mpls_bos=1,mpls_ttl=9,in_port=p1').replace(
      /^.*dl_dst=00:00:00:00:00:00,/,
      '',
    ),
    'mpls_label=5,mpls_tc=0,mpls_ttl=9,mpls_bos=1',
  );
  t.equal(
    hex(read('in_port=p1,udp', two, undefined, Uint8Array.of(1, 2)).frame).slice(-20),
    '00000000000aecd60102'.replace(
      'ecd6',
      hex(read('in_port=p1,udp', two, undefined, Uint8Array.of(1, 2)).frame).slice(-8, -4),
    ),
    'payload',
  );
  t.equal(
    read('in_port=p1,udp').frame.length,
    14 + 20 + 8 + 64,
    'as much as Open vSwitch puts there',
  );
  t.end();
});

void t.test('what is known beside its bytes', (t) => {
  const metadata =
    'ct_state=new|trk,ct_mark=0x7,reg0=0x3,tun_id=0x5,tun_src=10.9.9.9,metadata=0x10000000a';
  t.match(
    seen(`in_port=p1,arp,pkt_mark=1,ct_zone=9,xxreg1=0x1,${metadata}`),
    /^pkt_mark=0x1,ct_state=new\|trk,ct_zone=9,ct_mark=0x7,arp,reg0=0x3,reg7=0x1,tun_id=0x5,tun_src=10\.9\.9\.9,metadata=0x10000000a,in_port=1,/,
  );
  t.strictSame(
    read(`in_port=p1,ip,${metadata}`).metadata.map(({ field }) => field.name),
    ['ct_state', 'ct_mark', 'reg0', 'tun_id', 'tun_src', 'metadata'],
  );
  t.equal(read('in_port=p1,ip').metadataKey, undefined);
  t.equal(
    seen('in_port=p1,arp,skb_priority=0x5,tun_ttl=9').match(/skb_priority=0x5,arp,tun_ttl=9/)
      ?.length,
    1,
    'fields that no flow matches',
  );
  const frame = new Uint8Array(60);
  t.match(
    readFlow('in_port=p1,reg0=5', two, undefined, { frame }),
    { ofport: 1, frame, known: { [word.reg]: 5 } },
    'beside bytes that are given',
  );
  t.throws(() => readFlow('in_port=p1,reg0=5,tcp', two, undefined, { frame }), {
    name: 'InputError',
    message: /^FLOW: tcp stands in the packet's bytes/,
  });
  t.end();
});

void t.test('what is wrong', (t) => {
  const wrong = (text: string, message: RegExp, name = 'InputError') =>
    t.throws(() => read(text), { name, message }, text);
  wrong('in_port=p1,tp_dst=80', /^FLOW:1:12: tp_dst needs a match on tcp or udp or /);
  wrong('in_port=p1,tcp,tp_dts=80', /^FLOW:1:16: unknown field "tp_dts"/);
  wrong(
    'in_port=p1,ip,nw_src=10.0.0.0/8',
    /nw_src=10\.0\.0\.0\/8: a packet has one value of nw_src: give all of it, without a mask$/,
  );
  wrong(
    'in_port=p1,ip,ct_state=+trk',
    /ct_state=\+trk: .* without a mask, such as ct_state=trk\|new/,
  );
  wrong('in_port=p1,recirc_id=3', /recirc_id=0x3: no flow of \S+ has packets go on behind ct/);
  wrong('packet_type=(1,0x800)', /packets without an Ethernet header/, 'Unsupported');
  wrong('in_port=p1,tun_metadata1=5', /tun_metadata1 stands for no option of the tlv-map/);
  wrong('in_port=p1,tcp,tp_src=1,tcp_src=2', /^FLOW:1:25: tp_src is given twice$/);
  wrong('in_port=p1,vlan_tci=0x0005', /no packet that is made of it has vlan_tci=0x0005/);
  wrong('in_port=p1,dl_type=0x0100', /no packet that is made of it has dl_type=0x0100/);
  t.throws(() => parseFrame('0a0'), {
    message:
      '--packet: expected an Ethernet frame of at least 14 bytes as hexadecimal digits, two a ' +
      'byte, got 3 digits',
  });
  t.throws(() => parseFrame('0a 0b'), { message: /got 2 bytes$/ });
  t.throws(() => parseHex('0x0a', '--l7'), {
    message: '--l7: expected bytes as hexadecimal digits, two a byte, got "x" among them',
  });
  t.strictSame(parseHex('0A\n0b', '--l7'), Uint8Array.of(10, 11));
  t.end();
});

void t.test('captures', (t) => {
  const frame = new Uint8Array(14);
  const capture = (...names: readonly string[]) =>
    readCapture(
      encodePcapng({
        application: 'test',
        interfaces: names.map((name) => ({ name, description: '' })),
        packets: names.flatMap((_, index) =>
          (['inbound', 'outbound'] as const).map((direction) => ({
            interface: index,
            timeUs: 0,
            direction,
            comment: '',
            frame,
          })),
        ),
      }),
      'file',
    );
  t.match(
    stimuliFromCapture(capture('p1', 'n1/eth0'), 'file', two, undefined).map(
      ({ bridge, ofport }) => [bridge, ofport],
    ),
    [
      ['br-int', 1],
      ['br-ex', 1],
    ],
    'ports of those names; what left there is left out',
  );
  t.match(
    stimuliFromCapture(capture('x', 'y'), 'file', two, findPort(two, 'web-0')).map(
      ({ ofport }) => ofport,
    ),
    [7, 7, 7, 7],
    'all of them at one port',
  );
  t.throws(() => stimuliFromCapture(capture('x'), 'file', two, undefined), {
    name: 'InputError',
    message:
      /^file: byte \d+: no port is called after the interface "x": ports are br-int, p1, web-0, br-ex, eth0, vlan5; or say/,
  });
  t.throws(() => stimuliFromCapture(capture(''), 'file', two, undefined), {
    name: 'InputError',
    message: /^file: byte \d+: the packet names no interface/,
  });
  t.end();
});

void t.test('a key as a match: all that the packet has, and what is known beside it', (t) => {
  const { start } = tracePackets(two.plan, [read('in_port=p1,arp,reg3=1')])[0]!.translations[0]!;
  t.strictSame(
    matchOf(start).map(({ field }) => field.name),
    [
      'reg3',
      'in_port',
      'vlan_tci',
      'eth_src',
      'eth_dst',
      'eth_type',
      'arp_spa',
      'arp_tpa',
      'arp_op',
      'arp_sha',
      'arp_tha',
    ],
  );
  t.end();
});
