/**
 * Goal: actions are read in every spelling, printed in one, and refused with the place and the
 * reason; no text costs much. Method: properties over any actions; tables of exact errors; hostile
 * text. What Open vSwitch makes of texts is in ../corpus.
 */
import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { InputError } from '../../base/errors/errors.js';
import { printActions, type Action } from './actions.js';
import { anyActionFlow } from '../testkit/arbitrary-actions.js';
import { parseFlow, printFlow } from '../flows/flow.js';
import { parseGroup } from '../groups/parse-group.js';
import { canonical, noNames, type Protocol } from '../syntax/form.js';
import { decodedActions, encodedOver } from './encoded-over.js';

const names = {
  ...noNames,
  ports: new Map([
    ['p1', 3],
    ['my port', 7],
    ['br-int', 0xfffe],
  ]),
  tables: new Map([
    ['output', 4],
    ['two words', 9],
  ]),
};

void t.test('printing and parsing are inverse', async () => {
  fc.assert(
    fc.property(anyActionFlow, (flow) => deepStrictEqual(parseFlow(printFlow(flow)), flow)),
    { numRuns: 200 },
  );
});

void t.test('what has come over a connection comes over it again as it is', async () => {
  const protocols: readonly Protocol[] = ['OpenFlow10', 'OpenFlow13', 'OpenFlow15'];
  fc.assert(
    fc.property(anyActionFlow, fc.constantFrom(...protocols), ({ actions }, protocol) =>
      deepStrictEqual(
        encodedOver(protocol, encodedOver(protocol, actions)),
        encodedOver(protocol, actions),
      ),
    ),
    { numRuns: 200 },
  );
});

void t.test('names', async (t) => {
  const text =
    'table=1, priority=32768 actions=output:p1,resubmit("my port",output),learn(table="two ' +
    'words",in_port=p1),bundle(eth_src,0,hrw,ofport,members:p1,"my port"),goto_table:output';
  const { actions } = parseFlow(text, names);
  t.equal(
    printActions(actions),
    'output:3,resubmit(7,4),learn(table=9,in_port=3),bundle(eth_src,0,hrw,ofport,members:3,7),' +
      'goto_table:4',
  );
  t.equal(
    printActions(actions, { ...canonical, ...names }),
    'output:p1,resubmit("my port",output),learn(table="two ' +
      'words",in_port=p1),bundle(eth_src,0,hrw,ofport,members:p1,"my port"),goto_table:output',
  );
  t.equal(
    printActions(parseFlow('actions=LOCAL,enqueue:LOCAL:1', names).actions, {
      ...canonical,
      ...names,
    }),
    'LOCAL,set_queue:1,LOCAL,pop_queue',
  );
});

void t.test('an action is taken for what it is', async (t) => {
  const within = {
    ...noNames,
    ports: new Map([
      ['p1', 3],
      ['reg1', 9],
      ['a:b', 5],
      ['max_len', 8],
    ]),
    tunnelOptions: new Map([1, 12].map((option) => [option, { class: 0xffff, type: 1, bytes: 8 }])),
  };
  const taken: readonly (readonly [text: string, actions: string])[] = [
    [
      'ip,actions=mod_nw_src:10.0.0.9,set_tunnel64:7',
      'set_field:10.0.0.9->ip_src,set_field:0x7->tun_id',
    ],
    ['actions=CONTROLLER:65535', 'CONTROLLER:65535'],
    ['actions=12,0', 'output:12,output:0'],
    ['actions=output:in_port', 'IN_PORT'],
    [
      'actions=output:reg1,output:reg1[],output:reg2',
      'output:9,output:NXM_NX_REG1[],output:NXM_NX_REG2[]',
    ],
    ['actions=output:NXM_NX_CT_LABEL[0..63]', 'output:NXM_NX_CT_LABEL[0..63]'],
    ['actions=output:reg2[3],output:reg2[3..4]', 'output:NXM_NX_REG2[3],output:NXM_NX_REG2[3..4]'],
    ['actions=DROP', 'drop'],
    ['actions=65533,p1', 'CONTROLLER:0,output:3'],
    ['actions=output:NXM_NX_REG2[]', 'output:NXM_NX_REG2[]'],
    [
      'actions=sample(probability=1,sampling_port=1,sampling_port=ANY)',
      'sample(probability=1,collector_set_id=0,obs_domain_id=0,obs_point_id=0)',
    ],
    [
      'actions=controller(meter_id=7,meter_id=1),controller(meter_id=1,meter_id=0)',
      'controller(meter_id=1),CONTROLLER:65535',
    ],
    ['actions=load:1->NXM_NX_REG0_W[],"a:b"', 'set_field:0x1->reg0,output:5'],
    [
      'actions=set_field:1->tun_metadata12,delete_field:tun_metadata12',
      'set_field:0x1->tun_metadata12,delete_field:tun_metadata12',
    ],
    ['actions=meter:4294901760', 'meter:4294901760'],
    ['actions=delete_field:tun_metadata1', 'delete_field:tun_metadata1'],
    [
      'ip,actions=ct(commit,nat(src=10.0.0.1:1-65535)),ct(commit,nat(src=10.0.0.1,src=10.0.0.2))',
      'ct(commit,nat(src=10.0.0.1:1-65535)),ct(commit,nat(src=10.0.0.2))',
    ],
    [
      'actions=BUNDLE_LOAD(eth_src,65535,hrw,ofport,NXM_NX_REG0[],members:1)',
      'bundle_load(eth_src,65535,hrw,ofport,NXM_NX_REG0[],members:1)',
    ],
    [
      'actions=multipath(eth_src,65535,hrw,4,4294967295,NXM_NX_REG0[])',
      'multipath(eth_src,65535,hrw,4,4294967295,NXM_NX_REG0[])',
    ],
    ['ip,actions=ct(commit=1),ct(table(1),zone(2))', 'ct(commit),ct(table=1,zone=2)'],
  ];
  t.throws(() => parseFlow('actions=output(port=max_len)', within), {
    message: 'flow:1:16: output: expected both port= and max_len=',
  });
  for (const [text, actions] of taken)
    t.equal(printActions(parseFlow(text, within).actions), actions, text);
});

/** Texts that are refused, and the exact words. */
const refusals: readonly (readonly [text: string, message: string])[] = [
  ['actions=fly', '9: unknown action "fly"'],
  ['actions=toString', '9: unknown action "toString"'],
  ['actions=constructor:1', '9: unknown action "constructor:1"'],
  ['actions=encap(nsh(md_type=1))', '9: the action encap is not known here'],
  ['actions=decap', '9: the action decap is not known here'],
  ['actions=dec_nsh_ttl', '9: the action dec_nsh_ttl is not known here'],
  ['actions=debug_recirc', '9: the action debug_recirc is not known here'],
  ['actions=Debug_Slow', '9: the action Debug_Slow is not known here'],
  ['actions=none', '9: "none" is no port that packets leave by'],
  ['actions=+', '9: expected an action, got "+"'],
  ['actions=+output:1', '9: expected an action, got "+output:1"'],
  ['actions=drop,output:1', '9: drop stands alone, without other actions'],
  ['actions=output:1,drop', '18: drop stands alone, without other actions'],
  ['ip,actions=ct(commit)x', '12: expected ")" at the end of "ct(commit)x"'],
  // Output.
  ['actions=x1', '9: unknown action "x1"'],
  ['actions=1:2', '9: unknown action "1:2"'],
  ['actions=p1:2', '9: unknown action "p1:2"'],
  [
    'actions=output:NXM_NX_REG0[',
    '16: expected a field such as NXM_NX_REG0[0..15], got "NXM_NX_REG0["',
  ],
  ['actions=output:NXM_NX_REG0[5..3]', '16: reg0 has bits 0 to 31, got 5..3'],
  ['actions=output', '9: output needs an argument'],
  ['actions=output:p9', '16: unknown port "p9"; ports of this bridge: p1, my port, br-int'],
  ['actions=output:ANY', '16: "ANY" is no port that packets leave by'],
  ['actions=output:NXM_NX_REG0[32]', '16: reg0 has bits 0 to 31, got 32..32'],
  ['actions=output:NXM_NX_CT_LABEL[]', '16: output takes at most 64 bits, got 128'],
  ['actions=output(max_len=100)', '16: output: expected both port= and max_len='],
  [
    'actions=output(port=65527,max_len=100)',
    '16: output with max_len goes to a port of the bridge, LOCAL or IN_PORT',
  ],
  ['actions=output(port=1,max_len=14,fly=1)', '34: output: expected port= and max_len=, got "fly"'],
  ['actions=enqueue:65527:1', '17: enqueue goes to a port of the bridge, LOCAL or IN_PORT'],
  ['actions=enqueue(,1,2)', '9: expected enqueue:PORT:QUEUE, got "enqueue(,1,2)"'],
  ['actions=output(port=1,max_len=13)', '16: max_len: expected at least 14, got 13'],
  ['actions=CONTROLLER:65536', '20: max_len: expected a number from 0 to 65535, got "65536"'],
  [
    'actions=controller(reason=why)',
    '27: reason: expected one of no_match, action, invalid_ttl, action_set, group, ' +
      'packet_out, got "why"',
  ],
  [
    'actions=controller(userdata=01.2)',
    '29: userdata: expected pairs of hexadecimal digits, got "01.2"',
  ],
  ['actions=enqueue:1', '9: expected enqueue:PORT:QUEUE, got "enqueue:1"'],
  // Setting fields.
  ['actions=load:1', '14: expected load:VALUE->FIELD[], got "1"'],
  ['actions=load:1->NXM_NX_CT_MARK[]', '17: ct_mark can only be written in ct(commit,exec(...))'],
  ['ip,actions=load:6->NXM_OF_IP_PROTO[]', '20: nw_proto cannot be written'],
  ['ip,actions=move:NXM_NX_REG0[0..7]->NXM_OF_IP_PROTO[]', '36: nw_proto cannot be written'],
  [
    'actions=move:NXM_NX_REG0[]->NXM_NX_CT_MARK[]',
    '29: ct_mark can only be written in ct(commit,exec(...))',
  ],
  ['actions=load:1->NXM_NX_RECIRC_ID[]', '17: recirc_id cannot be written'],
  ['actions=load:1->NXM_NX_DP_HASH[]', '17: dp_hash cannot be written'],
  ['actions=set_field:1->skb_priority', '22: actions do not know the field skb_priority'],
  ['actions=set_field:1->reg32', '22: unknown field "reg32"'],
  ['actions=set_field:1->xreg16', '22: unknown field "xreg16"'],
  ['actions=set_field:1->xxreg8', '22: unknown field "xxreg8"'],
  ['actions=set_field:1->NXM_NX_REG0', '22: unknown field "NXM_NX_REG0"'],
  ['actions=load:1->', '14: expected load:VALUE->FIELD[], got "1->"'],
  ['actions=load:1->NXM_NX_REG0_W_W[]', '17: unknown field "NXM_NX_REG0_W_W"'],
  [
    'vlan_tci=0x1000/0x1000,actions=set_field:8192->vlan_vid',
    '42: vlan_vid: expected a number from 0 to 8191, got "8192"',
  ],
  [
    'ip,actions=set_field:4/0x100->ip_dscp',
    '24: ip_dscp: expected a number from 0 to 255, got "0x100"',
  ],
  [
    'actions=set_field:1->tun_metadata12',
    '22: tun_metadata12 stands for no option: the bridge has no mapping for it (tlv-map)',
  ],
  ['icmp6,actions=set_field:1->icmp_type', '28: icmp_type needs a match on icmp beside it'],
  [
    'actions=move:NXM_NX_CT_NW_SRC[]->NXM_NX_REG0[]',
    '14: ct_nw_src needs a match on ct_state=+trk-inv beside it',
  ],
  ['actions=set_field:1', '19: expected set_field:VALUE->FIELD, got "1"'],
  ['actions=set_field:1->foo', '22: unknown field "foo"'],
  ['actions=set_field:10.0.0.1->ip_dst', '29: ip_dst needs a match on ip beside it'],
  [
    'udp,actions=set_field:5->tp_src',
    '26: tcp_src needs a match on tcp beside it, and not on later fragments',
  ],
  ['ip,actions=set_field:6->nw_proto', '25: nw_proto cannot be written'],
  ['actions=set_field:1->ct_mark', '22: ct_mark can only be written in ct(commit,exec(...))'],
  ['actions=set_field:1/0->reg0', '19: 1/0 sets nothing: its mask is zero'],
  ['actions=set_field:0x1f/0xf->reg0', '19: 0x1f/0xf has bits that its mask leaves out'],
  ['dl_vlan=3,actions=set_field:5->vlan_vid', '29: vlan_vid is set with the bit 0x1000, got 5'],
  ['actions=set_field:4101->vlan_vid', '25: vlan_vid needs a match on a VLAN tag beside it'],
  [
    'actions=set_field:1->tun_metadata0',
    '22: tun_metadata0 stands for no option: the bridge has no mapping for it (tlv-map)',
  ],
  [
    'actions=load:10.0.0.1->NXM_NX_TUN_IPV4_DST[]',
    '14: tun_dst: expected a number from 0 to 4294967295, got "10.0.0.1"',
  ],
  ['actions=load:2->NXM_NX_REG0[3]', '14: reg0: expected a number from 0 to 1, got "2"'],
  ['ip,actions=load:5->NXM_OF_IP_TOS[]', '17: nw_tos cannot be 5: it has the bits 0xfc'],
  ['actions=move:NXM_NX_REG0[]', '14: expected move:FIELD[]->FIELD[], got "NXM_NX_REG0[]"'],
  ['actions=move:NXM_NX_REG0[0..3]->NXM_NX_REG1[]', '14: move from 4 bits to 32 bits'],
  ['actions=move:NXM_OF_IP_SRC[]->NXM_NX_REG1[]', '14: ip_src needs a match on ip beside it'],
  ['ip,actions=mod_nw_tos:17', '23: mod_nw_tos: the last two bits are for ECN, got 17'],
  ['actions=mod_nw_src:10.0.0.1', '9: mod_nw_src needs a match on ip beside it'],
  ['actions=mod_tp_src:1', '9: tcp_src needs a match on tcp beside it, and not on later fragments'],
  // Headers.
  ['actions=dec_ttl', '9: dec_ttl needs a match on ip or ipv6 beside it'],
  ['ip,actions=push_mpls:0x8847,dec_ttl', '29: dec_ttl needs a match on ip or ipv6 beside it'],
  ['reg0=0x1000,actions=pop_vlan', '21: pop_vlan needs a match on a VLAN tag beside it'],
  ['vlan_tci=1/0x1fff,actions=pop_vlan', '27: pop_vlan needs a match on a VLAN tag beside it'],
  ['actions=set_mpls_label:1', '9: set_mpls_label needs a match on mpls beside it'],
  ['actions=pop_mpls:0x800', '9: pop_mpls needs a match on mpls beside it'],
  ['actions=dec_mpls_ttl', '9: dec_mpls_ttl needs a match on mpls beside it'],
  ['actions=pop_vlan', '9: pop_vlan needs a match on a VLAN tag beside it'],
  [
    'actions=push_vlan:0x8100,push_vlan:0x8100,push_vlan:0x8100',
    '43: a packet has at most 2 VLAN tags',
  ],
  ['actions=push_vlan:0x800', '19: push_vlan: expected 0x8100 or 0x88a8, got 0x800'],
  // Where packets go on.
  ['table=5,actions=goto_table:5', '28: goto_table leads to a later table than 5, got 5'],
  ['actions=goto_table:5,output:1', '22: goto_table comes last, "output:1" stands behind it'],
  [
    'actions=write_metadata:1,write_actions(output:1)',
    '26: write_metadata comes last, "write_actions(output:1)" stands behind it',
  ],
  ['actions=write_actions(note:11)', '23: "note:11" cannot be part of an action set'],
  ['actions=clone(goto_table:5)', '15: goto_table stands by itself, not in clone'],
  ['actions=output:1,meter:1', '18: output comes last, "meter:1" stands behind it'],
  ['actions=resubmit()', '9: resubmit needs an argument'],
  ['actions=resubmit(IN_PORT)', '9: resubmit needs a port or a table'],
  ['actions=resubmit(,255)', '9: resubmit needs a port or a table'],
  ['actions=resubmit(,256)', '19: table: expected a number from 0 to 254, got "256"'],
  [
    'actions=resubmit(,5,ct)',
    '9: resubmit with ct needs a match on a valid ct_state beside it, such as +trk-inv',
  ],
  [
    'reg0=0x3,actions=resubmit(,5,ct)',
    '18: resubmit with ct needs a match on a valid ct_state beside it, such as +trk-inv',
  ],
  [
    'actions=meter:4294901761',
    '15: meter: expected a number from 0 to 4294901760, got "4294901761"',
  ],
  ['actions=clone(meter:1)', '15: clone cannot hold meter'],
  ['actions=conjunction(1)', '9: expected conjunction(ID,CLAUSE/CLAUSES), got "conjunction(1)"'],
  [
    'actions=conjunction(1,1)',
    '9: expected conjunction(ID,CLAUSE/CLAUSES), got "conjunction(1,1)"',
  ],
  ['actions=conjunction(1,3/2)', '23: clause: expected a number from 0 to 2, got "3"'],
  ['actions=note:11,conjunction(1,1/2),output:1', '36: a conjunction stands alone, or beside note'],
  // The connection tracker.
  ...['+commit', 'foo=1', 'foo(1)', 'foo'].map(
    (text) =>
      [
        `ip,actions=ct(${text})`,
        `15: ct: expected commit, force, table=, zone=, nat, exec() or alg=, got "${text}"`,
      ] as const,
  ),
  ['ip,actions=ct(exec=1)', '20: ct: exec() may only set ct_mark and ct_label'],
  ['ip,actions=ct(table)', '20: table: expected a number from 0 to 254, got ""'],
  [
    'ip,actions=ct(commit,exec(load:1->NXM_NX_REG0[]))',
    '35: ct: exec() may only set ct_mark and ct_label',
  ],
  ['arp,actions=ct(table=1)', '13: ct needs a match on ip or ipv6 beside it'],
  [
    'ip,actions=ct(table=1,gnat)',
    '23: ct: expected commit, force, table=, zone=, nat, exec() or alg=, got "gnat"',
  ],
  ['ip,actions=ct(zone=65536)', '20: zone: expected a number from 0 to 65535, got "65536"'],
  ['ip,actions=ct(zone=NXM_NX_REG0[])', '20: zone: expected 16 bits of a field, got 32'],
  ['ip,actions=ct(force)', '15: ct: force needs commit'],
  [
    'ip,actions=ct(exec(set_field:1->ct_mark))',
    '15: ct: exec() needs commit, and so does nat() with an address',
  ],
  ['ip,actions=ct(commit,exec(output:1))', '27: ct: exec() may only set ct_mark and ct_label'],
  [
    'ip,actions=ct(commit,exec(set_field:1->reg0))',
    '40: ct: exec() may only set ct_mark and ct_label',
  ],
  [
    'ct_state=+inv+trk,ip,actions=ct(commit)',
    '33: ct: what matches ct_state=+inv cannot be committed',
  ],
  ['ip,actions=ct(commit,nat(src=10.0.0.9-10.0.0.1))', '30: nat: 10.0.0.1 comes before 10.0.0.9'],
  [
    'ip,actions=ct(commit,nat(src=fe80::1))',
    '30: nat: fe80::1 is no address of the packets that are matched',
  ],
  [
    'ip,actions=ct(commit,nat(src=fly))',
    '30: nat: expected ADDRESS[-ADDRESS][:PORT[-PORT]], got "fly"',
  ],
  [
    'ip,actions=ct(commit,nat(src=10.0.0.1,fly))',
    '39: nat: expected src, dst, persistent, hash or random, got "fly"',
  ],
  ['ip,actions=ct(commit,nat(src=10.0.0.1,dst=10.0.0.2))', '39: nat takes src or dst, not both'],
  [
    'ip,actions=ct(commit,nat(src=10.0.0.1:000080))',
    '30: nat: expected a port from 1 to 65535, got 000080',
  ],
  [
    'ip,actions=ct(commit,nat(src=10.0.0.1:100000))',
    '30: nat: expected a port from 1 to 65535, got 100000',
  ],
  ['ip,actions=ct(commit,nat(hash))', '26: nat: hash stand beside src or dst'],
  ['ip,actions=ct(commit,alg=ftp)', '26: alg=ftp needs a match on tcp beside it'],
  ['ip,actions=nat(src=10.0.0.1)', '12: nat stands in ct()'],
  // Learning and choice.
  ['actions=learn(foo=1)', '15: learn: "foo" is neither an option nor a field'],
  ['actions=learn(ip_dst=10.0.0.1)', '15: ip_dst needs a match on ip beside it'],
  ['actions=learn(NXM_NX_REG0[0..3]=NXM_NX_REG1[])', '33: learn: 4 bits from 32 bits'],
  ['actions=learn(NXOXM_ET_ERSPAN_IDX=1)', '15: learn does not know the field tun_erspan_idx'],
  [
    'actions=learn(eth_type=0x800,nw_proto=6,eth_type=0x806,tcp_dst=5)',
    '56: tcp_dst needs a match on tcp beside it, and not on later fragments',
  ],
  [
    'actions=learn(eth_type=0x800,nw_proto=1,eth_type=0x806,icmp_type=5)',
    '56: icmp_type needs a match on icmp beside it',
  ],
  [
    'actions=learn(eth_type=0x86dd,nw_proto=58,eth_type=0x806,icmpv6_type=5)',
    '58: icmpv6_type needs a match on icmp6 beside it',
  ],
  [
    'actions=learn(eth_type=0x86dd,nw_proto=58,icmpv6_type=135,icmpv6_code=0,nw_proto=6,' +
      'nd_target=fe80::1)',
    '84: nd_target needs a match on icmp6,icmp_type=135,icmp_code=0 or ' +
      'icmp6,icmp_type=136,icmp_code=0 beside it',
  ],
  [
    'actions=learn(NXM_OF_ETH_TYPE[1..15]=0x400,ip_dst=10.0.0.1)',
    '44: ip_dst needs a match on ip beside it',
  ],
  [
    'sctp6,nw_frag=later,actions=write_actions(mod_tp_src:5)',
    '43: sctp_src needs a match on sctp beside it, and not on later fragments',
  ],
  ['actions=mod_nw_ttl:5', '9: mod_nw_ttl needs a match on ip or ipv6 beside it'],
  [
    'actions=learn(NXM_NX_REG0_W_W=1)',
    '15: learn: "NXM_NX_REG0_W_W" is neither an option nor a field',
  ],
  ['actions=learn(reg0=1/1)', '20: learn: reg0 takes a value without a mask, got "1/1"'],
  [
    'actions=multipath(eth_src,0,hrw,5,0,NXM_NX_REG0[0..1])',
    '37: expected 3 to 64 bits for the number, got 2',
  ],
  ...['', 'eth_src,', 'eth_src,0,', 'eth_src,0,hrw,'].map(
    (before) =>
      [
        `actions=bundle(${before}members:1)`,
        `16: expected bundle(FIELDS,BASIS,ALGORITHM,ofport,…), got "${before}members:1"`,
      ] as const,
  ),
  [
    'actions=bundle(eth_src,0,hrw,ofport,NXM_NX_REG0[],members:1)',
    '37: bundle: expected members behind ofport',
  ],
  [
    'actions=bundle_load(eth_src,0,hrw,ofport,members:1)',
    '21: bundle_load: expected one field before members',
  ],
  [
    'actions=bundle_load(eth_src,0,hrw,ofport,NXM_NX_REG0[],NXM_NX_REG1[],members:1)',
    '56: bundle_load: expected one field before members',
  ],
  [
    'actions=bundle(eth_src,65536,hrw,ofport,members:1)',
    '24: basis: expected a number from 0 to 65535, got "65536"',
  ],
  ...['eth_src', 'eth_src,0', 'eth_src,0,hrw', 'eth_src,0,hrw,4', 'eth_src,0,hrw,4,5'].map(
    (given) =>
      [
        `actions=multipath(${given})`,
        `19: expected multipath(FIELDS,BASIS,ALGORITHM,LINKS,ARGUMENT,FIELD[]), got "${given}"`,
      ] as const,
  ),
  [
    'actions=multipath(eth_src,0,hrw,4,4294967296,NXM_NX_REG0[])',
    '35: argument: expected a number from 0 to 4294967295, got "4294967296"',
  ],
  [
    'actions=bundle(eth_src,0,hrw,ofport,members:CONTROLLER)',
    '45: a controller is no member of a bundle',
  ],
  ['actions=fin_timeout(idle_timeout=1)', '9: fin_timeout needs a match on tcp beside it'],
  ['actions=check_pkt_larger(1)', '26: expected check_pkt_larger(BYTES)->FIELD[BIT], got "1"'],
  ['actions=sample(probability=0)', '9: sample needs a probability from 1 to 65535'],
];

void t.test('refusals name line, column and reason', async (t) => {
  for (const [text, message] of refusals)
    t.throws(
      () => parseFlow(text, names, { file: 'flows.txt', line: 7 }),
      { name: 'InputError', message: `flows.txt:7:${message}` },
      text,
    );
});

void t.test('what stands inside is treated as what stands outside', async (t) => {
  const within = { ...names, tunnelOptions: new Map([[1, { class: 0xffff, type: 1, bytes: 4 }]]) };
  const printed = (text: string, protocol: Protocol) =>
    printActions(encodedOver(protocol, parseFlow(text, within).actions), {
      ...canonical,
      protocol,
    });
  const part = 'load:0x1->NXM_NX_IP_TTL[0..1]';
  for (const actions of [part, `clone(${part})`, `write_actions(${part})`, `clone(clone(${part}))`])
    t.equal(printActions(parseFlow(`ip,actions=${actions}`).actions), actions);
  t.equal(
    printed('actions=move:NXM_NX_REG0[]->tun_metadata1[]', 'OpenFlow10'),
    'move:NXM_NX_REG0[]->NXM_NX_TUN_METADATA1[0..31]',
  );
  t.throws(() => parseFlow('actions=load:1->tun_metadata1[32]', within), {
    message: /tun_metadata1 has bits 0 to 31, got 32[.][.]32/,
  });
  t.equal(
    printed('actions=set_field:5/7->tun_metadata1', 'OpenFlow10'),
    'set_field:0x5/0x7->tun_metadata1',
  );
});

void t.test('OpenFlow 1.0 does not distinguish TCP and UDP', async (t) => {
  const bucket = parseGroup(
    'group_id=1,type=all,bucket=set_field:80->tcp_src,set_field:81->udp_dst,set_field:82->sctp_src',
    names,
    undefined,
    'OpenFlow10',
  ).buckets[0];
  t.equal(
    printActions(bucket?.actions ?? []),
    'mod_tp_src:80,mod_tp_dst:81,set_field:82->sctp_src',
  );
});

void t.test('packets are seen to have a tag, or none, where VLAN actions stand', async (t) => {
  const setVlan: Action = { kind: 'set_vlan', part: 'vid', value: 5, tagged: false };
  const inside: readonly Action[] = [
    setVlan,
    { kind: 'clone', actions: [setVlan] },
    { kind: 'write_actions', actions: [setVlan] },
  ];
  const tagged = { ...setVlan, tagged: true };
  t.strictSame(
    inside.map((action) => decodedActions([action], { match: [], tags: 1 })),
    [
      [tagged],
      [{ kind: 'clone', actions: [tagged] }],
      [{ kind: 'write_actions', actions: [tagged] }],
    ],
  );
  t.strictSame(
    decodedActions(
      [
        { kind: 'clone', actions: [tagged] },
        { kind: 'clone', actions: [tagged, tagged] },
      ],
      { match: [], tags: 0 },
    ),
    [
      { kind: 'clone', actions: [setVlan] },
      { kind: 'clone', actions: [setVlan, tagged] },
    ],
  );
});

void t.test('buckets have meters in OpenFlow 1.5 alone', async (t) => {
  const read = (protocol: Protocol) => () =>
    parseGroup('group_id=1,type=all,bucket=actions=meter:1', names, undefined, protocol);
  t.match(read('OpenFlow15')().buckets, [{ actions: [{ kind: 'meter', meter: 1 }] }]);
  t.throws(read('OpenFlow13'), { message: 'group:1:36: bucket cannot hold meter' });
});

void t.test('actions stand in actions as deep as in Open vSwitch', async (t) => {
  const nested = (depth: number): string =>
    `actions=${'clone('.repeat(depth)}output:1${')'.repeat(depth)}`;
  const depthOf = (actions: readonly Action[]): number =>
    actions[0]?.kind === 'clone' ? 1 + depthOf(actions[0].actions) : 0;
  t.equal(depthOf(parseFlow(nested(99)).actions), 99);
  const refused = (depth: number): string =>
    `flow:1:${depth > 104 ? 9 : 609}: actions stand in actions at most 100 deep`;
  for (const depth of [100, 104, 105])
    t.throws(
      () => parseFlow(nested(depth)),
      { message: refused(depth) },
      'what is hopelessly deep is not looked into',
    );
  t.equal(
    parseFlow(`actions=${'output(1),'.repeat(105)}output:1`).actions.length,
    106,
    'one behind another is not deep',
  );
  const bucket = (depth: number) => () =>
    parseGroup(`group_id=1,type=all,bucket=${nested(depth)}`, names);
  t.doesNotThrow(bucket(99));
  for (const [depth, column] of [
    [100, 636],
    [104, 636],
    [105, 28],
  ] as const)
    t.throws(bucket(depth), {
      message: `group:1:${column}: actions stand in actions at most 100 deep`,
    });
  const many = (count: number) => () => parseFlow(`actions=${'output:1,'.repeat(count)}`);
  t.equal(many(8191)().actions.length, 8191);
  const note = (bytes: number) => () => parseFlow(`actions=note:${'ab'.repeat(bytes)}`);
  t.doesNotThrow(note(65_000));
  t.throws(note(65_001), {
    message: 'flow:1:14: note: at most 65000 bytes fit into a message, got 65001',
  });
  const bundle = (members: number) => () =>
    parseFlow(`actions=bundle(eth_src,0,hrw,ofport,members:${'1,'.repeat(members)})`);
  t.doesNotThrow(bundle(2048));
  t.throws(bundle(2049), { message: 'flow:1:16: bundle: at most 2048 members, got 2049' });
  t.throws(many(8192), { message: 'flow:1:73728: more than 8191 actions fit into no message' });
});

/** Either actions, or an InputError with a place. */
function readOrRefuse(text: string): void {
  try {
    parseFlow(text, names);
  } catch (error) {
    ok(error instanceof InputError, `${String(error)} at ${JSON.stringify(text.slice(0, 200))}`);
    ok(
      error.place?.line === 1 &&
        (error.place.column ?? 0) >= 1 &&
        (error.place.column ?? 0) <= text.length + 1,
      `${error.message} stands outside the text`,
    );
  }
}

void t.test('hostile text is refused, and soon', async (t) => {
  const mega = 1 << 18;
  const long: readonly string[] = [
    `${'clone('.repeat(98)}${'output:1,'.repeat(mega / 64)}fly${')'.repeat(98)}`,
    `${'clone('.repeat(mega / 8)}${')'.repeat(mega / 8)}`,
    `learn(${'reg0=1,'.repeat(mega / 16)}fly)`,
    `note:${'ab'.repeat(mega / 2)}`,
    `controller(userdata=${'ab.'.repeat(mega / 4)})`,
    `dec_ttl(${'1,'.repeat(mega / 4)}x)`,
    `bundle(eth_src,0,hrw,ofport,members:${'1,'.repeat(mega / 4)})`,
    `ct(commit,nat(src=${'1.'.repeat(mega / 2)}))`,
    `ct(commit,nat(src=${'1:-'.repeat(mega / 4)}))`,
    `${'conjunction(1,1/2),'.repeat(mega / 64)}output:1`,
    `load:0x${'f'.repeat(mega)}->NXM_NX_XXREG0[]`,
    `set_field:${'1'.repeat(mega)}->xxreg0`,
    `resubmit(${','.repeat(mega)})`,
    '\0'.repeat(mega),
    `output:1\0`,
    `${'output:1,'.repeat(mega / 16)}`,
    `note(${'. '.repeat(mega / 2)}z)`,
  ];
  for (const text of long)
    t.throws(
      () => parseFlow(`ip,actions=${text}`, names),
      { name: 'InputError', message: /^.{1,300}$/s },
      text.slice(0, 30),
    );
  const words = fc
    .array(
      fc.constantFrom(
        ',',
        '=',
        '(',
        ')',
        '"',
        '->',
        '[',
        ']',
        '..',
        ':',
        '/',
        '0',
        '1',
        '-1',
        '0x',
        'ct',
        'exec',
        'commit',
        'nat',
        'src',
        '10.0.0.1',
        'fe80::1',
        'learn',
        'clone',
        'write_actions',
        'move',
        'load',
        'set_field',
        'reg0',
        'NXM_NX_REG0',
        'output',
        'resubmit',
        'note',
        'drop',
        'bundle',
        'members:',
        'sample',
        'conjunction',
        '\n',
        '\0',
        '__proto__',
        'constructor',
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join(''));
  const damaged = fc
    .tuple(
      anyActionFlow,
      fc.nat(),
      fc.constantFrom('', '(', ')', '"', '/', '\0', '\n', '=', ',', '-', '9'.repeat(40)),
    )
    .map(([flow, at, wedge]) => {
      const text = printFlow(flow);
      return text.slice(0, at % text.length) + wedge + text.slice((at % text.length) + 1);
    });
  fc.assert(
    fc.property(
      fc.oneof(
        words.map((text) => `tcp,actions=${text}`),
        damaged,
      ),
      readOrRefuse,
    ),
    { numRuns: 500 },
  );
});
