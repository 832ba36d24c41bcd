/**
 * Small pipelines whose ways are worth knowing one by one: what a packet of UDP (by default) that
 * enters port 1 comes out of, in the order of ports, and how often each flow counts. `p2!` is one
 * that differs from what went in. Real switches say the same (cases.live.test.ts).
 */
export interface Case {
  readonly name: string;
  readonly flows: readonly string[];
  readonly groups?: readonly string[];
  readonly frame?: FrameName;
  /** Ports it comes out of, and table/priority:packets of the flows that counted. */
  readonly expected: string;
  /** What controllers get: id, reason, table, cookie, metadata, and userdata. */
  readonly expectedPacketIns?: readonly string[];
  /** Where Open vSwitch before 3.2 differs. */
  readonly expectedBefore32?: string;
}

export type FrameName =
  | 'udp'
  | 'ttl 1'
  | 'label'
  | 'long'
  | 'of 1,514 bytes'
  | 'padded'
  | 'tcp'
  | 'behind an extension';

const label = (rest: string) => ['in_port=1,actions=goto_table:1', `table=1,mpls actions=${rest}`];

export const cases: readonly Case[] = [
  // Groups: each bucket has its own copy.
  {
    name: 'all buckets',
    groups: ['group_id=1,type=all,bucket=set_field:9->nw_ttl,output:2,bucket=output:3'],
    flows: ['udp,actions=group:1,output:4'],
    expected: 'p2! p3 p4 | 0/32768:1',
  },
  {
    name: 'a bucket without an output does nothing',
    groups: ['group_id=1,type=all,bucket=set_field:9->nw_ttl,bucket=output:3'],
    flows: ['udp,actions=group:1,output:4'],
    expected: 'p3 p4 | 0/32768:1',
  },
  {
    name: 'indirect',
    groups: ['group_id=1,type=indirect,bucket=dec_ttl,output:2'],
    flows: ['udp,actions=group:1,output:4'],
    expected: 'p2! p4 | 0/32768:1',
  },
  {
    name: 'the first bucket alive',
    groups: [
      'group_id=1,type=ff,bucket=watch_port:9,output:2,bucket=watch_port:3,output:3,' +
        'bucket=watch_port:2,output:2',
    ],
    flows: ['udp,actions=group:1'],
    expected: 'p3 | 0/32768:1',
  },
  {
    name: 'no bucket alive',
    groups: ['group_id=1,type=ff,bucket=watch_port:9,output:2'],
    flows: ['udp,actions=group:1,output:4'],
    expected: 'p4 | 0/32768:1',
  },
  {
    name: 'a bucket that watches a group',
    groups: [
      'group_id=2,type=ff,bucket=watch_port:9,output:2',
      'group_id=3,type=all,bucket=output:2',
      'group_id=1,type=ff,bucket=watch_group:2,output:2,bucket=watch_group:3,output:3',
    ],
    flows: ['udp,actions=group:1,output:4'],
    expected: 'p3 p4 | 0/32768:1',
  },
  {
    name: 'a group in a group',
    groups: [
      'group_id=1,type=all,bucket=group:2,bucket=output:3',
      'group_id=2,type=all,bucket=set_field:9->nw_ttl,output:2,bucket=output:4',
    ],
    flows: ['udp,actions=group:1'],
    expected: 'p2! p3 p4 | 0/32768:1',
  },
  {
    name: 'buckets execute a set in its order',
    groups: ['group_id=1,type=all,bucket=output:2,set_field:9->nw_ttl,dec_ttl'],
    flows: ['udp,actions=group:1'],
    expected: 'p2! | 0/32768:1',
  },
  {
    name: 'a group beats an output in a bucket',
    groups: ['group_id=1,type=all,bucket=output:2,group:2', 'group_id=2,type=all,bucket=output:3'],
    flows: ['udp,actions=group:1'],
    expected: 'p3 | 0/32768:1',
  },
  {
    name: 'a bucket that resubmits',
    groups: ['group_id=1,type=all,bucket=resubmit(,1),bucket=output:4'],
    flows: [
      'udp,actions=set_field:5->reg0,group:1,output:3',
      'table=1,udp,reg0=5 actions=set_field:9->nw_ttl,output:2,exit,output:3',
    ],
    expected: 'p2! p3 p4 | 0/32768:1 1/32768:1',
  },
  // `select`: the bucket is Open vSwitch's own choice.
  {
    name: 'one of two',
    groups: ['group_id=1,type=select,bucket=output:2,bucket=output:3'],
    flows: ['udp,actions=output:4,group:1'],
    expected: 'p2 p4 | 0/32768:1',
  },
  {
    name: 'one of five by weight',
    groups: [
      'group_id=1,type=select,bucket=weight:1,output:2,bucket=weight:9,output:3,' +
        'bucket=weight:90,output:4',
    ],
    flows: ['udp,actions=group:1'],
    expected: 'p4 | 0/32768:1',
  },
  {
    name: 'weights too far apart',
    groups: ['group_id=1,type=select,bucket=weight:1,output:2,bucket=weight:9000,output:3'],
    flows: ['udp,actions=group:1'],
    expected: 'p3 | 0/32768:1',
  },
  {
    name: 'by the fields given',
    groups: [
      'group_id=1,type=select,selection_method=hash,selection_method_param=7,fields(ip_src,' +
        'udp_dst=0xff),bucket=output:2,bucket=output:3,bucket=output:4',
    ],
    flows: ['udp,actions=group:1'],
    expected: 'p4 | 0/32768:1',
  },
  {
    name: 'by no fields',
    groups: [
      'group_id=1,type=select,selection_method=hash,bucket=output:2,bucket=output:3,' +
        'bucket=output:4',
    ],
    flows: ['udp,actions=group:1'],
    expected: 'p2 | 0/32768:1',
  },
  {
    name: 'by the datapath',
    groups: [
      'group_id=1,type=select,selection_method=dp_hash,selection_method_param=7,' +
        'bucket=output:2,bucket=output:3,bucket=output:4',
    ],
    flows: ['udp,actions=group:1'],
    expected: 'p2 | 0/32768:1',
  },
  {
    name: 'by the datapath, the same for both directions',
    groups: [
      'group_id=1,type=select,selection_method=dp_hash,selection_method_param=0x100000007,' +
        'bucket=output:2,bucket=output:3,bucket=output:4',
    ],
    flows: ['udp,actions=group:1'],
    expected: 'p3 | 0/32768:1',
  },
  {
    name: 'behind an extension of IPv6, by the protocol that IPv6 itself names',
    groups: [
      'group_id=1,type=select,selection_method=dp_hash,' +
        `selection_method_param=7${[1, 2, 3, 4].map((port) => `,bucket=output:${port === 1 ? 'LOCAL' : port}`).join('')}`,
    ],
    flows: ['ipv6,actions=group:1'],
    frame: 'behind an extension',
    expected: 'p3 | 0/32768:1',
  },
  {
    name: 'what is behind a select group waits for the hash',
    groups: ['group_id=1,type=select,bucket=output:2,bucket=output:3'],
    flows: ['ip,actions=resubmit(,1),output:4', 'table=1,ip actions=group:1,dec_ttl,output:LOCAL'],
    frame: 'ttl 1',
    expected: 'p2 | 0/32768:1 1/32768:1',
    expectedPacketIns: ['0 invalid_ttl 1 0 in_port=1 []'],
  },
  {
    name: 'an action set behind the hash continues in the table of the group',
    groups: [
      'group_id=1,type=select,bucket=weight:2,output:4',
      'group_id=2,type=ff,bucket=watch_port:1,resubmit:3',
    ],
    flows: [
      'in_port=1,actions=resubmit(,6),goto_table:2',
      'table=6,actions=resubmit(,5),write_actions(group:2)',
      'table=5,in_port=1,actions=group:1',
      'table=5,in_port=3,actions=output:3',
      'table=2,actions=output:2',
    ],
    expected: 'p2 p3 p4 | 0/32768:1 2/32768:1 5/32768:1 5/32768:1 6/32768:1',
  },
  // Action sets.
  {
    name: 'written actions come last, in their order',
    flows: [
      'udp,actions=output:4,write_actions(output:2,set_field:9->nw_ttl,dec_ttl),goto_table:1',
      'table=1 actions=output:3',
    ],
    expected: 'p2! p3 p4 | 0/32768:1 1/32768:1',
  },
  {
    name: 'the last output written counts',
    flows: [
      'actions=write_actions(output:2),goto_table:1',
      'table=1 actions=write_actions(output:3)',
    ],
    expected: 'p3 | 0/32768:1 1/32768:1',
  },
  {
    name: 'cleared actions',
    flows: [
      'actions=write_actions(output:2),goto_table:1',
      'table=1 actions=clear_actions,write_actions(output:3)',
    ],
    expected: 'p3 | 0/32768:1 1/32768:1',
  },
  {
    name: 'without an output nothing is executed',
    flows: ['udp,actions=write_actions(dec_ttl),goto_table:1', 'table=1 actions=output:3'],
    expected: 'p3 | 0/32768:1 1/32768:1',
  },
  {
    name: 'actset_output holds the output',
    flows: [
      'actions=write_actions(output:2),goto_table:1',
      'table=1,actset_output=2 actions=output:3',
      'table=1,priority=1 actions=output:4',
    ],
    expected: 'p2 p3 | 0/32768:1 1/32768:1',
  },
  {
    name: 'actset_output is unset without one, and beside a group',
    groups: ['group_id=1,type=all,bucket=output:2'],
    flows: [
      'actions=write_actions(group:1,output:3),goto_table:1',
      'table=1,actset_output=unset actions=output:4',
    ],
    expected: 'p2 p4 | 0/32768:1 1/32768:1',
  },
  {
    name: 'actset_output as a number',
    flows: [
      'actions=write_actions(output:LOCAL),goto_table:1',
      'table=1 actions=move:ONFOXM_ET_ACTSET_OUTPUT[]->NXM_NX_REG0[],goto_table:2',
      'table=2,reg0=0xfffffffe actions=output:3',
    ],
    expected: 'br0 p3 | 0/32768:1 1/32768:1 2/32768:1',
  },
  {
    name: 'exit leaves the set undone',
    flows: [
      'actions=output:4,resubmit(,1),write_actions(output:2),goto_table:2',
      'table=1 actions=exit',
      'table=2 actions=output:3',
    ],
    expected: 'p4 | 0/32768:1 1/32768:1',
  },
  {
    name: 'write_metadata',
    flows: ['actions=write_metadata:0x5/0xf,goto_table:1', 'table=1,metadata=5 actions=output:3'],
    expected: 'p3 | 0/32768:1 1/32768:1',
  },
  // Copies.
  {
    name: 'clone',
    flows: ['udp,actions=clone(set_field:9->nw_ttl,output:2),output:3'],
    expected: 'p2! p3 | 0/32768:1',
  },
  {
    name: 'clone begins with an empty stack',
    flows: [
      'actions=set_field:5->reg0,push:NXM_NX_REG0[],clone(pop:NXM_NX_REG1[],resubmit(,1)),output:4',
      'table=1,reg1=5 actions=output:2',
      'table=1,priority=1 actions=output:3',
    ],
    expected: 'p3 p4 | 0/32768:1 1/1:1',
    expectedBefore32: 'p2 p4 | 0/32768:1 1/32768:1',
  },
  {
    name: 'clone begins with an empty action set',
    flows: [
      'actions=write_actions(output:2),goto_table:1',
      'table=1 actions=clone(output:3),output:4',
    ],
    expected: 'p2 p3 p4 | 0/32768:1 1/32768:1',
    expectedBefore32: 'p2 p2 p3 p4 | 0/32768:1 1/32768:1',
  },
  {
    name: 'exit in a clone ends all',
    flows: ['actions=clone(output:2,exit),output:3'],
    expected: 'p2 | 0/32768:1',
  },
  {
    name: 'longer packets',
    flows: [
      'actions=check_pkt_larger(100)->NXM_NX_REG0[3],resubmit(,1)',
      'table=1,reg0=8 actions=output:2',
      'table=1,priority=1 actions=output:3',
    ],
    frame: 'long',
    expected: 'p2 | 0/32768:1 1/1:1 1/32768:1',
  },
  {
    name: 'shorter packets',
    flows: [
      'actions=check_pkt_larger(100)->NXM_NX_REG0[3],resubmit(,1)',
      'table=1,reg0=8 actions=output:2',
      'table=1,priority=1 actions=output:3',
    ],
    expected: 'p3 | 0/32768:1 1/1:1 1/32768:1',
  },
  {
    name: 'bytes behind the end of IP do not count',
    flows: [
      'actions=check_pkt_larger(62)->NXM_NX_REG0[3],resubmit(,1)',
      'table=1,reg0=8 actions=output:2',
      'table=1,priority=1 actions=output:3',
    ],
    frame: 'padded',
    expected: 'p3 | 0/32768:1 1/1:1 1/32768:1',
  },
  {
    name: 'the last clone is no copy: it is cut before the tag is there',
    flows: ['actions=push_vlan:0x8100,clone(output(port=2,max_len=64))'],
    expected: 'p2! | 0/32768:1',
  },
  {
    name: 'a clone in a clone that is cut off',
    flows: ['actions=push_vlan:0x8100,clone(clone(output(port=2,max_len=64))),output:3'],
    expected: 'p2! p3! | 0/32768:1',
  },
  {
    name: 'what is behind a table with check_pkt_larger',
    flows: [
      'actions=resubmit(,1),output:4',
      'table=1 actions=check_pkt_larger(1)->NXM_NX_REG0[0],output:2',
    ],
    expected: 'p2 p4 | 0/32768:1 1/32768:1',
  },
  // The stack.
  {
    name: 'push and pop',
    flows: [
      'actions=set_field:0x1234->reg0,push:NXM_NX_REG0[0..7],push:NXM_NX_REG0[8..15],' +
        'pop:NXM_NX_REG1[],pop:NXM_NX_REG2[4..11],goto_table:1',
      'table=1,reg1=0x12,reg2=0x340 actions=output:2',
    ],
    expected: 'p2 | 0/32768:1 1/32768:1',
  },
  {
    name: 'pop of nothing',
    flows: [
      'actions=set_field:7->reg0,pop:NXM_NX_REG0[],goto_table:1',
      'table=1,reg0=7 actions=output:2',
    ],
    expected: 'p2 | 0/32768:1 1/32768:1',
  },
  // Conjunctions.
  {
    name: 'a conjunction',
    flows: [
      'priority=5,in_port=1 actions=conjunction(7,1/2)',
      'priority=5,ip actions=conjunction(7,2/2)',
      'priority=4,conj_id=7 actions=output:2',
      'priority=1 actions=output:3',
    ],
    expected: 'p2 | 0/4:1',
  },
  {
    name: 'a clause is missing',
    flows: [
      'priority=5,in_port=1 actions=conjunction(7,1/2)',
      'priority=5,ipv6 actions=conjunction(7,2/2)',
      'priority=4,conj_id=7 actions=output:2',
      'priority=1 actions=output:3',
    ],
    expected: 'p3 | 0/1:1',
  },
  {
    name: 'a whole flow of the same priority wins',
    flows: [
      'priority=5,in_port=1 actions=conjunction(7,1/2)',
      'priority=5,ip actions=conjunction(7,2/2)',
      'conj_id=7,actions=output:2',
      'priority=5,udp actions=output:3',
    ],
    expected: 'p3 | 0/5:1',
  },
  {
    name: 'one flow is no two clauses',
    flows: [
      'priority=5,ip actions=conjunction(7,1/2),conjunction(7,2/2)',
      'conj_id=7,actions=output:2',
      'priority=1 actions=output:3',
    ],
    expected: 'p3 | 0/1:1',
  },
  {
    name: 'a conjunction without a flow of its own hands on to any',
    flows: [
      'priority=9,in_port=1 actions=conjunction(7,1/2)',
      'priority=9,ip actions=conjunction(7,2/2)',
      'priority=5,udp actions=conjunction(8,1/2)',
      'priority=5,nw_ttl=64,ip actions=conjunction(8,2/2)',
      'priority=4,conj_id=8 actions=output:2',
      'priority=1 actions=output:3',
    ],
    expected: 'p3 | 0/1:1',
  },
  {
    name: 'a conjunction of lower priority',
    flows: [
      'priority=9,in_port=1 actions=conjunction(7,1/2)',
      'priority=9,ipv6 actions=conjunction(7,2/2)',
      'priority=5,udp actions=conjunction(8,1/2)',
      'priority=5,nw_ttl=64,ip actions=conjunction(8,2/2)',
      'priority=4,conj_id=8 actions=output:2',
      'priority=1 actions=output:3',
    ],
    expected: 'p2 | 0/4:1',
  },
  {
    name: 'a part hides a flow with its match',
    flows: [
      'priority=9,in_port=1 actions=conjunction(7,1/2)',
      'priority=9,ip actions=conjunction(7,2/2)',
      'priority=8,ip actions=output:2',
      'priority=1 actions=output:3',
    ],
    expected: 'p3 | 0/1:1',
  },
  {
    name: 'conj_id is gone behind the lookup',
    flows: [
      'priority=5,in_port=1 actions=conjunction(7,1/2)',
      'priority=5,ip actions=conjunction(7,2/2)',
      'conj_id=7,actions=move:NXM_NX_CONJ_ID[]->NXM_NX_REG0[],goto_table:1',
      'table=1,reg0=0,conj_id=0 actions=output:2',
    ],
    expected: 'p2 | 0/32768:1 1/32768:1',
  },
  // Outputs.
  { name: 'FLOOD and ALL', flows: ['actions=FLOOD'], expected: 'br0 p2 p3 p4 | 0/32768:1' },
  { name: 'ALL', flows: ['actions=ALL,IN_PORT'], expected: 'br0 p1 p2 p3 p4 | 0/32768:1' },
  {
    name: 'no port takes more than 1,514 bytes, and a tag',
    flows: [
      'actions=output:3,push_vlan:0x8100,output:2,push_vlan:0x8100,output:4,pop_vlan,pop_vlan,' +
        'push_vlan:0x88a8,output:LOCAL',
    ],
    frame: 'of 1,514 bytes',
    expected: 'p2! p3 | 0/32768:1',
  },
  {
    name: 'a copy cut off',
    flows: ['actions=output(port=2,max_len=20),output:3'],
    expected: 'p2! p3 | 0/32768:1',
  },
  {
    name: 'a copy cut off is not for the port it came from',
    flows: [
      'actions=output(port=IN_PORT,max_len=20),output(port=1,max_len=20),output(port=9,' +
        'max_len=20),output:3',
    ],
    expected: 'p3 | 0/32768:1',
  },
  {
    name: 'a field that holds a name',
    flows: ['actions=set_field:0xfffb->reg0,output:NXM_NX_REG0[]'],
    expected: 'br0 p2 p3 p4 | 0/32768:1',
  },
  {
    name: 'a field that holds no port',
    flows: ['actions=set_field:0x10002->reg0,output:NXM_NX_REG0[],output:NXM_NX_REG0[0..15]'],
    expected: 'p2 | 0/32768:1',
  },
  {
    name: 'queues',
    flows: ['actions=enqueue:2:5,set_queue:7,output:3,pop_queue,enqueue:1:5,enqueue:IN_PORT:5'],
    expected: 'p1 p2 p3 | 0/32768:1',
  },
  {
    name: 'in_port as OpenFlow 1.1 numbers it',
    flows: [
      'actions=move:OXM_OF_IN_PORT[]->NXM_NX_REG0[],set_field:0xfffffffe->reg1,' +
        'move:NXM_NX_REG1[]->OXM_OF_IN_PORT[],output:1,output:LOCAL,goto_table:1',
      'table=1,reg0=1 actions=IN_PORT',
    ],
    expected: 'br0 p1 | 0/32768:1 1/32768:1',
  },
  {
    name: 'sample, note, fin_timeout',
    flows: [
      'tcp,actions=sample(probability=65535,collector_set_id=1,obs_domain_id=0,' +
        'obs_point_id=0),note:01.02,fin_timeout(idle_timeout=5),output:2',
    ],
    frame: 'tcp',
    expected: 'p2 | 0/32768:1',
  },
  // By hash.
  {
    name: 'multipath',
    flows: [
      'udp,actions=multipath(symmetric_l4,50,modulo_n,3,0,NXM_NX_REG0[]),multipath(nw_src,1,' +
        'hash_threshold,9,0,NXM_NX_REG1[]),goto_table:1',
      'table=1,reg0=0 actions=output:2,goto_table:2',
      'table=1,reg0=1 actions=output:3,goto_table:2',
      'table=1,reg0=2 actions=output:4,goto_table:2',
    ],
    expected: 'p3 | 0/32768:1 1/32768:1',
  },
  {
    name: 'bundle',
    flows: [
      'udp,actions=bundle(symmetric_l3l4+udp,9,hrw,ofport,members:9,2,3,4),bundle(eth_src,0,' +
        'active_backup,ofport,members:9,4,2)',
    ],
    expected: 'p3 p4 | 0/32768:1',
  },
  // What is behind labels: the rest continues once the frame is parsed again.
  {
    name: 'TTL 1 behind a label ends all that is left',
    flows: [
      'in_port=1,mpls,actions=resubmit(,1),output:2',
      'table=1,mpls actions=pop_mpls:0x0800,dec_ttl,output:3',
    ],
    frame: 'label',
    expected: ' | 0/32768:1 1/32768:1',
    expectedPacketIns: ['0 invalid_ttl 1 0 in_port=1 []'],
  },
  {
    name: 'a table behind a label',
    flows: [
      ...label('pop_mpls:0x0800,resubmit(,2),output:4'),
      'table=2,udp actions=output:2',
      'table=2,priority=1 actions=output:3',
    ],
    frame: 'label',
    expected: 'p2! p4! | 0/32768:1 1/32768:1 2/32768:1',
  },
  {
    name: 'what a label in a clone had covered is written behind it',
    flows: ['udp,actions=clone(push_mpls:0x8847,output:4),set_field:9.9.9.9->nw_dst,output:3'],
    expected: 'p3! p4! | 0/32768:1',
  },
  {
    name: 'an output behind a label',
    flows: label('pop_mpls:0x0800,output:2,set_field:0a:00:00:00:00:09->eth_dst,output:3'),
    frame: 'label',
    expected: 'p2! p3! | 0/32768:1 1/32768:1',
  },
  {
    name: 'what is behind a clone that parses again is not executed',
    flows: label('clone(pop_mpls:0x0800,dec_ttl,output:2),output:3'),
    frame: 'label',
    expected: ' | 0/32768:1 1/32768:1',
    expectedPacketIns: ['0 invalid_ttl 1 0 in_port=1 []'],
  },
  {
    name: 'too many labels undo everything',
    flows: label('output:2,push_mpls:0x8847,push_mpls:0x8847,push_mpls:0x8847,output:3'),
    frame: 'label',
    expected: ' | 0/32768:1 1/32768:1',
  },
  {
    name: 'in a bucket, only what is behind',
    groups: ['group_id=1,type=all,bucket=resubmit(,2),bucket=output:3'],
    flows: [
      ...label('output:4,group:1,output:2'),
      'table=2,mpls actions=push_mpls:0x8847,push_mpls:0x8847,push_mpls:0x8847,output:LOCAL',
    ],
    frame: 'label',
    expected: 'p2 p3 p4 | 0/32768:1 1/32768:1 2/32768:1',
  },
  // What the connection began with.
  {
    name: 'by the first packet',
    flows: [
      'in_port=1,udp,actions=ct(commit,zone=5,table=1)',
      'table=1,udp,ct_state=+trk-inv,ct_nw_src=10.0.0.1,ct_nw_proto=17,ct_tp_dst=53 ' +
        'actions=set_field:9.9.9.9->nw_src,resubmit(,2,ct),resubmit(,2),' +
        'move:NXM_NX_CT_NW_DST[]->NXM_NX_REG0[],goto_table:3',
      'table=2,udp,nw_src=10.0.0.1 actions=output:2',
      'table=2,udp,nw_src=9.9.9.9 actions=output:3',
      'table=3,reg0=0x0a000002 actions=output:4',
    ],
    expected: 'p2! p3! p4! | 0/32768:1 1/32768:1 2/32768:1 2/32768:1 3/32768:1',
  },
  {
    name: 'mark and label',
    flows: [
      'in_port=1,udp,actions=set_field:0x1234->reg0,ct(commit,zone=NXM_NX_REG0[0..15],' +
        'exec(set_field:0xf0/0xff->ct_mark,move:NXM_NX_REG0[0..7]->NXM_NX_CT_MARK[8..15],' +
        'set_field:1->ct_label,move:NXM_OF_IP_SRC[]->NXM_NX_CT_LABEL[96..127]),table=1)',
      'table=1,ip,ct_mark=0x34f0,ct_zone=0x1234,ct_label=0x0a000001000000000000000000000001 ' +
        'actions=ct(commit,zone=0x1234,exec(set_field:0/1->ct_label),table=2)',
      'table=2,ct_mark=0x34f0,ct_label=0x0a000001000000000000000000000000 actions=output:3',
    ],
    expected: 'p3 | 0/32768:1 1/32768:1 2/32768:1',
  },
  {
    name: 'by the first packet of none',
    flows: [
      'udp,actions=ct(table=1)',
      'table=1,udp,ct_state=+trk-inv actions=output:2,ct_clear,resubmit(,2,ct),' +
        'move:NXM_NX_CT_NW_DST[]->NXM_OF_IP_DST[],output:3',
      'table=2,actions=output:4',
    ],
    expected: 'p2 p3 | 0/32768:1 1/32768:1',
  },
  {
    name: 'fields of tunnels without a tunnel',
    flows: [
      'actions=set_field:1.2.3.4->tun_src,set_field:::7->tun_ipv6_dst,' +
        'set_field:oam->tun_flags,set_field:5->tun_gbp_id,set_field:2->tun_erspan_ver,' +
        'set_field:1->tun_erspan_dir,goto_table:1',
      'table=1,tun_src=1.2.3.4,tun_ipv6_dst=::7,tun_flags=+oam,tun_gbp_id=5,tun_erspan_ver=2,' +
        'tun_erspan_dir=1 actions=output:2',
    ],
    expected: 'p2 | 0/32768:1 1/32768:1',
  },
  // Translation of addresses.
  {
    name: 'a destination with its port, and what the connection began with',
    flows: [
      'in_port=1,udp,actions=ct(commit,zone=5,nat(dst=10.9.9.9:80),table=1)',
      'table=1,udp,ct_state=+new+dnat-snat+trk-inv,nw_dst=10.9.9.9,tp_dst=80,' +
        'ct_nw_dst=10.0.0.2,ct_nw_proto=17,ct_tp_dst=53 actions=output:3',
    ],
    expected: 'p3! | 0/32768:1 1/32768:1',
  },
  {
    name: 'both ends in two zones',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=5,nat(dst=10.9.9.9),table=1)',
      'table=1,ip,ct_state=+dnat,actions=ct(commit,zone=6,nat(src=10.9.9.1),table=2)',
      'table=2,ip,ct_state=+snat-dnat,nw_src=10.9.9.1,nw_dst=10.9.9.9 actions=output:2',
    ],
    frame: 'tcp',
    expected: 'p2! | 0/32768:1 1/32768:1 2/32768:1',
  },
  {
    name: 'once in a zone',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=5,nat(dst=10.9.9.9),table=1)',
      'table=1,ip,actions=ct(commit,zone=5,nat(src=10.9.9.1),table=2)',
      'table=2,ip,ct_state=+dnat-snat,nw_src=10.0.0.1,nw_dst=10.9.9.9 actions=output:2',
    ],
    expected: 'p2! | 0/32768:1 1/32768:1 2/32768:1',
  },
  {
    name: 'without a table, in the bytes alone',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=5,nat(dst=10.9.9.9)),output:2,resubmit(,1)',
      'table=1,ip,nw_dst=10.0.0.2 actions=output:3',
    ],
    expected: 'p2! p3! | 0/32768:1 1/32768:1',
  },
  {
    name: 'what is written behind it stays',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=5,nat(dst=10.9.9.9)),set_field:10.0.0.3->nw_dst,' +
        'output:2',
    ],
    expected: 'p2! | 0/32768:1',
  },
  {
    name: 'as a controller gets it',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=5,nat(dst=10.9.9.9)),controller(userdata=01),output:2',
    ],
    expected: 'p2! | 0/32768:1',
    expectedPacketIns: ['0 action 0 0 in_port=1 [1]'],
  },
  {
    name: 'as a controller resumes it',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=5,nat(dst=10.9.9.9)),controller(userdata=01,pause),' +
        'output:2,resubmit(,1)',
      'table=1,ip,nw_dst=10.9.9.9 actions=ct(zone=5,table=2)',
      'table=2,ct_state=+trk-new actions=output:3',
      'table=2,ct_state=+trk+new actions=output:4',
    ],
    frame: 'tcp',
    expected: 'p2! p4! | 0/32768:1 1/32768:1 2/32768:1',
    expectedPacketIns: ['0 action 0 0 in_port=1 [1] waits'],
  },
  {
    name: 'with its TTL run out',
    flows: ['in_port=1,ip,actions=ct(commit,zone=5,nat(dst=10.9.9.9)),dec_ttl,output:2'],
    frame: 'ttl 1',
    expected: ' | 0/32768:1',
    expectedPacketIns: ['0 invalid_ttl 0 0 in_port=1 []'],
  },
  {
    name: 'in a clone',
    flows: ['in_port=1,ip,actions=clone(ct(commit,zone=5,nat(dst=10.9.9.9)),output:2),output:3'],
    expected: 'p2! p3 | 0/32768:1',
  },
  {
    name: 'to its own address',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=5,nat(src),table=1)',
      'table=1,ip,ct_state=+snat,actions=output:2',
    ],
    expected: 'p2 | 0/32768:1 1/32768:1',
  },
  {
    name: 'of a connection that is not there',
    flows: [
      'in_port=1,ip,actions=ct(zone=5,nat,table=1)',
      'table=1,ip,ct_state=+new-snat-dnat,actions=output:2',
    ],
    expected: 'p2 | 0/32768:1 1/32768:1',
  },
  {
    name: 'until the tracker forgets that it was',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=5,nat(dst=10.9.9.9),table=1)',
      'table=1,ip,actions=ct_clear,ct(zone=5,table=2)',
      'table=2,ip,ct_state=+new-dnat,actions=output:2',
      'table=2,ip,ct_state=-new,actions=output:3',
    ],
    expected: 'p2! | 0/32768:1 1/32768:1 2/32768:1',
  },
  // Controllers: 0 resumes what waits, 7 keeps it, others do not listen.
  {
    name: 'a controller',
    flows: [
      'cookie=5,udp,actions=set_field:7->reg1,controller(userdata=01.02,max_len=20),' +
        'controller(id=8),output:2',
    ],
    expected: 'p2 | 0/32768:1',
    expectedPacketIns: ['0 action 0 5 reg1=0x7,in_port=1 [1,2]'],
  },
  {
    name: 'a connection',
    flows: [
      'in_port=1,ip,actions=ct(commit,zone=7,exec(set_field:3->ct_mark),table=1)',
      'table=1,cookie=6,ip,ct_state=+trk-inv,actions=CONTROLLER',
    ],
    expected: ' | 0/32768:1 1/32768:1',
    expectedPacketIns: [
      '0 action 1 6 ' +
        'ct_state=new|trk,ct_zone=7,ct_mark=0x3,ct_nw_src=10.0.0.1,ct_nw_dst=10.0.0.2,' +
        'ct_nw_proto=17,ct_tp_src=4000,ct_tp_dst=53,ip,in_port=1 ' +
        '[]',
    ],
  },
  {
    name: 'a table miss',
    flows: [
      'cookie=5,priority=0,actions=CONTROLLER:20,goto_table:1',
      'table=1,priority=1,actions=controller(reason=no_match)',
    ],
    expected: ' | 0/0:1 1/1:1',
    expectedPacketIns: ['0 no_match 0 5 in_port=1 []', '0 no_match 1 0 in_port=1 []'],
  },
  {
    name: 'the end of a TTL',
    flows: ['cookie=5,ip,actions=dec_ttl(0,7,8),output:2'],
    frame: 'ttl 1',
    expected: ' | 0/32768:1',
    expectedPacketIns: ['0 invalid_ttl 0 5 in_port=1 []', '7 invalid_ttl 0 5 in_port=1 []'],
  },
  {
    name: 'the end of a TTL in a label',
    flows: ['cookie=5,mpls,actions=set_field:1->mpls_ttl,dec_mpls_ttl,output:2'],
    frame: 'label',
    expected: ' | 0/32768:1',
    expectedPacketIns: ['0 invalid_ttl 0 5 in_port=1 []'],
  },
  {
    name: 'buckets and action sets say so',
    groups: ['group_id=1,type=all,bucket=CONTROLLER,bucket=controller(userdata=01),resubmit(,3)'],
    flows: [
      'cookie=5,actions=resubmit(,1),write_actions(CONTROLLER),goto_table:2',
      'table=1,cookie=6,actions=group:1',
      'table=2,cookie=7,actions=output:3',
      'table=3,cookie=8,actions=CONTROLLER',
    ],
    expected: 'p3 | 0/32768:1 1/32768:1 2/32768:1 3/32768:1',
    expectedPacketIns: [
      '0 group 1 6 in_port=1 []',
      '0 action 3 8 in_port=1 []',
      '0 action_set 0 5 in_port=1 []',
    ],
  },
  {
    name: 'a pause',
    flows: [
      'cookie=5,ip,actions=resubmit(,1),set_field:9->nw_ttl,output:2',
      'table=1,cookie=6,ip,actions=output:4,controller(pause,userdata=09),output:3',
    ],
    expected: 'p2! p3 p4 | 0/32768:1 1/32768:1',
    expectedPacketIns: ['0 action 0 5 in_port=1 [9] waits'],
  },
  {
    name: 'a pause that nobody ends',
    flows: ['ip,actions=output:4,controller(pause,id=7),output:3'],
    expected: 'p4 | 0/32768:1',
    expectedPacketIns: ['7 action 0 0 in_port=1 [] waits'],
  },
  {
    name: 'a pause that no controller gets',
    flows: ['ip,actions=output:4,controller(pause,id=8),output:3'],
    expected: 'p4 | 0/32768:1',
  },
  {
    name: 'a pause behind which there is nothing',
    flows: ['ip,actions=resubmit(,1)', 'table=1,actions=output:2,controller(pause)'],
    expected: 'p2 | 0/32768:1 1/32768:1',
    expectedPacketIns: ['0 action 0 0 in_port=1 [] waits'],
  },
  {
    name: 'a pause in a clone',
    flows: ['ip,actions=clone(set_field:9->nw_ttl,controller(pause),output:3),output:4'],
    expected: 'p3! | 0/32768:1',
    expectedPacketIns: ['0 action 0 0 in_port=1 [] waits'],
  },
  {
    name: 'a pause in a bucket',
    groups: ['group_id=1,type=all,bucket=resubmit(,1),bucket=output:4'],
    flows: ['ip,actions=group:1,output:2', 'table=1,cookie=6,actions=controller(pause),output:3'],
    expected: 'p2 p3 p4 | 0/32768:1 1/32768:1',
    expectedPacketIns: ['0 action 0 0 in_port=1 [] waits'],
  },
  {
    name: 'tables behind a pause',
    flows: [
      'cookie=5,ip,actions=controller(pause),resubmit(,1),CONTROLLER',
      'table=1,cookie=6,actions=CONTROLLER,output:2',
    ],
    expected: 'p2 | 0/32768:1 1/32768:1',
    expectedPacketIns: [
      '0 action 0 5 in_port=1 [] waits',
      '0 action 1 6 in_port=1 []',
      '0 action 0 5 in_port=1 []',
    ],
  },
  // Limits: nothing at all comes out.
  { name: 'too deep', flows: ['actions=output:2,resubmit(,0)'], expected: ' | 0/32768:65' },
  {
    name: 'groups that never end',
    groups: ['group_id=1,type=all,bucket=resubmit(,1)'],
    flows: ['actions=output:2,group:1', 'table=1 actions=group:1'],
    expected: ' | 0/32768:1 1/32768:32',
  },
  {
    name: 'the datapath parses a packet again so often',
    flows: ['ip,actions=output:2,ct(table=0)'],
    expected: `${Array.from({ length: 9 }, () => 'p2').join(' ')} | 0/32768:9`,
    expectedBefore32: `${Array.from({ length: 7 }, () => 'p2').join(' ')} | 0/32768:7`,
  },
  // Flows that packets learn.
  {
    name: 'a learned flow is not there for the lookups that are left',
    flows: [
      'udp,actions=set_field:3->reg0,learn(table=1,priority=9,eth_type=0x800,' +
        'output:NXM_NX_REG0[]),resubmit(,1)',
      'table=1,priority=1 actions=output:2',
    ],
    expected: 'p2 | 0/32768:1 1/1:1',
  },
  {
    name: 'but it is for the packet that comes back from the tracker',
    flows: [
      'udp,actions=set_field:3->reg0,learn(table=1,priority=9,eth_type=0x800,' +
        'output:NXM_NX_REG0[]),ct(table=1)',
      'table=1,priority=1 actions=output:2',
    ],
    expected: 'p3 | 0/32768:1 1/9:1',
  },
  {
    name: 'where there is no room for it, a bit says so',
    flows: [
      'udp,actions=set_field:1->reg1,learn(table=1,cookie=5,limit=1,priority=9,eth_type=0x800,' +
        'result_dst=NXM_NX_REG1[0]),resubmit(,2)',
      'table=1,priority=1,cookie=5 actions=output:2',
      'table=2,reg1=1 actions=output:3',
      'table=2,reg1=0 actions=output:4',
    ],
    expected: 'p4 | 0/32768:1 2/32768:1',
  },
];
