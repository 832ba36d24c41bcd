/**
 * Goal: trace reads as ofproto/trace does, and follows the same flows to the same end. Method: one
 * switch with tables in tables, two bridges and fields of every kind; both are asked the same, and
 * up to where the packet leaves the first translation they print the same lines, but for remarks on
 * actions and what only one of them reports.
 */
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { renderTrace } from '../../../reports/render-trace.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { runProgram } from '../../ovs/process/run-program.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { readFlow } from '../../trace/packet-stimulus.js';
import { reportPacket } from '../../trace/report-packet.js';
import { tracePackets } from '../../trace/trace-packets.js';

const plan: NodePlan = {
  node: 'switch',
  hosts: [],
  bridges: [
    {
      name: 'br0',
      mac: '02:00:00:00:00:01',
      ports: [
        { kind: 'endpoint', name: 'p1', ofport: 1 },
        { kind: 'endpoint', name: 'p2', ofport: 2 },
        { kind: 'patch', name: 'patch0', ofport: 7, peer: { bridge: 'br1', port: 'patch1' } },
      ],
      flows: [
        'priority=100,ip,in_port=1 ' +
          'actions=dec_ttl,load:3->NXM_NX_REG0[],resubmit(,9),resubmit(2,8),output:2',
        'table=9,reg0=3,tcp,tp_dst=80 ' +
          'actions=mod_dl_src:0a:00:00:00:00:09,resubmit(,10),set_field:5->reg1',
        'table=10,priority=7,ct_state=+trk actions=move:NXM_NX_REG0[0..15]->NXM_NX_REG2[16..31]',
        'table=8,in_port=2 actions=push_vlan:0x8100,set_field:0x1005->vlan_vid',
        'priority=90,ipv6,in_port=1 actions=set_field:fe80::1->ipv6_dst,goto_table:9',
        'priority=90,arp,in_port=1 actions=set_field:2->arp_op,output:7,output:2',
        'priority=90,mpls,in_port=1 ' +
          'actions=dec_mpls_ttl,set_field:9->metadata,write_metadata:5/7,goto_table:20',
        'priority=80,tun_id=0x5,in_port=1 actions=set_field:7->tun_id,set_tunnel:0x8,output:2',
      ],
    },
    {
      name: 'br1',
      mac: '02:00:00:00:00:02',
      ports: [
        { kind: 'endpoint', name: 'e1', ofport: 1 },
        { kind: 'patch', name: 'patch1', ofport: 9, peer: { bridge: 'br0', port: 'patch0' } },
      ],
      flows: ['priority=5,arp,in_port=9 actions=set_field:1->reg5,output:1'],
    },
  ],
};

const flows = [
  'in_port=1,tcp,dl_src=0a:00:00:00:00:01,nw_src=10.0.0.1,nw_ttl=64,tcp_dst=80',
  'in_port=1,tcp,nw_ttl=64,tcp_dst=80,ct_state=trk|new,ct_mark=0x5,ct_zone=3,pkt_mark=0x9',
  'in_port=p1,udp,nw_ttl=2,nw_tos=0xb8,nw_ecn=2,udp_dst=9,reg5=0x7,metadata=0x8',
  'in_port=1,ip',
  'in_port=2,icmp,icmp_type=8',
  'in_port=1,udp6,ipv6_src=fe80::9,ipv6_label=0x12345,nw_ttl=9,udp_src=5',
  'in_port=1,arp,arp_op=1,arp_spa=10.0.0.1,arp_sha=0a:00:00:00:00:01',
  'in_port=1,dl_vlan=5,dl_vlan_pcp=3,dl_type=0x800,nw_ttl=3',
  'in_port=1,mpls,mpls_label=5,mpls_tc=1,mpls_bos=1,mpls_ttl=9',
  'in_port=1,tun_id=0x5,dl_type=0x88b5',
  'in_port=1,sctp,nw_ttl=64,sctp_dst=80',
  'in_port=LOCAL,icmp6,icmpv6_type=135,icmpv6_code=0,nd_target=fe80::5,nd_sll=0a:00:00:00:00:01',
];

/**
 * The first translation's lines without remarks, and without the fields that ofproto/trace reports
 * though the packet does not have them.
 */
function linesOf(text: string): readonly string[] {
  const end = text.search(/^Final flow: .*$/m);
  const first = text.slice(0, text.indexOf('\n', end));
  return first
    .split('\n')
    .filter((line) => !/^ *(->|>>)/.test(line))
    .map((line) =>
      line
        .replace(/,vlan_tci1=0x0000|,nd_tll=00:00:00:00:00:00/, '')
        .replace(/^(Flow: )(.*,)?eth,/, '$1$2'),
    );
}

void t.test('both print the same', async (t) => {
  const image = await openImage('trixie', (line) => t.comment(line));
  const sim = await openSim({ nodes: [plan] }, image);
  t.teardown(() => sim.close());
  const into = {
    plan,
    unlisted: new Set<string>(),
    tunnels: [],
    notes: [],
    substitutions: [],
    floodNotes: [],
    names: new Map(
      plan.bridges.map(({ name, ports }) => [
        name,
        {
          ports: new Map(ports.map((port) => [port.name, port.ofport])),
          tables: new Map(),
          tunnelOptions: new Map(),
        },
      ]),
    ),
  };
  for (const flow of flows) {
    const { stdout, failure } = await runProgram(image, 'ovs-appctl', [
      '-t',
      join(sim.dir, 'switch/ovs-vswitchd.ctl'),
      'ofproto/trace',
      'br0',
      flow,
    ]);
    t.equal(failure, undefined, flow);
    const [result] = tracePackets(plan, [readFlow(flow, into, 'br0', { payload: undefined })]);
    if (result !== undefined)
      t.strictSame(
        linesOf(stripVTControlCharacters(renderTrace(reportPacket(result)))),
        linesOf(stdout),
        flow,
      );
  }
});
