/**
 * Goal: each thing that the model knows of a switch is as documented, and what it does not know it
 * refuses by name. Method: small tables and single frames, each with one outcome; frames that an
 * Open vSwitch 3.5.0 emitted for the same flows; cases that model.live.test.ts once found; and a
 * property of checksums. That all of it together is a switch, model.live.test.ts says.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { formatIpv4 } from '../base/addresses/mac-and-ipv4.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { arpOperations, encodeArp } from '../packet/protocols/link/arp.js';
import { decodeEthernet, encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { extract } from '../packet/flow-key/extract/extract.js';
import { keyWords, word } from '../packet/flow-key/flow-key.js';
import { rewrite } from '../packet/flow-key/rewrite/rewrite.js';
import { concatBytes } from '../packet/bytes/header-layout.js';
import { decodeIcmp, encodeIcmp, icmpTypes } from '../packet/protocols/ip/icmp.js';
import {
  decodeIpv4,
  encodeIpv4,
  ipProtocols,
  type Ipv4Header,
} from '../packet/protocols/ip/ipv4.js';
import { decodeTcp, encodeTcp } from '../packet/protocols/transport/tcp.js';
import { decodeUdp, encodeUdp } from '../packet/protocols/transport/udp.js';
import { newest, type Version } from './behaviour.js';
import type { ModelNode } from './model-node.js';
import { resetNode } from './reset-node.js';
import { buildNode } from './build-node.js';
import { flowCounts, receiveFrame } from './receive-frame.js';

const hex = (frame: Uint8Array): string => Buffer.from(frame).toString('hex');
const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

/** A bridge with the ports p1 to p4 and LOCAL, called br0. */
const bridgeOf = (flows: readonly string[]): BridgePlan => ({
  name: 'br0',
  mac: '02:00:00:00:00:fe',
  flows,
  ports: [1, 2, 3, 4].map((ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport })),
});
const nodeOf = (...flows: readonly string[]): ModelNode => versionOf(newest, ...flows);
const versionOf = (version: Version, ...flows: readonly string[]): ModelNode =>
  buildNode({ node: 'n1', bridges: [bridgeOf(flows)], hosts: [] }, version);
const send = (node: ModelNode, port: string, frame: Uint8Array) =>
  receiveFrame(node, port, frame).step.outputs;
/** The ports that a frame comes out of. */
const portsOf = (node: ModelNode, port: string, frame: Uint8Array): string =>
  send(node, port, frame)
    .map((output) => output.port)
    .join(' ');
/** Tables and priorities of the flows that counted, with how much. */
const counted = (node: ModelNode): string =>
  flowCounts(node)
    .filter(({ packets }) => packets > 0)
    .map(({ flow, packets }) => `${flow.table}/${flow.priority}:${packets}`)
    .sort()
    .join(' ');

const [mac1, mac2, mac3] = ['0a:00:00:00:00:01', '0a:00:00:00:00:02', '0a:00:00:00:00:03'];
const ethernet = (
  payload: Uint8Array,
  { src = mac1, dst = mac2, etherType = 0x0800 } = {},
): Uint8Array => encodeEthernet({ src, dst, etherType }, payload);
const [ip1, ip2] = ['10.0.0.1', '10.0.0.2'];
type Header = Partial<Ipv4Header>;
const udp = ({
  srcPort = 7,
  dstPort = 53,
  payload = Uint8Array.of(1, 2, 3),
  ...header
}: Header & { srcPort?: number; dstPort?: number; payload?: Uint8Array } = {}): Uint8Array => {
  const whole = { src: ip1, dst: ip2, ttl: 64, ...header };
  return ethernet(
    encodeIpv4(
      { ...whole, protocol: ipProtocols.udp },
      encodeUdp({ srcPort, dstPort }, payload, whole),
    ),
  );
};
const icmp = ({
  type = 8,
  code = 0,
  identifier = 5,
  ...header
}: Header & { type?: number; code?: number; identifier?: number } = {}): Uint8Array =>
  ethernet(
    encodeIpv4(
      { src: ip1, dst: ip2, ttl: 64, ...header, protocol: ipProtocols.icmp },
      encodeIcmp({ type, code, identifier, sequence: 1 }, Uint8Array.of(1)),
    ),
  );
const tcp = (header: Header = {}): Uint8Array => {
  const whole = { src: ip1, dst: ip2, ttl: 64, ...header };
  const segment = {
    srcPort: 7,
    dstPort: 80,
    sequence: 1,
    acknowledgement: 0,
    flags: 2,
    window: 9,
    urgentPointer: 0,
    options: new Uint8Array(),
  };
  return ethernet(
    encodeIpv4(
      { ...whole, protocol: ipProtocols.tcp },
      encodeTcp(segment, new Uint8Array(), whole),
    ),
  );
};
const arp = (op: number = arpOperations.request): Uint8Array =>
  ethernet(encodeArp({ op, sha: mac1, spa: ip1, tha: '00:00:00:00:00:00', tpa: ip2 }), {
    etherType: etherTypes.arp,
  });
const answerTo = (frame: Uint8Array): Uint8Array => {
  const packet = decodeIpv4(decodeEthernet(frame)!.payload)!;
  const ports = decodeUdp(packet.payload, packet.header)!.header;
  return udp({
    src: packet.header.dst,
    dst: packet.header.src,
    srcPort: ports.dstPort,
    dstPort: ports.srcPort,
  });
};

void t.test('the flow of highest priority wins', async (t) => {
  const node = nodeOf(
    'priority=1 actions=1',
    'priority=3,udp actions=2',
    'priority=2,ip actions=3',
    'priority=9,tcp actions=4',
  );
  t.equal(portsOf(node, 'p4', udp()), 'p2');
  t.equal(portsOf(node, 'p4', icmp()), 'p3');
  t.equal(portsOf(node, 'p4', arp()), 'p1');
  t.equal(counted(node), '0/1:1 0/2:1 0/3:1');
  const tied = nodeOf(
    'priority=5,ip actions=1',
    'priority=5,in_port=4 actions=2',
    'priority=6,arp actions=3',
  );
  t.equal(portsOf(tied, 'p4', arp()), 'p3', 'a tie below the winner does not matter');
  t.equal(portsOf(tied, 'p3', udp()), 'p1', 'nor one that does not match');
  t.throws(() => send(tied, 'p4', udp()), {
    name: 'Unsupported',
    message:
      'two flows of equal priority match one packet: table=0, priority=5,ip actions=output:1 ' +
      'and table=0, priority=5,in_port=4 actions=output:2, at a frame into p4 of n1, table ?',
  });
  t.throws(() => nodeOf('priority=5,ip actions=1', 'priority=5,dl_type=0x800 actions=2'), {
    name: 'InputError',
    message:
      /two flows with the same table, priority and match: table=0, priority=5,ip actions=output:2/,
  });
  t.equal(portsOf(nodeOf('priority=1,arp actions=1'), 'p4', udp()), '', 'a table miss drops');
});

void t.test('masks match across words', async (t) => {
  const through = (write: string, match: string) =>
    portsOf(
      nodeOf(`actions=${write},goto_table:1`, `table=1, priority=1,${match} actions=2`),
      'p1',
      udp(),
    );
  t.equal(
    through(
      'set_field:0x123456789abcdef0->metadata',
      'metadata=0x000000789a000000/0x000000ffff000000',
    ),
    'p2',
  );
  t.equal(
    through(
      'set_field:0x123456799abcdef0->metadata',
      'metadata=0x000000789a000000/0x000000ffff000000',
    ),
    '',
  );
  t.equal(through('set_field:0x8000000000000001->tun_id', 'tun_id=0x8000000000000001'), 'p2');
  t.equal(through('set_field:0x8000000000000001->tun_id', 'tun_id=0x0000000000000001'), '');
  t.equal(
    through(`set_field:${mac3}->eth_dst`, 'dl_dst=0a:00:00:00:00:01/ff:ff:00:00:00:01'),
    'p2',
  );
  t.equal(through(`set_field:${mac3}->eth_dst`, 'dl_dst=0a:01:00:00:00:01/ff:ff:00:00:00:01'), '');
  t.equal(
    through('move:NXM_OF_ETH_DST[16..47]->NXM_NX_REG3[]', 'reg3=0x0a000000'),
    'p2',
    'a subfield over two words',
  );
  t.equal(through('load:0xff->OXM_OF_METADATA[28..35]', 'metadata=0x0000000ff0000000'), 'p2');
});

void t.test('tables lead into tables', async (t) => {
  const changes =
    'table=1, priority=1 actions=set_field:5->reg0,set_field:0a:00:00:00:00:09->eth_dst';
  const back = nodeOf(
    'actions=resubmit(,1),goto_table:2',
    changes,
    'table=2, priority=1,reg0=5,dl_dst=0a:00:00:00:00:09 actions=2',
  );
  t.equal(portsOf(back, 'p1', udp()), 'p2', 'changes stay after resubmit');
  t.equal(counted(back), '0/32768:1 1/1:1 2/1:1');
  const disguised = nodeOf(
    'actions=resubmit(3,1),output:1',
    'table=1, priority=2,in_port=3 actions=2,IN_PORT',
    'table=1, priority=1 actions=4',
  );
  t.equal(portsOf(disguised, 'p1', udp()), 'p1 p2', 'in_port is another for the lookup alone');
  t.equal(
    portsOf(nodeOf('priority=1 actions=resubmit:2', 'priority=2,in_port=2 actions=3'), 'p1', udp()),
    'p3',
    'in the same table',
  );
  const expiring = nodeOf(
    'actions=resubmit(,1),output:2',
    'table=1, priority=1,ip actions=output:3,dec_ttl,output:4',
  );
  t.equal(portsOf(expiring, 'p1', udp({ ttl: 2 })), 'p2 p3 p4');
  t.equal(
    portsOf(expiring, 'p1', udp({ ttl: 1 })),
    'p2 p3',
    'TTL 1 ends the actions of the flow, not of those that led to it',
  );
  t.equal(portsOf(expiring, 'p1', udp({ ttl: 0 })), 'p2 p3');
  const deep = (length: number) =>
    nodeOf(
      ...Array.from(
        { length },
        (_, table) => `table=${table}, priority=1 actions=resubmit(,${table + 1})`,
      ),
      `table=${length}, priority=1 actions=2`,
    );
  t.equal(portsOf(deep(200), 'p1', udp()), 'p2', 'going on is not going deeper');
  const endless = nodeOf('priority=1 actions=2,resubmit(,0)');
  t.equal(portsOf(endless, 'p1', udp()), '', 'past a limit nothing at all comes out');
  t.equal(counted(endless), '0/1:65', '64 resubmits deep');
  const wide = nodeOf(
    'actions=2,resubmit(,0)',
    ...Array.from(
      { length: 13 },
      (_, table) =>
        `table=${table}, priority=1 actions=resubmit(,${table + 1}),resubmit(,${table + 1})`,
    ),
  );
  t.equal(portsOf(wide, 'p1', udp()), '', '4,096 resubmits');
  const round = (version: Version) => {
    const node = versionOf(version, 'ip,actions=2,ct(table=0)');
    return `${portsOf(node, 'p1', udp())} ${counted(node)}`;
  };
  t.equal(round([3, 3]), `${'p2 '.repeat(9)}0/32768:9`, 'read again 8 times');
  t.equal(round([3, 2]), `${'p2 '.repeat(7)}0/32768:7`, 'and 6 times before Open vSwitch 3.3');
});

void t.test('outputs', async (t) => {
  t.equal(portsOf(nodeOf('actions=1,2'), 'p1', udp()), 'p2', 'not to the port it came from');
  t.equal(portsOf(nodeOf('actions=IN_PORT'), 'p1', udp()), 'p1', 'by default');
  t.equal(
    portsOf(nodeOf('actions=set_field:0->in_port,1,2'), 'p1', udp()),
    'p1 p2',
    'or made to forget it',
  );
  t.equal(portsOf(nodeOf('actions=LOCAL,3'), 'br0', udp()), 'p3');
  t.equal(portsOf(nodeOf('actions=LOCAL,9'), 'p1', udp()), 'br0', 'a port that is not there');
  const byRegister = (value: string) =>
    portsOf(
      nodeOf(`actions=set_field:${value}->reg1,output:NXM_NX_REG1[],output:NXM_NX_REG1[0..3]`),
      'p1',
      udp(),
    );
  t.equal(byRegister('2'), 'p2 p2');
  t.equal(byRegister('1'), '', 'not to the port it came from either');
  t.equal(byRegister('0x10003'), 'p3', 'nor to a number that no port has');
  t.equal(byRegister('0xffff'), '');
  t.equal(byRegister('0xfff8'), 'p1', 'IN_PORT');
  const frame = udp();
  const copies = send(
    nodeOf(
      `actions=output:2,set_field:${mac3}->eth_src,output:3,set_field:${mac1}->eth_src,output:4`,
    ),
    'p1',
    frame,
  );
  t.equal(
    copies.map((copy) => `${copy.port} ${hex(copy.frame.subarray(6, 12))}`).join(' '),
    'p2 0a0000000001 p3 0a0000000003 p4 0a0000000001',
    'each as it was then',
  );
  t.equal(hex(send(nodeOf('actions=2'), 'p1', frame)[0]!.frame), hex(frame));
});

void t.test('connections', async (t) => {
  const stateFlows = [
    '+new-est-rpl-inv+trk',
    '-new+est-rpl-inv+trk',
    '-new+est+rpl-inv+trk',
    '-new-est-rpl+inv+trk',
  ];
  const states = [...stateFlows, '-trk'].map(
    (state, index) =>
      `table=1, priority=${9 - index},ct_state=${state} ` +
      `actions=${index === 4 ? 'LOCAL' : index + 1}`,
  );
  /** What the tracker says of a frame into br0, when tracked and committed in zone 1. */
  const tracker = (commit: string) => {
    const node = nodeOf(`priority=1,ip actions=ct(${commit}table=1,zone=1)`, ...states);
    const words: Readonly<Record<string, string>> = {
      p1: 'new',
      p2: 'established',
      p3: 'reply',
      p4: 'invalid',
      br0: 'untracked',
      '': 'else',
    };
    return { node, of: (frame: Uint8Array) => words[portsOf(node, 'br0', frame)] ?? 'several' };
  };
  await t.test('UDP', async (t) => {
    const { of, node } = tracker('commit,');
    t.equal(of(udp()), 'new');
    t.equal(of(udp()), 'new', 'until there is an answer');
    t.equal(of(answerTo(udp())), 'reply');
    t.equal(of(udp()), 'established');
    t.equal(of(udp({ srcPort: 8 })), 'new', 'another one');
    resetNode(node);
    t.equal(of(answerTo(udp())), 'new');
    t.equal(counted(node), '0/1:1 1/9:1');
    const watching = tracker('');
    t.equal(watching.of(udp()), 'new');
    t.equal(watching.of(answerTo(udp())), 'new', 'without commit nothing is remembered');
  });
  await t.test('ICMP', async (t) => {
    const { of } = tracker('commit,');
    const reply = icmp({ src: ip2, dst: ip1, type: icmpTypes.echoReply });
    t.equal(of(reply), 'invalid', 'an answer to nothing');
    t.equal(of(icmp()), 'new');
    t.equal(of(icmp({ src: ip2, dst: ip1, type: icmpTypes.echoReply, identifier: 6 })), 'invalid');
    t.equal(of(reply), 'reply');
    t.equal(of(icmp()), 'established');
    t.equal(of(icmp({ code: 1 })), 'invalid');
  });
  await t.test('what cannot be a connection', async (t) => {
    const { of } = tracker('commit,');
    const damage = (at: number) => udp().map((byte, index) => (index === at ? byte ^ 1 : byte));
    t.equal(of(damage(14 + 20 + 8)), 'invalid', 'the UDP checksum is wrong');
    t.equal(of(udp({ srcPort: 0 })), 'invalid');
    t.equal(of(udp().subarray(0, 40)), 'invalid', 'cut off');
    const without = ethernet(
      encodeIpv4(
        { src: ip1, dst: ip2, ttl: 64, protocol: ipProtocols.udp },
        encodeUdp({ srcPort: 1, dstPort: 2 }, Uint8Array.of(9), 'no-checksum'),
      ),
    );
    t.equal(of(without), 'new', 'UDP may do without a checksum');
    t.equal(
      of(ethernet(encodeIpv4({ src: ip1, dst: ip2, ttl: 64, protocol: 89 }, Uint8Array.of(9)))),
      'new',
      'protocols without ports have connections too',
    );
  });
  await t.test('time', async (t) => {
    const { of, node } = tracker('commit,');
    for (const frame of [udp(), answerTo(udp())]) of(frame);
    node.nowMs += 29_999;
    t.equal(of(udp()), 'established');
    node.nowMs += 30_000;
    t.equal(of(udp()), 'new');
  });
  await t.test('marks and zones', async (t) => {
    const node = nodeOf(
      'priority=2,ip,in_port=1 actions=ct(commit,zone=1,exec(set_field:0x25->ct_mark)),output:2',
      'priority=1,ip,in_port=2 actions=ct(table=1,zone=1)',
      'priority=1,ip,in_port=3 actions=ct(table=1,zone=2)',
      'priority=1,ip,in_port=4 ' +
        'actions=ct(commit,zone=1,exec(set_field:0xa/0xf->ct_mark)),ct(table=1,zone=1)',
      'table=1, priority=3,ct_mark=0x25,ct_zone=1 actions=3',
      'table=1, priority=2,ct_mark=0x2a,ct_zone=1 actions=1',
      'table=1, priority=1,ct_mark=0,ct_zone=2,ct_state=+new actions=4',
    );
    t.equal(portsOf(node, 'p1', udp()), 'p2');
    t.equal(portsOf(node, 'p2', answerTo(udp())), 'p3', 'both directions have the mark');
    t.equal(portsOf(node, 'p3', udp()), 'p4', 'in its zone only');
    t.equal(portsOf(node, 'p4', udp()), 'p1', 'some bits of it can change');
  });
  await t.test('a packet that does not go on elsewhere is untracked again', async (t) => {
    const node = nodeOf(
      'ip,actions=ct(table=1,zone=1)',
      'table=1, priority=1,ip,ct_state=+trk actions=ct(commit,zone=1),resubmit(,2)',
      'table=2, priority=2,ct_state=-trk,ct_zone=0,ct_mark=0 actions=2',
      'table=2, priority=1 actions=3',
    );
    t.equal(portsOf(node, 'p1', udp()), 'p2');
    const forked = nodeOf(
      'ip,actions=set_field:7->reg0,ct(table=1),set_field:8->reg0,resubmit(,1)',
      'table=1, priority=2,ct_state=+trk,reg0=7 actions=2',
      'table=1, priority=1,ct_state=-trk,reg0=8 actions=3',
    );
    t.equal(portsOf(forked, 'p1', udp()), 'p2 p3', 'the two are apart from then on');
    const learning = nodeOf(
      'ip,actions=ct(table=1),set_field:0a:00:00:00:00:02->eth_src,NORMAL',
      'table=1, priority=1 actions=NORMAL',
    );
    t.equal(
      portsOf(learning, 'p1', udp()),
      '',
      'it learns before the other continues: both go back to p1, and so nowhere',
    );
  });
  await t.test('the tracker sees what was changed before', async (t) => {
    const twice = nodeOf(
      'in_port=1,ip,actions=ct(commit,zone=1),set_field:10.0.0.9->ip_src,ct(commit,zone=1,' +
        'exec(set_field:9->ct_mark))',
      'in_port=2,ip,actions=ct(table=1,zone=1)',
      'table=1, priority=1,ct_mark=9 actions=3',
    );
    send(twice, 'p1', udp());
    t.equal(portsOf(twice, 'p2', udp()), '', 'two connections');
    t.equal(portsOf(twice, 'p2', udp({ src: '10.0.0.9' })), 'p3', 'the second is marked');
    const node = nodeOf(
      'in_port=1,ip,actions=set_field:10.0.0.9->ip_src,ct(commit,zone=1),2',
      'in_port=2,ip,actions=ct(table=1,zone=1)',
      'table=1, priority=1,ct_state=+rpl actions=3',
    );
    t.equal(portsOf(node, 'p1', udp()), 'p2');
    t.equal(portsOf(node, 'p2', answerTo(udp())), '');
    t.equal(portsOf(node, 'p2', answerTo(udp({ src: '10.0.0.9' }))), 'p3');
    const short = nodeOf(
      'ip,actions=set_field:10.0.0.9->ip_src,ct(table=1)',
      'table=1, priority=1,ip,nw_src=0.0.0.0 actions=2',
    );
    t.equal(
      portsOf(short, 'p1', udp().subarray(0, 40)),
      'p2',
      'what could not be written is not there afterwards',
    );
  });
});

void t.test('NORMAL', async (t) => {
  const to = (src: string, dst: string) =>
    ethernet(new Uint8Array(46), { src, dst, etherType: 0x88b5 });
  const node = nodeOf('actions=NORMAL');
  t.equal(portsOf(node, 'p1', to(mac1, mac2)), 'br0 p2 p3 p4', 'unknown: everywhere else');
  t.equal(portsOf(node, 'p2', to(mac2, mac1)), 'p1', 'learned');
  t.equal(portsOf(node, 'p1', to(mac3, mac1)), '', 'back where it came from: nowhere');
  t.equal(portsOf(node, 'p3', to(mac1, mac2)), 'p2');
  t.equal(portsOf(node, 'p4', to(mac2, mac1)), 'p3', 'it moved');
  t.equal(portsOf(node, 'p1', to(mac3, 'ff:ff:ff:ff:ff:ff')), 'br0 p2 p3 p4');
  t.equal(portsOf(node, 'p1', to('01:00:5e:00:00:01', mac3)), '', 'mac3 is at p1');
  t.equal(
    portsOf(node, 'p2', to(mac2, '01:00:5e:00:00:01')),
    'br0 p1 p3 p4',
    'groups are not learned',
  );
  for (const reserved of [
    '01:80:c2:00:00:00',
    '01:80:c2:00:00:0e',
    '01:80:c2:00:00:0f',
    '01:00:0c:cc:cc:cc',
    '00:e0:2b:00:00:00',
  ])
    t.equal(portsOf(node, 'p4', to('0a:00:00:00:00:44', reserved)), '', reserved);
  t.equal(
    portsOf(node, 'p1', to(mac1, '0a:00:00:00:00:44')),
    'br0 p2 p3 p4',
    'nothing was learned of those',
  );
  t.equal(portsOf(node, 'p4', to(mac2, '01:80:c2:00:00:10')), 'br0 p1 p2 p3');
  t.equal(
    portsOf(nodeOf('actions=set_field:9->in_port,NORMAL'), 'p1', to(mac1, mac2)),
    '',
    'from a port that is not there',
  );
  resetNode(node);
  t.equal(portsOf(node, 'p1', to(mac1, mac2)), 'br0 p2 p3 p4', 'forgotten');
});

/** Node 1 of two, with a tunnel to the other over br-phys. */
const tunnelNode: NodePlan = {
  node: 'n1',
  hosts: [],
  bridges: [
    {
      name: 'br-int',
      mac: '02:00:00:00:01:fe',
      ports: [
        { kind: 'tunnel', name: 'tun0', ofport: 1, tunnel: 'geneve' },
        { kind: 'internal', name: 'gw0', ofport: 2, mac: '0a:00:0a:0a:00:01' },
        { kind: 'endpoint', name: 'p1', ofport: 3 },
      ],
      flows: [
        'priority=3,arp,arp_tpa=10.10.1.1,arp_op=1 ' +
          'actions=move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[],mod_dl_src:aa:bb:cc:dd:ee:ff,' +
          'load:0x2->NXM_OF_ARP_OP[],move:NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[],' +
          'load:0xaabbccddeeff->NXM_NX_ARP_SHA[],move:NXM_OF_ARP_SPA[]->NXM_OF_ARP_TPA[],' +
          'load:0xa0a0101->NXM_OF_ARP_SPA[],IN_PORT',
        'priority=2,ip,nw_dst=10.10.1.0/24 actions=dec_ttl,mod_dl_src:0a:00:0a:0a:00:01,' +
          'mod_dl_dst:aa:bb:cc:dd:ee:ff,load:0xac1e0002->NXM_NX_TUN_IPV4_DST[],output:1',
        'priority=8,in_port=tun0,tun_src=172.30.0.2,tun_dst=172.30.0.1,tun_id=5 actions=output:3',
        'priority=7,in_port=tun0,tun_id=0 actions=output:2',
        'priority=1,ip,nw_dst=10.10.2.0/24 actions=set_field:172.30.9.9->tun_dst,output:1',
        'priority=1,ip,nw_dst=10.10.3.0/24 actions=output:1',
        'priority=1,ip,nw_dst=10.10.4.0/24 actions=set_field:172.30.0.3->tun_dst,output:1',
        'priority=0 actions=set_field:172.30.0.2->tun_dst,output:1',
      ],
    },
    {
      name: 'br-phys',
      mac: '02:00:00:00:01:01',
      underlay: {
        ip: '172.30.0.1',
        prefixLength: 24,
        neighbours: [{ ip: '172.30.0.2', mac: '02:00:00:00:02:01' }],
      },
      ports: [{ kind: 'uplink', name: 'up', ofport: 1, mac: '02:00:00:00:01:01' }],
      flows: ['priority=0 actions=NORMAL'],
    },
  ],
};

// What an Open vSwitch 3.5.0 sent for these flows.
const innerUdp = bytes(
  '0a000a0a00010a000a0a000208004500001e000140004011' + '25b70a0a00020a0a010204d20007000a7d806869',
);
const outerUdp =
  '020000000201020000000101080045000050000040004011e25dac1e0001ac1e0002e4c417c1003c00000000655800000000aabbccddeeff0a000a0a000108004500001e000140003f1126b70a0a00020a0a010204d20007000a7d806869';
const innerEcho = bytes(
  '0a000a0a00010a000a0a00020800450000210001400040' +
    '0125c40a0a00020a0a01020800b3df004d000168656c6c6f',
);
const outerEcho =
  '020000000201020000000101080045000053000040004011e25aac1e0001ac1e0002841017c1003f00000000655800000000aabbccddeeff0a000a0a0001080045000021000140003f0126c40a0a00020a0a01020800b3df004d000168656c6c6f';
const arpAnswer =
  '0a000a0a0001aabbccddeeff08060001080006040002aabbccddeeff0a0a01010a000a0a00010a0a0001';

void t.test('frames that an Open vSwitch sent', async (t) => {
  const node = buildNode(tunnelNode);
  const sent = (port: string, frame: Uint8Array) =>
    send(node, port, frame).map((output) => `${output.port} ${hex(output.frame)}`);
  t.strictSame(sent('p1', innerUdp), [`up ${outerUdp}`]);
  t.strictSame(sent('p1', innerEcho), [`up ${outerEcho}`]);
  const question = encodeArp({
    op: arpOperations.request,
    sha: '0a:00:0a:0a:00:01',
    spa: '10.10.0.1',
    tha: '00:00:00:00:00:00',
    tpa: '10.10.1.1',
  });
  t.strictSame(
    sent(
      'gw0',
      ethernet(question, {
        src: '0a:00:0a:0a:00:01',
        dst: 'ff:ff:ff:ff:ff:ff',
        etherType: etherTypes.arp,
      }),
    ),
    [`gw0 ${arpAnswer}`],
  );
});

void t.test('tunnels', async (t) => {
  const node = buildNode(tunnelNode);
  const inner = hex(innerUdp);
  /** The frame that node 2 sends to node 1 around `inner`. */
  const arriving = ({
    vni = '000005',
    dstMac = '020000000101',
    dst = 'ac1e0001',
    port = '17c1',
    fragment = '4000',
  } = {}) => {
    const ip = encodeIpv4(
      {
        src: '172.30.0.2',
        dst: formatIpv4(Number.parseInt(dst, 16)),
        protocol: ipProtocols.udp,
        ttl: 64,
        flags: Number.parseInt(fragment, 16) >> 13,
      },
      bytes(
        `8000${port}${(16 + inner.length / 2).toString(16).padStart(4, '0')}0000` +
          `00006558${vni}00${inner}`,
      ),
    );
    return bytes(`${dstMac}0200000002010800${hex(ip)}`);
  };
  t.strictSame(
    send(node, 'up', arriving()).map((output) => `${output.port} ${hex(output.frame)}`),
    [`p1 ${inner}`],
    'with the addresses and the key it came with',
  );
  t.equal(portsOf(node, 'up', arriving({ vni: '000000' })), 'gw0');
  t.equal(
    portsOf(node, 'up', arriving({ port: '17c2' })),
    'br-phys',
    'another UDP port is for the node',
  );
  t.equal(
    portsOf(node, 'up', arriving({ dst: 'ac1e0009' })),
    'br-phys',
    'and so is another address',
  );
  t.equal(portsOf(node, 'up', arriving({ fragment: '2000' })), 'br-phys', 'and a fragment');
  t.equal(portsOf(node, 'p1', udp({ dst: '10.10.2.1' })), '', 'no route');
  t.equal(portsOf(node, 'p1', udp({ dst: '10.10.3.1' })), '', 'no destination');
  t.strictSame(
    send(node, 'p1', udp({ dst: '10.10.4.1' })).map(
      (output) => `${output.port} ${hex(output.frame)}`,
    ),
    ['up ffffffffffff02000000010108060001080006040001020000000101ac1e0001000000000000ac1e0003'],
    'a packet is lost, and its neighbour is asked for',
  );
  t.equal(
    portsOf(node, 'p1', udp({ dst: '10.10.4.1' })),
    '',
    'and not asked for again while the answer may come',
  );
  node.nowMs += 1000;
  t.throws(() => send(node, 'p1', udp({ dst: '10.10.4.1' })), {
    name: 'Unsupported',
    message: /whether a neighbour is asked for again/,
  });
  t.throws(() => send(buildNode(tunnelNode, [3, 5]), 'p1', udp({ dst: '10.10.4.1' })), {
    name: 'Unsupported',
    message: /how often Open vSwitch before 4.0 asks for a neighbour while addresses are learned/,
  });
  t.match(
    send(node, 'p1', udp({ tos: 0xb9 })).map(({ frame }) => hex(frame)),
    [/^.{28}4501/],
    'the outer header has the ECN, and no more of the TOS',
  );
  t.match(
    send(node, 'p1', udp({ tos: 3 })).map(({ frame }) => hex(frame)),
    [/^.{28}4502/],
    'congestion is marked inside only',
  );
});

void t.test('what broken and unusual packets have to match', async (t) => {
  const seen = (frame: Uint8Array, ...matches: readonly string[]) =>
    matches
      .filter((match) => portsOf(nodeOf(`priority=1,${match} actions=2`), 'p1', frame) === 'p2')
      .join(' ');
  const ports = ['udp', 'udp,tp_src=7', 'udp,tp_src=0'];
  t.equal(seen(udp(), ...ports), 'udp udp,tp_src=7');
  t.equal(
    seen(udp({ flags: 1 }), ...ports, 'ip,nw_frag=first'),
    'udp udp,tp_src=0 ip,nw_frag=first',
    'fragments have no ports, not even the first',
  );
  t.equal(
    seen(udp({ fragmentOffset: 1 }), ...ports, 'ip,nw_frag=later'),
    'udp udp,tp_src=0 ip,nw_frag=later',
  );
  t.equal(
    seen(udp().subarray(0, 40), 'ip', 'udp', 'ip,nw_src=0.0.0.0', 'ip,nw_ttl=0'),
    'ip ip,nw_src=0.0.0.0 ip,nw_ttl=0',
    'a datagram that is cut off is nothing but IPv4',
  );
  t.equal(
    seen(
      ethernet(
        encodeIpv4({ src: ip1, dst: ip2, ttl: 64, protocol: ipProtocols.udp }, bytes('00070035')),
      ),
    ),
    '',
  );
  t.equal(
    seen(
      ethernet(
        encodeIpv4({ src: ip1, dst: ip2, ttl: 64, protocol: ipProtocols.udp }, bytes('00070035')),
      ),
      ...ports,
    ),
    'udp udp,tp_src=0',
  );
  const lengths = (total: number) =>
    udp({ options: Uint8Array.of(1, 1, 1, 1) }).map((byte, index) =>
      index === 14 + 3 ? total : byte,
    );
  t.equal(seen(lengths(33), 'udp', 'ip,nw_ttl=0'), 'udp');
  for (const total of [20, 23, 255])
    t.equal(
      seen(lengths(total), 'udp', 'ip,nw_ttl=0'),
      'ip,nw_ttl=0',
      `a total length of ${total}`,
    );
  t.equal(
    seen(
      tcp().map((byte, index) => (index === 14 + 20 + 12 ? 0x40 : byte)),
      'tcp',
      'tcp,tp_src=7',
      'tcp,tp_src=0',
    ),
    'tcp tcp,tp_src=0',
    'TCP with a header of 16 bytes',
  );
  t.equal(
    seen(udp({ tos: 0xb9 }), 'ip,nw_tos=184', 'ip,nw_tos=0'),
    'ip,nw_tos=184',
    'ECN is not part of nw_tos',
  );
  t.equal(
    seen(arp(257), 'arp,arp_op=0', 'arp,arp_op=1', `arp,arp_spa=${ip1}`),
    `arp,arp_op=0 arp,arp_spa=${ip1}`,
    'eight bits of the operation',
  );
  t.equal(
    seen(arp().subarray(0, 41), 'arp', 'arp,arp_op=0', 'arp,arp_spa=0.0.0.0'),
    'arp arp,arp_op=0 arp,arp_spa=0.0.0.0',
  );
  t.equal(
    seen(ethernet(new Uint8Array(20), { etherType: 0x14 }), 'dl_type=0x05ff', 'dl_type=0x0014'),
    'dl_type=0x05ff',
  );
  t.equal(
    seen(ethernet(bytes('aaaa030000000806'), { etherType: 8 }), 'dl_type=0x05ff', 'arp'),
    'arp',
    'SNAP',
  );
  for (const tag of ['8100', '88a8'])
    t.equal(
      seen(
        bytes(`0a00000000020a0000000001${tag}000588b50000`),
        'vlan_tci=0x1000/0x1000',
        'vlan_tci=0',
        'dl_type=0x88b5',
      ),
      'vlan_tci=0x1000/0x1000 dl_type=0x88b5',
      tag,
    );
  t.equal(
    portsOf(nodeOf('actions=NORMAL'), 'p1', bytes('0a00000000020a000000000181000005')),
    '',
    'NORMAL keeps a tag that is cut off',
  );
});

void t.test('what cannot be written stays', async (t) => {
  const after = (frame: Uint8Array, ...actions: readonly string[]) =>
    hex(send(nodeOf(`udp,actions=${actions.join(',')},2`), 'p1', frame)[0]!.frame);
  const later = udp({ fragmentOffset: 1 });
  t.equal(
    after(later, 'set_field:9->udp_src', 'move:NXM_OF_IP_TOS[]->NXM_OF_UDP_DST[0..7]'),
    hex(later),
    'a later fragment has no ports',
  );
  const short = ethernet(
    encodeIpv4({ src: ip1, dst: ip2, ttl: 64, protocol: ipProtocols.udp }, bytes('00070035')),
  );
  t.equal(after(short, 'set_field:9->udp_src'), hex(short));
  const ecn = udp({ tos: 3 });
  t.equal(after(ecn, 'set_field:184->nw_tos'), hex(udp({ tos: 187 })));
  t.equal(
    after(ecn, 'set_field:0xff->reg0', 'move:NXM_NX_REG0[0..7]->NXM_OF_IP_TOS[]'),
    hex(udp({ tos: 0xff })),
  );
  t.equal(
    after(ecn, 'move:NXM_OF_IP_TOS[]->NXM_NX_IP_TTL[]'),
    hex(udp({ tos: 3, ttl: 0 })),
    'ECN is not part of nw_tos',
  );
  const sent = (flow: string, frame: Uint8Array) => hex(send(nodeOf(flow), 'p1', frame)[0]!.frame);
  for (const frame of [arp(), arp(0), arp().subarray(0, 20)])
    t.equal(
      sent(`arp,actions=set_field:${mac3}->arp_sha,set_field:0->arp_op,2`, frame),
      hex(frame),
      'ARP of operation 0 is not written',
    );
  const protocol0 = ethernet(
    encodeIpv4({ src: ip1, dst: ip2, ttl: 64, protocol: 0 }, new Uint8Array(4)),
  );
  t.equal(sent('ip,actions=dec_ttl,2', protocol0), hex(protocol0), 'nor is IPv4 of protocol 0');
  const padded = concatBytes(udp(), new Uint8Array(9).fill(0xee));
  t.equal(
    after(padded, 'set_field:9->nw_ttl'),
    hex(concatBytes(udp({ ttl: 9 }), new Uint8Array(9).fill(0xee))),
    'padding stays',
  );
});

void t.test('the model refuses by name', async (t) => {
  const refuses = (why: RegExp, flow: string, frame: Uint8Array) =>
    t.throws(
      () => send(nodeOf(flow), 'p1', frame),
      {
        name: 'Unsupported',
        message: new RegExp(`${why.source}.*at a frame into p1 of n1, table 0$`),
      },
      why.source,
    );
  t.throws(
    () =>
      send(
        nodeOf('ip,actions=write_actions(output:2),goto_table:1', 'table=1,ip,actions=ct(table=2)'),
        'p1',
        udp(),
      ),
    { name: 'Unsupported', message: /frozen with an action set.* table 1$/ },
  );
  refuses(
    /chooses by a seed of its own what src=10.0.0.1,dst=10.0.0.2,.* is translated to/,
    'ip,actions=ct(commit,nat(src=10.0.0.8-10.0.0.9))',
    udp(),
  );
  refuses(
    /does not rewrite ARP that is not for IPv4/,
    'arp,actions=set_field:2->arp_op,2',
    arp().subarray(0, 20),
  );
  refuses(
    /does not rewrite ARP that is not for IPv4/,
    'arp,actions=set_field:2->arp_op,2',
    arp(257),
  );
  refuses(/does not rewrite ARP of operation 255/, 'arp,actions=set_field:255->arp_op,2', arp());
  t.throws(() => nodeOf('ip,actions=groups:1'), {
    name: 'InputError',
    message: 'flows of br0 on n1:1:12: unknown action "groups:1"',
  });
});

void t.test('checksums stay right whatever is rewritten', async () => {
  const word32 = fc.integer({ min: 0, max: 0xffffffff });
  const word16 = fc.integer({ min: 0, max: 0xffff });
  const octet = fc.integer({ min: 0, max: 0xff });
  const changes = fc.record({
    src: word32,
    dst: word32,
    ttl: octet,
    tos: octet,
    tpSrc: word16,
    tpDst: word16,
  });
  const frames = fc
    .tuple(
      word32,
      word32,
      word16,
      word16,
      fc.uint8Array({ maxLength: 9 }),
      fc.constantFrom('udp', 'tcp', 'icmp'),
    )
    .map(([src, dst, srcPort, dstPort, payload, kind]) => {
      const header = {
        src: formatIpv4(src),
        dst: formatIpv4(dst),
        ttl: 64,
        options: new Uint8Array(),
        protocol: ipProtocols[kind],
      };
      const segment = {
        srcPort,
        dstPort,
        sequence: src,
        acknowledgement: dst,
        flags: 16,
        window: 1,
        urgentPointer: 0,
        options: new Uint8Array(),
      };
      const inner = {
        udp: () => encodeUdp({ srcPort, dstPort }, payload, header),
        tcp: () => encodeTcp(segment, payload, header),
        icmp: () =>
          encodeIcmp(
            { type: srcPort & 0xff, code: dstPort & 0xff, identifier: 1, sequence: 2 },
            payload,
          ),
      }[kind]();
      return { kind, payload, frame: ethernet(encodeIpv4(header, inner)) };
    });
  fc.assert(
    fc.property(frames, changes, ({ kind, payload, frame }, to) => {
      const before = new Uint32Array(keyWords);
      const layout = extract(frame, before);
      const after = before.slice();
      const [tpSrc, tpDst] =
        kind === 'icmp' ? [to.tpSrc & 0xff, to.tpDst & 0xff] : [to.tpSrc, to.tpDst];
      for (const [field, value] of [
        [word.nwSrc, to.src],
        [word.nwDst, to.dst],
        [word.nwTtl, to.ttl],
        [word.nwTos, to.tos],
        [word.tpSrc, tpSrc],
        [word.tpDst, tpDst],
      ] as const)
        after[field] = value;
      const written = rewrite(frame, layout, before, after);
      const packet = decodeIpv4(decodeEthernet(written)!.payload)!;
      strictEqual(packet.checksum, 'valid');
      deepStrictEqual(
        [packet.header.src, packet.header.dst, packet.header.ttl, packet.header.tos],
        [formatIpv4(to.src), formatIpv4(to.dst), to.ttl, to.tos],
      );
      const inside = { udp: decodeUdp, tcp: decodeTcp, icmp: decodeIcmp }[kind](
        packet.payload,
        packet.header,
      )!;
      strictEqual(inside.checksum, 'valid');
      deepStrictEqual(inside.payload, payload);
      deepStrictEqual(
        'type' in inside.header
          ? [inside.header.type, inside.header.code]
          : [inside.header.srcPort, inside.header.dstPort],
        [tpSrc, tpDst],
      );
      const again = new Uint32Array(keyWords);
      extract(written, again);
      deepStrictEqual(again, after, 'what was written is read again');
    }),
    { numRuns: 2000 },
  );
});
