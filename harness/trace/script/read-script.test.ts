/**
 * Goal: a script's lines are read as what they say, mistakes are reported with their place, and the
 * model carries them out one after the other. Method: one small switch; each command once, each
 * mistake once; a connection that is made, grows old and is forgotten.
 */
import t from 'tap';
import { traceReport } from '../trace-report.js';
import { scriptDocument } from '../trace-document.js';
import { dumpedSwitch, type DumpedSwitch } from '../../dumps/dumped-switch.js';
import { playScript } from './play-script.js';
import { readScript } from './read-script.js';
import { refusalOf, reportStep } from './report-step.js';

const flows = `table=0,udp actions=ct(commit,table=1,zone=7)
table=0,icmp actions=NORMAL
table=1,ct_state=+new actions=output:2
table=1,ct_state=+est actions=output:3
`;
const shown =
  ' 1(p1): addr:aa:55:aa:55:00:01\n 2(p2): addr:aa:55:aa:55:00:02\n 3(p3): ' +
  'addr:aa:55:aa:55:00:03\n LOCAL(br0): addr:aa:bb:cc:dd:ee:ff\n';
const listed = dumpedSwitch([
  { bridge: 'br0', flows: { text: flows, file: 'flows' }, ports: { text: shown, file: 'ports' } },
]);
const unlisted = dumpedSwitch([{ bridge: 'br0', flows: { text: flows, file: 'flows' } }]);
const two = dumpedSwitch(
  ['br0', 'br1'].map((bridge, index) => ({
    bridge,
    flows: { text: 'actions=drop', file: 'flows' },
    ports: {
      text:
        ` 1(p${index + 1}): addr:aa:55:aa:55:00:01\n LOCAL(${bridge}): ` +
        'addr:aa:bb:cc:dd:ee:ff\n',
      file: 'ports',
    },
  })),
);
const read = (text: string, into: DumpedSwitch = listed) => readScript({ text, file: 's' }, into);
const commandsOf = (text: string, into?: DumpedSwitch) =>
  read(text, into).steps.map(({ command }) => command);
const udp =
  'udp,dl_src=0a:00:00:00:00:01,dl_dst=0a:00:00:00:00:02,nw_src=10.0.0.1,nw_dst=10.0.0.2,' +
  'nw_ttl=64,tp_src=4000,tp_dst=7';

void t.test('what lines say', (t) => {
  const node = 'switch';
  const said = [
    ['advance 1.5s', { kind: 'call', call: { kind: 'advance', node, ms: 1500 } }],
    ['advance 24h', { kind: 'call', call: { kind: 'advance', node, ms: 86_400_000 } }],
    ['advance 1ms', { kind: 'call', call: { kind: 'advance', node, ms: 1 } }],
    [
      'add-flow priority=7,in_port=p1,actions=output:p2',
      {
        kind: 'call',
        call: {
          kind: 'change',
          node,
          bridge: 'br0',
          lines: ['flow add table=0, priority=7,in_port=1 actions=output:2'],
        },
      },
    ],
    [
      'mod-flows  br0 udp,actions=drop',
      {
        kind: 'call',
        call: { kind: 'change', node, bridge: 'br0', lines: ['flow modify udp,actions=drop'] },
      },
    ],
    [
      'mod-flows --strict priority=3,udp,actions=drop',
      {
        kind: 'call',
        call: {
          kind: 'change',
          node,
          bridge: 'br0',
          lines: ['flow modify_strict priority=3,udp,actions=drop'],
        },
      },
    ],
    [
      'del-flows',
      { kind: 'call', call: { kind: 'change', node, bridge: 'br0', lines: ['flow delete '] } },
    ],
    [
      'del-flows br0 --strict priority=3,udp',
      {
        kind: 'call',
        call: { kind: 'change', node, bridge: 'br0', lines: ['flow delete_strict priority=3,udp'] },
      },
    ],
    [
      'add-group group_id=1,type=all,bucket=output:2',
      {
        kind: 'call',
        call: {
          kind: 'change',
          node,
          bridge: 'br0',
          lines: ['group add group_id=1,type=all,bucket=output:2'],
        },
      },
    ],
    [
      'del-groups br0 group_id=1',
      {
        kind: 'call',
        call: { kind: 'change', node, bridge: 'br0', lines: ['group delete group_id=1'] },
      },
    ],
    ['port-down p1', { kind: 'call', call: { kind: 'link', node, port: 'p1', state: 'down' } }],
    ['port-up LOCAL', { kind: 'call', call: { kind: 'link', node, port: 'br0', state: 'up' } }],
    ['flush-conntrack', { kind: 'call', call: { kind: 'flush', node } }],
    [
      'flush-conntrack zone=5 ct_nw_src=10.0.0.1',
      { kind: 'call', call: { kind: 'flush', node, zone: 5, tuple: 'ct_nw_src=10.0.0.1' } },
    ],
    ['dump-flows', { kind: 'dump', what: 'flows', bridge: 'br0' }],
    ['dump-fdb br0 # look', { kind: 'dump', what: 'macs', bridge: 'br0' }],
    ['dump-conntrack zone=65535', { kind: 'dump', what: 'connections', zone: 65535 }],
  ] as const;
  for (const [line, command] of said)
    t.strictSame(commandsOf(`# first\n\n  ${line}`), [command], line);
  t.match(commandsOf(`inject p1 ${udp}`), [
    { kind: 'inject', stimulus: { bridge: 'br0', ofport: 1, metadata: [] } },
  ]);
  t.match(commandsOf('inject 3 0a0000000001 0a0000000002 88b5'), [
    {
      kind: 'inject',
      stimulus: {
        bridge: 'br0',
        ofport: 3,
        frame: new Uint8Array(Buffer.from('0a00000000010a000000000288b5', 'hex')),
      },
    },
  ]);
  t.match(commandsOf('inject p2 ip\ndump-flows br1', two), [
    { kind: 'inject', stimulus: { bridge: 'br1', ofport: 1 } },
    { bridge: 'br1' },
  ]);
  t.strictSame(
    read(`inject 9 ip\nport-down 8\nadd-flow actions=output:11`, unlisted)
      .target.plan.bridges[0]?.ports.map(({ name }) => name)
      .sort(),
    ['11', '2', '3', '8', '9'],
    'ports that nobody has listed',
  );
  t.strictSame(read('\n# nothing\n').steps, []);
  t.end();
});

void t.test('mistakes', (t) => {
  const wrong = [
    ['fly away', 's:1:1: unknown command "fly".'],
    [
      '\n  advance 30',
      's:2:11: expected a time of whole milliseconds from 1ms to 24h, ' +
        'such as 500ms, 30s, 5m, got "30"',
    ],
    ['advance 0.5ms', 's:1:9: '],
    ['advance 25h', 's:1:9: '],
    ['inject', 's:1:7: expected a port and a packet'],
    ['inject p9 ip', 's:1:8: unknown port "p9". Did you mean "p1"?'],
    ['inject p1', 's:1:10: expected a packet behind the port'],
    ['inject p1 0a0b0', 's:1:11: expected an Ethernet frame'],
    ['inject p1 udp,tp_dts=7', 's:1:15: unknown field "tp_dts"'],
    ['inject p1 in_port=p1,udp', 's:1:11: the packet comes in at p1: leave in_port out'],
    ['inject p1 ip,nw_src=10.0.0.0/8', /^s:1:11: .*without a mask/],
    ['add-flow udp,actions=fly', /^s:1:22: /],
    ['add-flow udp', /^s:1:\d+: expected "actions="/],
    ['del-flows udp,tp_dts=7', /^s:1:15: /],
    ['mod-flows --strict udp,actions=output:p9', /^s:1:\d+: /],
    ['add-group group_id=1,type=none', /^s:1:/],
    ['port-down', 's:1:10: unknown port "".'],
    ['port-down p7', 's:1:11: unknown port "p7".'],
    ['flush-conntrack zone=70000', 's:1:17: expected zone=N from 0 to 65535, got "zone=70000"'],
    ['dump-conntrack br0', 's:1:16: expected zone=N or nothing, got "br0"'],
    [
      'dump-flows br9',
      's:1:12: expected the name of a bridge or nothing, got "br9": bridges are br0',
    ],
  ] as const;
  for (const [text, message] of wrong)
    t.throws(
      () => read(text),
      {
        name: 'InputError',
        message:
          typeof message === 'string'
            ? new RegExp(`^${message.replace(/[.+"?()]/g, '\\$&')}`)
            : message,
      },
      text,
    );
  t.throws(() => read('dump-flows', two), {
    message: 's:1:11: of which bridge? Say so before the rest: br0, br1',
  });
  t.end();
});

void t.test('one after the other', (t) => {
  const script =
    read(`inject p1 ${udp}\nadvance 10s\ndump-conntrack\ninject p2 udp,dl_src=0a:00:00:00:00:02,dl_dst=0a:00:00:00:00:01,nw_src=10.0.0.2,nw_dst=10.0.0.1,nw_ttl=64,tp_src=7,tp_dst=4000
flush-conntrack zone=7\ndump-conntrack\ninject p3 icmp,dl_src=0a:00:00:00:00:03\ndump-fdb\nport-down p1\ninject p1 ${udp}\nport-up p1\ninject p1 ${udp}`);
  const reported = playScript(script).map(reportStep);
  const outputs = reported.map(({ result }) =>
    result.kind === 'packet'
      ? result.packet.outputs.map(({ port }) => port).join(' ')
      : result.kind === 'dump'
        ? result.lines
        : result.kind,
  );
  t.strictSame(outputs, [
    'p2',
    'done',
    [
      'udp,orig=(src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=7),reply=(src=10.0.0.2,' +
        'dst=10.0.0.1,sport=7,dport=4000),id=0,zone=7,status=0,timeout=50',
    ],
    'p3',
    'done',
    [],
    'br0 p1 p2',
    [' port  VLAN  MAC', '   p3     0  0a:00:00:00:00:03'],
    'done',
    'lost',
    'done',
    'p2',
  ]);
  t.match(reported[0]?.result, {
    packet: {
      path: [
        { table: 0, flow: { actions: 'ct(commit,table=1,zone=7)' } },
        { table: 1, flow: { actions: 'output:2' } },
      ],
    },
  });
  const document = scriptDocument(reported, []);
  t.match(document, {
    steps: [
      { line: 1, packet: { outputs: [{ port: 'p2' }] } },
      { line: 2, command: 'advance 10s' },
      { dump: [/^udp/] },
    ],
  });
  t.doesNotThrow(() => traceReport.parse(JSON.parse(JSON.stringify(document))));
  t.end();
});

void t.test('what the model does not know ends it', (t) => {
  const odd = dumpedSwitch([
    {
      bridge: 'br0',
      flows: { text: 'tcp actions=check_pkt_larger(100)->NXM_NX_PKT_MARK[0]', file: 'flows' },
      ports: { text: shown, file: 'ports' },
    },
  ]);
  const reported = playScript(read('advance 1s\ninject p1 tcp\nadvance 1s', odd)).map(reportStep);
  t.equal(reported.length, 2);
  t.match(reported.map(refusalOf), [undefined, /check_pkt_larger/]);
  t.doesNotThrow(() => traceReport.parse(JSON.parse(JSON.stringify(scriptDocument(reported, [])))));
  t.end();
});
