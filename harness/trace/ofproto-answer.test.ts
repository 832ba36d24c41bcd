/**
 * Goal: what ofproto/trace prints is compared as far as it says something. Method: an answer as
 * Open vSwitch 3.5 gave it, and datapath actions of every kind.
 */
import t from 'tap';
import { outputsOf, readOfprotoAnswer } from './ofproto-answer.js';

const answer = `Flow: eth,tun_src=0.0.0.0,tun_ttl=0,tun_flags=csum,udp,in_port=1,vlan_tci1=0x0000,nw_ttl=64

bridge("br0")
-------------
 0. ip, priority 5
    dec_ttl
    output:2

Final flow: udp,in_port=1,nw_ttl=63
Megaflow: recirc_id=0,eth,ip,in_port=1,nw_frag=no
Datapath actions: set(ipv4(ttl=63)),2
`;

void t.test('an answer', (t) => {
  t.strictSame(readOfprotoAnswer(answer), {
    flow: 'in_port=1,nw_ttl=64,udp',
    finalFlow: 'in_port=1,nw_ttl=63,udp',
    actions: 'set(ipv4(ttl=63)),2',
  });
  t.equal(readOfprotoAnswer(answer.replace('Flow:', 'Flows:')), undefined);
  t.end();
});

void t.test('ports of datapath actions', (t) => {
  for (const [actions, ports] of [
    ['drop', []],
    ['3,set(ipv4(ttl=63)),100,2', [2, 3, 100]],
    ['push_vlan(vid=5,pcp=0),clone(set(eth(src=0a:00:00:00:00:01)),7),2', [2, 7]],
    ['check_pkt_len(size=100,gt(2),le(3))', undefined],
    ['tnl_push(tnl_port(4789),header(size=50),out_port(1))', undefined],
  ] as const)
    t.strictSame(outputsOf(actions), ports, actions);
  t.end();
});
