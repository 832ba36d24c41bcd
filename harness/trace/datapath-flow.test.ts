/**
 * Goal: flows in the datapath's notation say the same as flows of the bridge. Method: what dpctl
 * prints of packets, key by key, and the fields that they are.
 */
import t from 'tap';
import { complaint } from '../base/errors/errors.js';
import { InputError } from '../base/errors/errors.js';
import { isDatapathFlow, readDatapathFlow } from './datapath-flow.js';

const read = (text: string) =>
  readDatapathFlow(text, {
    portAt: (port) => {
      if (port === '3') throw new InputError("in_port(3) is the datapath's number");
      return { name: port === '4' ? 'p4' : port };
    },
    tunnelOptions: new Map([[5, { class: 0x102, type: 0x80, bytes: 4 }]]),
  });

void t.test('key by key', (t) => {
  for (const [text, fields] of [
    [
      'recirc_id(0),in_port(p1),eth(src=00:00:00:00:00:01,dst=00:00:00:00:00:02),eth_type(0x0800),' +
        'ipv4(src=10.0.0.1,dst=10.0.0.2,proto=6,tos=0x9,ttl=64,frag=no),tcp(src=1,dst=80),' +
        'tcp_flags(syn|ack)',
      'in_port="p1",dl_src=00:00:00:00:00:01,dl_dst=00:00:00:00:00:02,' +
        'nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_proto=6,nw_tos=8,nw_ecn=1,nw_ttl=64,nw_frag=no,' +
        'tp_src=1,tp_dst=80,tcp_flags=syn|ack,dl_type=0x0800',
    ],
    [
      'in_port(4),eth_type(0x8100),vlan(vid=5,pcp=3),encap(eth_type(0x0806),arp(sip=1.1.1.1,op=1))',
      'in_port="p4",arp_spa=1.1.1.1,arp_op=1,dl_vlan=5,dl_vlan_pcp=3,dl_type=0x0806',
    ],
    [
      'ct_state(-new+est-rel-rpl-inv+trk),ct_zone(0x5),tcp_flags(+syn-ack)',
      'ct_state=est|trk,ct_zone=0x5,tcp_flags=syn',
    ],
    ['ct_state(0x22),ct_mark(0x1)', 'ct_state=0x22,ct_mark=0x1'],
    [
      'tunnel(tun_id=0x5,src=1.1.1.1,dst=1.1.1.2,flags(+oam-df))',
      'tun_id=0x5,tun_src=1.1.1.1,tun_dst=1.1.1.2,tun_flags=oam',
    ],
    [
      'tunnel(vxlan(gbp(id=10,flags=0x8)),geneve({class=0x102,type=0x80,len=4,0x2/0xff}))',
      'tun_gbp_id=10,tun_gbp_flags=0x8,tun_metadata5=0x2',
    ],
    ['in_port(p1),ipv6(src=::1,label=0)', 'in_port="p1",ipv6_src=::1,ipv6_label=0,dl_type=0x86dd'],
  ] as const) {
    t.ok(isDatapathFlow(text));
    t.equal(read(text).text, fields);
  }
  t.notOk(isDatapathFlow('in_port=1,ip,nw_src=10.0.0.1'));
  t.end();
});

void t.test('a port by its number where nobody has listed any', (t) => {
  const names = { portAt: () => ({ name: '7', ofport: 7 }), tunnelOptions: new Map() };
  t.equal(readDatapathFlow('in_port(4)', names).text, 'in_port=7');
  t.end();
});

void t.test('what is left out is noted', (t) => {
  const { text, notes } = read(
    'in_port(p1),skb_priority(0x5),eth_type(0x0800),ipv4(dst=10.0.0.0/255.0.0.0)',
  );
  t.equal(text, 'in_port="p1",nw_dst=10.0.0.0,dl_type=0x0800');
  t.match(notes, [/many packets: .* nw_dst/, /skb_priority/]);
  t.strictSame(read('in_port(p1),skb_priority(0),dp_hash(0/0)').notes.length, 1);
  t.end();
});

void t.test('what is none is refused with its column', (t) => {
  t.match(
    complaint(() => read('eth_type(0x0800),in_port(3)')),
    /^FLOW:1:26: in_port\(3\) is the datapath's number/,
  );
  t.match(
    complaint(() => read('in_port(p1),eht(src=1)')),
    /^FLOW:1:13: unknown key "eht"/,
  );
  t.match(
    complaint(() => read('eth(scr=00:00:00:00:00:01)')),
    /^FLOW:1:5: unknown part "scr=/,
  );
  t.end();
});

void t.test('tags and labels of which FLOW has words for the first alone', (t) => {
  const outer = 'in_port(p1),eth_type(0x88a8),vlan(vid=10,pcp=1),';
  t.strictSame(
    read(`${outer}encap(eth_type(0x8100),vlan(vid=20,pcp=2),encap(eth_type(0x0806),arp()))`),
    {
      text: 'in_port="p1",dl_vlan=10,dl_vlan_pcp=1,dl_type=0x0806',
      headers: {
        tags: [
          { type: 0x88a8, vid: 10, priority: 1 },
          { type: 0x8100, vid: 20, priority: 2 },
        ],
        labels: [],
      },
      notes: [],
    },
  );
  t.strictSame(
    read('mpls(label=60,tc=1,ttl=64,bos=0,label=50/0xfffff,tc=0,ttl=2,bos=1)').headers.labels,
    [0x0003c240, 0x00032102],
  );
  t.end();
});

void t.test('what Open vSwitch does not take is refused', (t) => {
  const tag = (inside: string) => `eth_type(0x8100),vlan(vid=1,pcp=0),encap(${inside})`;
  for (const [text, message] of [
    [tag(tag(tag('eth_type(0x0800)'))), /reads 2 VLAN tags/],
    ['mpls(label=1,label=2,label=3,label=4)', /reads 3 MPLS labels/],
    ['mpls(label=1),mpls(label=2)', /^FLOW:1:15: mpls is given twice/],
    ['ipv4(src=1.1.1.1,src=1.1.1.2)', /^FLOW:1:18: src of ipv4 is given twice/],
    ['eth_type(0x8100),vlan(vid=1,cfi=0)', /there is no tag/],
    ['tunnel(geneve({class=0x1,type=0,len=4,0}))', /no field stands for .*--tlv-map/],
  ] as const)
    t.match(
      complaint(() => read(text)),
      message,
      text,
    );
  t.end();
});
