/**
 * Goal: dumps of any version are the switch they were printed from, a packet takes the way that
 * they say and is reported in all detail, and what is wrong is reported with its place. Method: one
 * small switch as ovs-ofctl prints it in OpenFlow 1.0 and 1.5, with names and without.
 */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { traceReport, traceSchema } from './trace-report.js';
import { traceDocument } from './trace-document.js';
import { stimulusAt } from './packet-stimulus.js';
import { dumpedSwitch, type DumpedSwitch } from '../dumps/dumped-switch.js';
import type { BridgeSources } from '../dumps/dumped-bridge.js';
import { findPort } from '../dumps/find-port.js';
import { reportPacket } from './report-packet.js';
import { tracePackets } from './trace-packets.js';
import { findFlow, whyNot } from './why-not.js';

const shown = `OFPT_FEATURES_REPLY (xid=0x2): dpid:0000aabbccddeeff
n_tables:254, n_buffers:0
 1(p1): addr:aa:55:aa:55:00:01
     config:     0
     speed: 0 Mbps now, 0 Mbps max
 2(p2): addr:aa:55:aa:55:00:02
 LOCAL(br0): addr:aa:bb:cc:dd:ee:ff
`;
const version15 = `OFPST_FLOW reply (OF1.5) (xid=0x2):
 cookie=0x0, duration=3.1s, table=0, n_packets=5, n_bytes=70, idle_age=2, priority=7,in_port=1 actions=set_field:0x3->reg0,goto_table:9
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, reg0=0x3 actions=set_field:0a:00:00:00:00:09->eth_src,output:2
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, priority=9,reg0=0x4 actions=drop
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, priority=1,reg0=0x1/0x1,dl_type=0x88b5 actions=drop
`;
const version10 = `NXST_FLOW reply (xid=0x4):
 cookie=0x0, duration=3.1s, table=0, n_packets=5, n_bytes=70, idle_age=2, priority=7,in_port=1 actions=load:0x3->NXM_NX_REG0[],resubmit(,9)
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, reg0=0x3 actions=mod_dl_src:0a:00:00:00:00:09,output:2
`;
const frame = encodeEthernet(
  { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 },
  new Uint8Array(46),
);
const ports = { text: shown, file: 'ports' };
const source = (flows: string): BridgeSources => ({
  bridge: 'br0',
  flows: { text: flows, file: 'flows' },
});
const open = (flows: string, withPorts = true): DumpedSwitch =>
  dumpedSwitch([{ ...source(flows), ...(withPorts ? { ports } : {}) }]);
const traceIn = (into: DumpedSwitch, port: string) =>
  tracePackets(into.plan, [stimulusAt(frame, findPort(into, port))])[0]!;
const trace = (flows: string, port: string, withPorts = true) =>
  traceIn(open(flows, withPorts), port);

void t.test('the way of a packet', (t) => {
  for (const [what, flows] of [
    ['OpenFlow 1.5', version15],
    ['OpenFlow 1.0', version10],
    ['names', version15.replace('in_port=1', 'in_port=p1').replace('output:2', 'output:p2')],
  ] as const) {
    const { path, outputs } = trace(flows, 'p1');
    t.strictSame(
      path.map(({ table, flow }) => `${table} ${flow?.id.match}`),
      ['0 in_port=1', '9 reg0=0x3'],
      what,
    );
    t.match(
      outputs,
      [
        {
          bridge: 'br0',
          port: 'p2',
          flow: /^ip,reg0=0x3,in_port=1,vlan_tci=0x0000,dl_src=0a:00:00:00:00:09,/,
        },
      ],
      what,
    );
    t.strictSame(
      outputs.map(({ frame: out }) => out.subarray(6, 12)),
      [Uint8Array.of(10, 0, 0, 0, 0, 9)],
      what,
    );
  }
  t.match(trace(version15, '1', false).outputs, [{ port: '2' }], 'numbers stand for themselves');
  t.match(trace(version15, '1').outputs, [{ port: 'p2' }], 'a port by its number');
  t.match(trace(version15, 'p2'), {
    path: [{ table: 0 }],
    outputs: [],
    translations: [{ nodes: [{ kind: 'table', nodes: [{ kind: 'action', text: 'drop' }] }] }],
  });
  t.end();
});

void t.test(
  'the tree: actions and tables as they follow each other, each with its outcome',
  (t) => {
    const nested = `table=0,in_port=1 actions=resubmit(,5),output:2,output:1
table=0,in_port=3 actions=resubmit(,5),check_pkt_larger(1)->NXM_OF_ETH_SRC[0]
table=5 actions=set_field:1->reg1
`;
    const { translations, finalFlow } = trace(nested, '1', false);
    t.match(translations, [
      {
        bridge: 'br0',
        nodes: [
          {
            kind: 'table',
            table: 0,
            nodes: [
              { kind: 'action', text: 'resubmit(,5)' },
              { kind: 'table', table: 5, nodes: [{ kind: 'action', text: 'set_field:0x1->reg1' }] },
              { kind: 'action', text: 'output:2' },
              { kind: 'action', text: 'output:1' },
              { kind: 'end', text: 'output to the port it came from, 1' },
            ],
          },
        ],
      },
    ]);
    t.match(finalFlow, /^ip,reg1=0x1,in_port=1,/);
    const refused = trace(nested, '3', false);
    t.match(refused, { refused: { message: /check_pkt_larger/ } }, 'the model gives up');
    t.match(refused.path, [{ table: 0 }, { table: 5 }], 'what was before is reported');
    t.end();
  },
);

void t.test('why not', (t) => {
  const into = open(version15);
  const answer = (text: string, port = 'p1') =>
    whyNot(findFlow(text, into, undefined), traceIn(into, port).translations).lookups;
  t.strictSame(answer('table=9,reg0=3'), [{ kind: 'taken' }]);
  t.strictSame(answer('table=9,priority=9,reg0=4'), [
    { kind: 'no match', fields: [{ field: 'reg0', packet: '0x3', flow: '0x4' }] },
  ]);
  t.strictSame(
    answer('table=9,reg0=1/1,dl_type=0x88b5 actions=whatever:1'.replace(' actions=whatever:1', '')),
    [{ kind: 'no match', fields: [{ field: 'dl_type', packet: '0x0800', flow: '0x88b5' }] }],
  );
  t.strictSame(answer('table=9,reg0=3', 'p2'), [], 'never looked up');
  const two = open(`${version15} table=9,priority=2,reg0=3 actions=drop\n`);
  t.match(
    whyNot(findFlow('table=9,priority=2,reg0=3', two, undefined), traceIn(two, 'p1').translations)
      .lookups,
    [{ kind: 'outranked', by: { priority: 32768 } }],
  );
  t.throws(() => findFlow('table=9,reg0=3', two, undefined), {
    name: 'InputError',
    message:
      /several flows are called so: br0 table=9, priority=32768,reg0=0x3; br0 table=9, priority=2,reg0=0x3$/,
  });
  t.throws(() => findFlow('table=9,priority=8,reg0=3', into, undefined), {
    name: 'InputError',
    message:
      /there is no flow "table=9,priority=8,reg0=3": with that match there is table=9, priority=32768,reg0=0x3 /,
  });
  t.throws(() => findFlow('table=9,reg7=3', into, undefined), {
    name: 'InputError',
    message: /table 9 has 3 flows, none with that match/,
  });
  t.throws(() => findFlow('table=9,regg=3', into, undefined), {
    name: 'InputError',
    message: /^--why-not:1:9: unknown field "regg"/,
  });
  t.end();
});

void t.test('for programs: one document, as its schema says', async (t) => {
  const into = open(version15);
  const result = traceIn(into, 'p1');
  const report = reportPacket(
    result,
    whyNot(findFlow('table=9,priority=9,reg0=4', into, undefined), result.translations),
  );
  for (const form of ['one packet', 'packets'] as const)
    t.doesNotThrow(
      () => traceReport.parse(JSON.parse(JSON.stringify(traceDocument([report], form, [])))),
      form,
    );
  t.match(traceDocument([report], 'one packet', ['a note']), {
    outputs: [{ bridge: 'br0', port: 'p2', frame: /^0a00000000020a0000000009/, flow: /reg0=0x3/ }],
    path: [
      {
        bridge: 'br0',
        table: 0,
        flow: 'in_port=1',
        priority: 7,
        actions: 'set_field:0x3->reg0,goto_table:9',
      },
      { bridge: 'br0', table: 9, flow: 'reg0=0x3', priority: 32768 },
    ],
    finalFlow: /dl_src=0a:00:00:00:00:09/,
    state: { connections: [], macs: [] },
    packetIns: [],
    whyNot: { table: 9, priority: 9, flow: 'reg0=0x4', lookups: [{ kind: 'no match' }] },
  });
  t.equal(
    await readFile(new URL('../../../docs/trace.schema.json', import.meta.url), 'utf8'),
    traceSchema(),
    'if the schema was meant to change: npm run schema',
  );
});

void t.test('what is wrong', (t) => {
  const named = (flows: string, groups?: string) => () =>
    dumpedSwitch([
      {
        ...source(flows),
        ...(groups === undefined ? {} : { groups: { text: groups, file: 'groups' } }),
      },
    ]);
  t.throws(named('\nin_port=1 actions=group:5'), {
    name: 'InputError',
    message:
      'flows:2:19: group 5 is not known: give what "ovs-ofctl dump-groups" prints by --groups',
  });
  t.throws(named('in_port=1 actions=group:5', 'group_id=6,type=all,bucket=output:1'), {
    name: 'InputError',
    message: /group 5 is not known; known are 6: /,
  });
  t.throws(named('in_port=1 actions=group:6', 'group_id=6,type=all,bucket=meter:1,output:1'), {
    name: 'InputError',
    message: /^groups:1:\d+: meter 1 is not known/,
  });
  t.doesNotThrow(named('in_port=1 actions=group:6', 'group_id=6,type=all,bucket=output:1'));
  t.match(
    reportPacket(traceIn(dumpedSwitch([source('in_port=1 actions=drop\nip actions=drop')]), '1'))
      .refused,
    /two flows of equal priority match one packet: .*: check asks one$/,
  );
  t.throws(() => trace(version15, 'p3'), {
    name: 'InputError',
    message: /unknown port "p3".*br0, p1, p2/,
  });
  t.throws(() => trace(version15.replace('goto_table', 'goto_tables'), 'p1'), {
    name: 'InputError',
    message: /^flows:2:\d+: /,
  });
  const wrong = (text: string) => () =>
    dumpedSwitch([{ ...source(version15), ports: { text, file: 'ports' } }]);
  t.throws(wrong('nothing'), {
    name: 'InputError',
    message: /^ports: expected what "ovs-ofctl show" prints/,
  });
  t.throws(wrong(shown.replace('(p2)', '(p1)')), {
    name: 'InputError',
    message: 'ports:6: two ports are called p1',
  });
  t.throws(wrong(shown.replace(' 2(', ' 1(')), {
    name: 'InputError',
    message: 'ports:6: two ports have the number 1',
  });
  t.end();
});
