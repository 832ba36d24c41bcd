// Goal: what dumps do not say and an answer hangs on is said where packets meet it, and nowhere
// else; ports that nobody has listed are there where packets are sent to them. Method: flows alone,
// with ports, and packets that flood, that NORMAL takes, and that go to one port.
import t from 'tap';
import { dumpedSwitch, type DumpedSwitch } from '../dumps/dumped-switch.js';
import { readFlow } from './packet-stimulus.js';
import { preparedNode } from './script/prepared-node.js';
import { notesMet, withMetPorts } from './taken-for-granted.js';
import { tracePacket, type TraceResult } from './trace-packets.js';

const flows = `priority=5,in_port=1 actions=output:2
priority=5,in_port=2 actions=FLOOD
priority=5,in_port=3 actions=NORMAL
priority=5,in_port=4 actions=load:9->NXM_NX_REG0[],output:NXM_NX_REG0[]
priority=5,in_port=5 actions=bundle(eth_src,0,active_backup,ofport,members:11,12)
priority=5,in_port=6 actions=resubmit(,1)
table=1 actions=group:1
`;
const groups = 'group_id=1,type=all,bucket=NORMAL\n';
const shown = [1, 2, 3, 4, 5, 6]
  .map((port) => ` ${port}(p${port}): addr:aa:55:aa:55:00:0${port}\n`)
  .concat(' LOCAL(br0): addr:aa:bb:cc:dd:ee:ff\n')
  .join('');
const sources = {
  bridge: 'br0',
  flows: { text: flows, file: 'flows' },
  groups: { text: groups, file: 'groups' },
};
const alone = dumpedSwitch([sources]);
const listed = dumpedSwitch([{ ...sources, ports: { text: shown, file: 'ports' } }]);

const ask =
  (packet: string) =>
  (target: DumpedSwitch): readonly TraceResult[] => [
    tracePacket(
      preparedNode(target, { connections: [], macs: [] }),
      readFlow(packet, target, undefined, { payload: undefined }),
    ),
  ];

void t.test('what is said', (t) => {
  const [ports, database] = [/^which ports br0 has nothing says/, /^VLANs, mirrors, bonds/];
  for (const [target, packet, expected] of [
    [alone, 'in_port=1', []],
    [alone, 'in_port=2', [ports]],
    [alone, 'in_port=3', [ports, database]],
    [alone, 'in_port=6', [ports, database]],
    [listed, 'in_port=2', []],
    [listed, 'in_port=3', [database]],
  ] as const) {
    const notes = notesMet(target, ask(packet)(target));
    t.equal(notes.length, expected.length, `${packet}: ${notes.join('; ')}`);
    t.match(notes, expected);
  }
  t.match(alone.floodNotes[0]?.text, /\(1, 2, 3, 4, 5, 6, 11, 12\)/);
  t.end();
});

void t.test('ports that packets are sent to', (t) => {
  const said: string[] = [];
  const portsOf = (target: DumpedSwitch, packet: string) =>
    withMetPorts(target, ask(packet), (line) => said.push(line)).plan.bridges[0]?.ports.map(
      ({ ofport }) => ofport,
    );
  t.strictSame(portsOf(alone, 'in_port=4'), [1, 2, 3, 4, 5, 6, 11, 12, 9]);
  t.match(said, [/^note: nothing lists the ports of br0: a packet is sent to port 9/]);
  t.strictSame(portsOf(listed, 'in_port=4'), [1, 2, 3, 4, 5, 6], 'it is not there');
  t.equal(said.length, 1);
  t.end();
});
