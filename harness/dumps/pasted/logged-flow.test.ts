/**
 * Goal: flows in logs and in commands are read, and what changes others is refused. Method: lines
 * as Open vSwitch, controllers and people write them.
 */
import t from 'tap';
import { complaint } from '../../base/errors/errors.js';
import { loggedFlow } from './logged-flow.js';

const read = (line: string) => loggedFlow(line, { file: 'log', line: 1 })?.text.trim();

void t.test('flows of a log', (t) => {
  const message =
    '2026-03-01T10:00:00.123Z|00007|vconn|DBG|unix: sent (Success): OFPT_FLOW_MOD (OF1.3) ' +
    '(xid=0x4): ADD table:3 priority=10,in_port=1 cookie:0x2 idle:5 hard:6 buf:0x1 out_port:0 ' +
    'actions=output:2';
  t.equal(
    read(message)?.replace(/ +/g, ' '),
    'table:3 priority=10,in_port=1 cookie:0x2 idle_timeout=5 hard_timeout=6 actions=output:2',
  );
  for (const [line, flow] of [
    ['ovs-ofctl add-flow br0 "table=0, priority=7 actions=1"', 'table=0, priority=7 actions=1'],
    ["sudo ovs-ofctl -O OpenFlow13 add-flow br0 'ip,actions=2'", 'ip,actions=2'],
    [
      'I0301 10:00:01.000000  12 exec.go:1] Executing: ovs-ofctl add-flow br0 table=0,actions=drop',
      'table=0,actions=drop',
    ],
    [
      "Running command: ['ovs-ofctl', 'add-flow', 'br-int', 'table=0,actions=1']",
      'table=0,actions=1',
    ],
    ['2026-03-01 10:00:00,123 INFO adding flow: table=0,ip,actions=1', 'table=0,ip,actions=1'],
    ['Mar  1 10:00:00 host agent[12]: tcp,tp_dst=80 actions=1', 'tcp,tp_dst=80 actions=1'],
    ['time="2026-03-01T10:00:00Z" msg="table=0,ip actions=1"', 'table=0,ip actions=1'],
    [
      '[ 12.345] priority=5,in_port="p1" actions=output:"p2"',
      'priority=5,in_port="p1" actions=output:"p2"',
    ],
  ] as const)
    t.equal(read(line), flow, line);
  for (const line of ['table=0,ip actions=1', ' cookie=0x0, duration=1s, actions=drop', ''])
    t.equal(read(line), undefined, line);
  t.end();
});

void t.test('what changes flows that are there is refused', (t) => {
  for (const line of [
    'OFPT_FLOW_MOD (xid=0x4): DEL_STRICT table:0 in_port=1 actions=drop',
    'OFPT_FLOW_MOD (OF1.3) (xid=0x4): MOD actions=drop',
    'ovs-ofctl del-flows br0 in_port=1',
    'ovs-ofctl --strict mod-flows br0 in_port=1,actions=2',
    'ovs-ofctl add-flows br0 flows.txt',
  ])
    t.match(
      complaint(() => read(line)),
      /^log:1: .* changes or removes flows that are there/,
      line,
    );
  t.end();
});
